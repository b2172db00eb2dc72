// The menu of labels: those that complete what is typed, of the same kind and most like the present one first.

import { fill, gettext } from "../words.js";

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

// opens the guidelines and returns what they say of a label, or of its category without functions: NP for NP-SBJ
export function openGuidelines(box, label) {
  const part = box.querySelector("#guidelines");
  if (!part) return gettext("This corpus has no guidelines for labels.");
  const notes = [...part.querySelectorAll("[data-note]")];
  const said = notes.find((one) => one.dataset.note === label) ?? notes.find((one) => one.dataset.note === label.split(/[-=|:]/)[0]);
  part.open = true;
  for (const one of notes) one.toggleAttribute("data-chosen", one === said);
  (said ?? part).scrollIntoView({ block: "nearest" });
  return said ? said.nextElementSibling.textContent : fill(gettext("The guidelines say nothing of %(label)s."), { label });
}

// the columns of a word, and the function of a node, in their fields
export function showFields(box, node) {
  const edge = box.querySelector("#edge"), column = box.querySelector("#column"), columns = box.querySelector("#columns");
  if (columns) {
    columns.textContent = box.querySelector(`[data-columns="${node.dataset.v}"]`)?.textContent ?? "";
    columns.hidden = !columns.textContent;
  }
  if (edge) edge.value = node.dataset.edge ?? "";
  if (column) box.querySelector("#value").value = box.querySelector(`[data-cell="${node.dataset.v}"][data-column="${column.value}"]`)?.textContent ?? "";
}

// a cell of the table is edited in its field; Enter there sends it
export function watchFields(box, { choose, chosen, send }) {
  box.addEventListener("click", ({ target }) => {
    const cell = target.closest("[data-cell]");
    if (!cell || !box.querySelector("#column")) return;
    box.querySelector("#column").value = cell.dataset.column;
    choose(cell.dataset.cell, { focus: false });
    box.querySelector("#value").select();
  });
  box.addEventListener("change", ({ target }) => { if (target.id === "column") showFields(box, chosen()); });
  box.addEventListener("keydown", (event) => {
    const op = { value: "field", edge: "edge", trace: "trace" }[event.target.id];
    if (event.key !== "Enter" || !op) return;
    event.preventDefault();
    send(op);
  });
}
