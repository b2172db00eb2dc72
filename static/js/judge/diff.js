// Which words differ between two phrases: the longest common subsequence of words.

export function diff(before, after) {
  const a = before.split(/\s+/);
  const b = after.split(/\s+/);
  const common = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const parts = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.push(["same", a[i]]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) {
      parts.push(["gone", a[i]]);
      i += 1;
    } else {
      parts.push(["new", b[j]]);
      j += 1;
    }
  }
  return parts;
}

export function showDiff(place, before, after) {
  const tags = { same: "span", gone: "del", new: "ins" };
  const signs = { same: "", gone: "−", new: "+" };
  place.replaceChildren(...diff(before, after).flatMap(([kind, word]) => {
    const part = document.createElement(tags[kind]);
    part.textContent = signs[kind] + word;
    return [part, " "];
  }));
}
