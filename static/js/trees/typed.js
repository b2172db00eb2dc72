// Brackets or lines that were typed and not used yet are kept on this device: a reload, an
// expired login or a crash brings them back, with "Discard it".

import { gettext } from "../words.js";

const KEY = `gemel-typed ${document.documentElement.dataset.user ?? ""} ${location.pathname}`;
/** @returns {HTMLTextAreaElement | null} */
const area = () => document.querySelector("#tree-form[data-edit] #text");

function stored() {
  try { return localStorage.getItem(KEY); } catch { return null; }
}

/** Keeps what stands in the field, or forgets it where that is what the server has. */
export function keepTyped() {
  const typed = area();
  if (!typed) return;
  try {
    const isStored = typed.value === typed.defaultValue && !document.querySelector("#refused");
    if (isStored) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, typed.value);
  } catch { /* full, or forbidden */ }
}

/** Brackets that were typed and not used, which outlast a step in the drawing. */
export function unsentBrackets(op) {
  const typed = area();
  return typed && !["replace", "begin"].includes(op) && typed.value !== typed.defaultValue ? typed.value : null;
}

export function putBack(unsent) {
  if (unsent === null || !area()) return;
  area().value = unsent;
  document.querySelector("#typed-problems").textContent = gettext("The brackets that you typed are kept; the drawing has changed since.");
}

/** Puts back what an earlier visit had typed. */
export function bringBack() {
  const typed = area(), text = stored();
  if (!typed || text === null || text === typed.value) return;
  typed.value = text;
  typed.closest("details").open = true;
  const note = document.createElement("p");
  note.className = "notice warn row";
  note.setAttribute("role", "status");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: gettext("Discard") });
  button.addEventListener("click", () => {
    typed.value = typed.defaultValue;
    keepTyped();
    note.remove();
  });
  note.append(`${gettext("What you typed was restored.")} `, button);
  typed.closest(".field").before(note);
}

// the cursor goes to where the brackets are wrong
export function place(typed) {
  const lines = typed.value.split("\n"), line = Number(typed.dataset.line) - 1;
  const before = lines.slice(0, line).reduce((sum, row) => sum + row.length + 1, 0);
  const at = Math.min(before + Number(typed.dataset.column) - 1, typed.value.length);
  typed.focus();
  typed.setSelectionRange(at, at + 1);
}

// What a step with what is typed would break, as the server says; the step itself will say that there is no network.
export async function preview(input, form, what, isWanted) {
  const said = document.querySelector("#typed-problems"), body = new FormData(form);
  body.set("op", "check");
  body.set("what", what);
  if (what !== "replace") body.delete("text");
  try {
    const answer = await fetch(location.href, { method: "POST", body, headers: { "HX-Request": "true" } });
    if (answer.ok && isWanted() && input.isConnected) said.innerHTML = await answer.text();
  } catch { said.textContent = ""; }
}
