// How long the item in view has been looked at: hidden tabs do not count.

export function makeClock() {
  let spent = 0;
  let since = performance.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) spent += performance.now() - since;
    since = performance.now();
  });
  return {
    start() { spent = 0; since = performance.now(); },
    read: () => Math.round(spent + (document.hidden ? 0 : performance.now() - since)),
  };
}
