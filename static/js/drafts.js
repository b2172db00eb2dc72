// Forms marked data-draft="name" keep what is typed on this device until the server has
// taken it: a reload, an expired login or a crash brings it back, with "Discard it".
// The server answers a form that it has taken with a cookie that names its token.

import { gettext } from "./words.js";

const MAX_AGE_MS = 30 * 86_400_000;
const PREFIX = "gemel-form ";
const SKIPPED = new Set(["hidden", "password", "file", "submit", "button", "reset"]);
const user = document.documentElement.dataset.user ?? "";

const inputs = (form) => [...form.elements].filter((one) => one.name && !SKIPPED.has(one.type));
const isTick = (one) => one.type === "radio" || one.type === "checkbox";

/** What a form holds, by name and place or, for ticks, by name and value. */
export function read(form) {
  const fields = {};
  for (const [at, one] of inputs(form).entries()) {
    if (isTick(one)) fields[`${one.name}=${one.value}`] = one.checked;
    else fields[`${one.name}@${at}`] = one.value;
  }
  return fields;
}

export function fill(form, fields) {
  for (const [at, one] of inputs(form).entries()) {
    const value = fields[isTick(one) ? `${one.name}=${one.value}` : `${one.name}@${at}`];
    if (value === undefined) continue;
    if (isTick(one)) one.checked = value;
    else one.value = value;
    one.closest("details")?.setAttribute("open", "");
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const stored = (key) => { try { return JSON.parse(localStorage.getItem(key) ?? "null"); } catch { return null; } };
const drop = (key) => { try { localStorage.removeItem(key); } catch { /* nothing is kept here */ } };

function told(form, hasMoved, discard) {
  const note = document.createElement("p");
  note.className = "notice warn row";
  note.setAttribute("role", "status");
  const parts = [gettext("What you typed was restored.")];
  if (hasMoved) parts.push(gettext("What is stored has changed since."));
  const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: gettext("Discard") });
  button.addEventListener("click", () => { discard(); note.remove(); });
  note.append(`${parts.join(" ")} `, button);
  form.prepend(note);
}

function watch(form) {
  const key = `${PREFIX}${user} ${location.pathname} ${form.dataset.draft}`;
  const first = read(form);
  const token = stored(key)?.token ?? crypto.randomUUID();
  form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "draft", value: token }));
  const draft = stored(key);
  if (draft && !same(draft.fields, first)) {
    fill(form, draft.fields);
    told(form, !same(draft.base, first), () => { drop(key); form.reset(); });
  }
  form.addEventListener("input", () => {
    const fields = read(form);
    if (same(fields, first)) return drop(key);
    const kept = { token, fields, base: draft?.base ?? first, at: Date.now() };
    try { localStorage.setItem(key, JSON.stringify(kept)); } catch { /* full, or forbidden */ }
    return undefined;
  });
}

// Drafts that the server has taken, unless it told an error, and those of a month ago.
function sweep() {
  const taken = /(?:^|; )gemel_form=([0-9a-f-]{36})/.exec(document.cookie)?.[1];
  if (taken) document.cookie = "gemel_form=; max-age=0; path=/; samesite=lax";
  const wasRefused = document.querySelector(".messages .error") !== null;
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(PREFIX))) {
    const draft = stored(key);
    const isOld = !(draft?.at > Date.now() - MAX_AGE_MS);
    if (isOld || (draft.token === taken && !wasRefused)) drop(key);
  }
}

export function keepForms() {
  try { sweep(); } catch { return; } // a browser that keeps nothing
  if (!user) return;
  for (const form of document.querySelectorAll("form[data-draft]")) watch(form);
}
