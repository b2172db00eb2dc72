// Keys of the judgment screen. Digits go by the place of the key, then by its sign, so
// that AZERTY and number pads work; letters by their sign, remapped or switched off.

const DIGIT = /^(?:Digit|Numpad)(\d)$/;

export function digitOf(event) {
  const byPlace = DIGIT.exec(event.code);
  if (byPlace) return byPlace[1];
  return /^\d$/.test(event.key) ? event.key : "";
}

const isText = (element) => element?.matches?.(
  "textarea, select, input:not([type=radio], [type=checkbox], [type=button])",
) ?? false;

// Calls `act(command, detail)` for what a key press means; says nothing about the rest.
export function listen({ keys, preference, act }) {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    const command = meaning(event, keys(), preference());
    if (!command) return;
    event.preventDefault();
    act(...command);
  });
}

function meaning(event, keys, preference) {
  const inText = isText(event.target);
  const ctrl = event.ctrlKey || event.metaKey;
  if (event.key === "Enter") return ofEnter(event, inText, ctrl);
  if (ctrl && !event.altKey && event.key.toLowerCase() === "z" && !inText) return ["undo"];
  if (event.key === "Escape" && inText) return ["leave"];
  // a sign typed with AltGr (as [ on many keyboards) comes with ctrl and alt
  if (inText || (ctrl && !event.altKey) || event.isComposing) return null;
  const digit = event.shiftKey && !event.code.startsWith("Digit") ? "" : digitOf(event);
  if (digit && !event.altKey && !isMapped(event, keys)) return ["digit", digit];
  if (!preference.has_single_keys) return null;
  const found = Object.entries(keys).find(([, key]) => key === event.key.toLowerCase());
  return found ? [found[0]] : null;
}

function isMapped(event, keys) {
  return event.shiftKey && Object.values(keys).includes(event.key.toLowerCase());
}

function ofEnter(event, inText, ctrl) {
  if (ctrl) return ["save"];
  if (inText && event.target.type !== "number") return null;
  return event.target.closest?.("button, a, summary") ? null : ["save"];
}
