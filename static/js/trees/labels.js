// The menu of labels: those that complete what is typed, of the same kind and most like the present one first.

import { gettext } from "../words.js";

const MOST = 9;

function alike(a, b) {
  let n = 0;
  while (n < 2 && n < a.length && a[n] === b[n]) n += 1;
  return n;
}

function fitting(known, typed, own, { isTag, isNew }) {
  if (!isNew && typed !== own) return known.filter((label) => label !== typed && label.toLowerCase().startsWith(typed.toLowerCase()));
  const others = known.filter((label) => isNew || label !== own);
  return isTag ? others.sort((a, b) => alike(b, own) - alike(a, own)) : others;
}

export function drawLabels(box, node, { typed, isNew, isArcs }) {
  const isTag = !isArcs && !isNew && node.classList.contains("pw"), kind = isArcs ? "relation" : isTag ? "tag" : "phrase";
  const known = [...box.querySelectorAll(`#labels [data-of=${kind}]`)].map((one) => one.value);
  const rows = fitting(known, typed, node.dataset.label ?? "", { isTag, isNew }).slice(0, MOST).map((label, i) => {
    const row = document.createElement("li"), button = document.createElement("button");
    Object.assign(button, { type: "button", className: "quiet", textContent: label });
    button.dataset.label = label;
    row.append(button, Object.assign(document.createElement("kbd"), { textContent: i + 1 }));
    return row;
  });
  box.querySelector("#label-menu").replaceChildren(...rows);
  const title = box.querySelector("#label-name");
  if (title) title.textContent = isNew ? gettext("Label of the new phrase") : gettext("Label");
}
