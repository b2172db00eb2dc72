// Questions, the list of keys, the merge view and the context menu.

import { fill, gettext } from "../words.js";

const $ = (id) => document.getElementById(id);
export const el = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

function closed(dialog) {
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

// A question; with `note` it wants a reason. Answers true, the reason, or null.
export async function ask({ title, text = "", yes = gettext("Yes"), note = false }) {
  const dialog = $("ask");
  $("ask-head").textContent = title;
  $("ask-text").textContent = text;
  $("ask-yes").textContent = yes;
  $("ask-field").hidden = !note;
  $("ask-note").required = note;
  $("ask-note").value = "";
  dialog.returnValue = "no";
  const before = document.activeElement;
  dialog.showModal();
  if (note) $("ask-note").focus();
  const answer = await closed(dialog);
  before?.focus?.();
  if (answer !== "yes") return null;
  return note ? $("ask-note").value.trim() || null : true;
}

export async function showKeys(commands) {
  const seen = commands.filter((command) => command.keys?.length);
  $("help-list").replaceChildren(...seen.map((command) => el("div", {},
    el("dt", {}, ...command.keys.flatMap((key, i) => (i ? [" ", el("kbd", {}, key)] : [el("kbd", {}, key)]))),
    el("dd", {}, command.label))));
  const before = document.activeElement;
  $("help").showModal();
  await closed($("help"));
  before?.focus?.();
}

// For each step both sides decided about: mine, theirs or both. Answers a list of choices.
export async function merge(who, rows) {
  $("merge-who").textContent = fill(gettext("%(who)s changed the same nodes a moment ago. Nothing is lost: choose which to keep."), { who });
  $("merge-list").replaceChildren(...rows.map((row, i) => {
    const choice = (value, label, checked) => el("label", {}, el("input", { type: "radio", name: `merge-${i}`, value, checked }), label);
    return el("fieldset", {}, el("legend", {}, row.mine), el("p", {}, fill(gettext("Theirs: %(what)s"), { what: row.theirs })),
      choice("mine", gettext("Mine"), row.allowMine), choice("theirs", gettext("Theirs"), !row.allowMine), row.allowBoth ? choice("both", gettext("Both"), false) : null);
  }));
  if (rows.some((row) => !row.allowMine)) for (const input of $("merge-list").querySelectorAll("[value=mine]")) if (!rows[Number(input.name.slice(6))].allowMine) input.disabled = true;
  $("merge").showModal();
  await closed($("merge"));
  return rows.map((_, i) => $("merge-list").querySelector(`[name=merge-${i}]:checked`).value);
}

export function openMenu(commands, x, y, run) {
  const menu = $("menu");
  const before = document.activeElement;
  menu.replaceChildren(...commands.map((command) => {
    const button = el("button", { type: "button", role: "menuitem", "data-do": command.id }, el("span", {}, command.label), command.keys?.[0] ? el("kbd", {}, command.keys[0]) : null);
    return el("li", { role: "none" }, button);
  }));
  menu.hidden = false;
  menu.style.left = Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 8)) + "px";
  menu.style.top = Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 8)) + "px";
  const close = (back) => {
    menu.hidden = true;
    menu.onkeydown = menu.onclick = null;
    removeEventListener("pointerdown", outside, true);
    if (back) before?.focus?.();
  };
  const outside = (event) => { if (!menu.contains(event.target)) close(false); };
  addEventListener("pointerdown", outside, true);
  const items = [...menu.querySelectorAll("button")];
  menu.onkeydown = (event) => {
    const i = items.indexOf(document.activeElement);
    const to = { ArrowDown: (i + 1) % items.length, ArrowUp: (i + items.length - 1) % items.length, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) items[to].focus();
    else if (event.key === "Escape" || event.key === "Tab") close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  menu.onclick = (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    close(true);
    run(button.dataset.do);
  };
  items[0]?.focus();
}
