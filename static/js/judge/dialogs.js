// The dialogs of the judgment screen. Each resolves to what was chosen.

import { fill, gettext } from "../words.js";
import { send } from "./http.js";
import { markedText } from "./marks.js";

const byId = (id) => document.getElementById(id);

// Resolves in the very key press that closes the dialog: the event "close" comes a
// moment later, and a key typed in between would meet the item that was before.
function ask(dialog) {
  dialog.returnValue = "";
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    const finish = () => {
      dialog.removeEventListener("submit", answered);
      dialog.removeEventListener("close", closed);
      resolve(dialog.returnValue);
    };
    const answered = (event) => {
      if (event.target.method !== "dialog") return;
      event.preventDefault();
      dialog.close(event.submitter?.value ?? "");
      finish();
    };
    // By Escape or a script; unless it is the event of an earlier time, come late.
    const closed = () => { if (!dialog.open) finish(); };
    dialog.addEventListener("submit", answered);
    dialog.addEventListener("close", closed);
  });
}

export async function askSkip() {
  const dialog = byId("skip-dialog");
  byId("skip-text").value = "";
  const said = await ask(dialog);
  if (said !== "skip") return null;
  return { note: dialog.querySelector(":checked").value, comment: byId("skip-text").value.trim() };
}

export async function askFlag(before) {
  byId("flag-text").value = before ?? "";
  const said = await ask(byId("flag-dialog"));
  return said === "flag" ? byId("flag-text").value.trim() : null;
}

// `html`: made of Markdown by the server, which lets no raw HTML through.
export function showGuideline({ number, html, seen }) {
  const isFirst = number > 0 && !seen;
  byId("guideline-title").textContent = number ? fill(gettext("Guidelines, version %(n)s"), { n: number }) : gettext("Guidelines");
  byId("guideline-text").innerHTML = html ?? "";
  if (!html) byId("guideline-text").textContent = gettext("This campaign has no guidelines yet.");
  byId("guideline-new").hidden = !isNew({ number, seen });
  byId("guideline-new").textContent = isFirst
    ? gettext("Please read this before the first item. You can open it again at any time.")
    : gettext("The guidelines have changed. Please read them before you go on.");
  byId("guideline-close").textContent = isFirst ? gettext("Start judging") : gettext("Close");
  return ask(byId("guideline-dialog"));
}

export const isNew = ({ number, seen }) => number > (seen ?? number);

// The keys as they are now, in the help and on the buttons (hidden there when off).
export function nameKeys(keys, areOn) {
  const row = /** @type {HTMLTemplateElement} */ (byId("row"));
  for (const key of [...document.querySelectorAll("[data-key]"), ...row.content.querySelectorAll("[data-key]")]) {
    key.textContent = keys[key.dataset.key];
    key.hidden = !areOn && key.closest("dialog") === null;
  }
}

export function showHelp() {
  return ask(byId("help-dialog"));
}

// `one`: the card, if it is still here.
export async function askConflict(message, stored, scales, one) {
  byId("conflict-text").textContent = message.shown;
  const none = gettext("no answer");
  byId("conflict-rows").replaceChildren(...scales.map(({ name, title, kind }) => {
    const shown = (value) => (kind === "spans" && one && value !== undefined ? markedText(value, one) || gettext("nothing marked") : value) ?? none;
    const row = document.createElement("tr");
    for (const text of [title, shown(stored.values[name]), shown(message.values?.[name])]) {
      const cell = document.createElement("td");
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  }));
  return ask(byId("conflict-dialog"));
}

// Keys and pace; the server refuses collisions and says which. What it took is kept.
export async function askSettings({ url, preference, keys, first, keep }) {
  const form = byId("settings");
  const enter = (chosen) => { for (const [name, key] of Object.entries(chosen)) form.elements[name].value = key; };
  enter(keys);
  form.elements.auto_advance.checked = preference.auto_advance;
  form.elements.daily_goal.value = preference.daily_goal || "";
  form.elements.has_single_keys.checked = preference.has_single_keys;
  byId("settings-problem").textContent = "";
  form.querySelector("[data-do=reset-keys]").onclick = () => enter(first);
  form.onsubmit = async (event) => {
    event.preventDefault();
    const wanted = Object.fromEntries(Object.keys(first).map((name) => [name, form.elements[name].value]));
    const { auto_advance: auto, has_single_keys: single, daily_goal: goal } = form.elements;
    const { status, body } = await send(url, {
      method: "PUT",
      body: { keys: wanted, auto_advance: auto.checked, has_single_keys: single.checked, daily_goal: Number(goal.value) },
    });
    if (status !== 200) {
      byId("settings-problem").textContent = body.error?.message ?? gettext("No connection: nothing was changed.");
      const field = body.error?.facts?.field;
      if (field && form.elements[field]) form.elements[field].focus();
      return;
    }
    keep(body);
    byId("settings-dialog").close("kept");
  };
  await ask(byId("settings-dialog"));
}
