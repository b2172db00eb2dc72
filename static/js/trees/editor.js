// The tree editor: chooses nodes by mouse and keys and sends the form's own buttons. The
// server does the step and sends the editor anew; nothing of the tree is known here.

const $ = (selector) => document.querySelector(selector);
const box = $("#tree-editor");
/** @type {string | null} */
let picked = null; // the node picked first, by its number
let pending = ""; // what Enter in the label field does: "relabel", or "insert"
let busy = false;

const form = () => /** @type {HTMLFormElement} */ ($("#tree-form"));
const field = () => /** @type {HTMLInputElement} */ ($("#label"));
const nodes = () => [...box.querySelectorAll(".tn")];
/** @returns {HTMLElement | null} */
const nodeAt = (event) => event.target.closest(".tn");
const nodeOf = (v) => box.querySelector(`.tn[data-v="${v}"]`);
const editable = () => form().hasAttribute("data-edit");
const say = (text) => { $("#live").textContent = ""; requestAnimationFrame(() => { $("#live").textContent = text; }); };
const name = (node) => node.querySelector("title").textContent;

// each node is a tree item; one of them is in the order of tabs
function dress() {
  const stage = box.querySelector(".tree-stage svg");
  stage.setAttribute("role", "tree");
  stage.setAttribute("aria-label", "Tree");
  for (const node of nodes()) {
    node.setAttribute("role", "treeitem");
    node.setAttribute("aria-label", name(node));
    node.setAttribute("aria-level", String(depth(node)));
    node.setAttribute("tabindex", "-1");
  }
}

function depth(node) {
  let n = 1;
  for (let up = node.dataset.up; up !== "-1"; up = nodeOf(up).dataset.up) n += 1;
  return n;
}

// the chosen node is the one of the table, and its label is the one of the field
function choose(v, { focus = true } = {}) {
  const node = nodeOf(v) || nodeOf(0);
  for (const other of nodes()) {
    other.setAttribute("aria-selected", String(other === node));
    other.setAttribute("tabindex", other === node ? "0" : "-1");
    other.classList.toggle("picked", other.dataset.v === picked);
  }
  check("node", node.dataset.v);
  if (field()) field().value = node.dataset.label;
  pending = "";
  if (!focus) return;
  node.focus();
  node.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function check(which, v) {
  const radio = /** @type {HTMLInputElement | null} */ (form().querySelector(`input[name=${which}][value="${v}"]`));
  if (radio) radio.checked = true;
}

const chosen = () => nodes().find((node) => node.getAttribute("aria-selected") === "true") || nodeOf(0);
const sisters = (node) => nodes().filter((one) => one.dataset.up === node.dataset.up);
const children = (node) => nodes().filter((one) => one.dataset.up === node.dataset.v);

function walk(key) {
  const node = chosen(), row = sisters(node).sort((a, b) => a.dataset.v - b.dataset.v), at = row.indexOf(node);
  const to = { ArrowLeft: row[at - 1], ArrowRight: row[at + 1], ArrowUp: nodeOf(node.dataset.up),
    ArrowDown: children(node).sort((a, b) => a.dataset.v - b.dataset.v)[0] }[key];
  if (to) choose(to.dataset.v); else say("Nothing there.");
}

function pick() {
  picked = picked === chosen().dataset.v ? null : chosen().dataset.v;
  choose(chosen().dataset.v);
  say(picked === null ? "Pick dropped." : `Picked ${name(chosen())}.`);
}

function move() {
  if (picked === null || picked === chosen().dataset.v) { pick(); return; }
  check("node", picked);
  check("other", chosen().dataset.v);
  send("move");
}

function label(op) {
  pending = op;
  if (op === "insert") {
    check("other", chosen().dataset.v);
    if (picked !== null) check("node", picked);
    say("A new phrase: type its label, then Enter.");
  }
  field().focus();
  field().select();
}

const KEYS = {
  r: () => label("relabel"), Enter: () => label("relabel"), i: () => label("insert"), m: move, " ": pick,
  Delete: () => send("delete"), Backspace: () => send("delete"), u: () => send("undo"), U: () => send("redo"),
};

box.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.id === "label") {
    if (event.key === "Enter") { event.preventDefault(); send(pending || "relabel"); }
    if (event.key === "Escape") { picked = null; choose(chosen().dataset.v); }
    return;
  }
  if (!target.closest?.(".tn")) return;
  if (event.key.startsWith("Arrow")) walk(event.key);
  else if (event.key === "Escape" && picked !== null) { picked = null; choose(chosen().dataset.v); say("Pick dropped."); }
  else if (KEYS[event.key] && editable()) KEYS[event.key]();
  else return;
  event.preventDefault();
});

box.addEventListener("click", (event) => {
  const node = nodeAt(event);
  if (!node) return;
  if (event.shiftKey) { picked = chosen().dataset.v; choose(node.dataset.v); return; }
  choose(node.dataset.v);
});

// however the focus came to a node, it is the chosen one
box.addEventListener("focusin", (event) => {
  const node = nodeAt(event);
  if (node && node !== chosen()) choose(node.dataset.v, { focus: false });
});

box.addEventListener("change", (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  if (input.name === "node") { choose(input.value, { focus: false }); input.focus(); }
});

box.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  const op = button?.value || "relabel";
  if (op === "move" && picked !== null) { check("node", picked); check("other", chosen().dataset.v); }
  if (op === "insert") { check("other", chosen().dataset.v); if (picked !== null) check("node", picked); }
  send(op);
});

// What was typed stays where it is until the server has answered.
async function send(op) {
  if (busy) return;
  busy = true;
  const body = new FormData(form());
  body.set("op", op);
  if (op !== "replace") body.delete("text");
  const open = [...box.querySelectorAll("details[open]")].map((part) => part.id);
  try {
    const answer = await fetch(location.href, { method: "POST", body, headers: { "HX-Request": "true" }, credentials: "same-origin" });
    const text = await answer.text();
    if (!text.includes('id="tree-form"')) throw new Error(`The server answered ${answer.status}.`);
    show(text, open, answer.ok, op);
  } catch (error) {
    say(`Not saved: ${error.message} Try again.`);
    $("#tree-state").textContent = `Not saved: ${error.message} Nothing of what you typed is lost; try again.`;
  } finally { busy = false; }
}

function show(text, open, ok, op) {
  const held = chosen().dataset.v;
  box.innerHTML = text;
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  picked = null;
  dress();
  const typed = /** @type {HTMLTextAreaElement | null} */ ($("#text[data-line]"));
  choose(ok ? form().dataset.at : held, { focus: !typed });
  if (typed) place(typed);
  say($("#refused")?.textContent || { undo: "Undone.", redo: "Done again." }[op] || name(chosen()));
}

// the cursor goes to where the brackets are wrong
function place(area) {
  const lines = area.value.split("\n"), line = Number(area.dataset.line) - 1;
  const before = lines.slice(0, line).reduce((sum, row) => sum + row.length + 1, 0);
  const at = Math.min(before + Number(area.dataset.column) - 1, area.value.length);
  area.focus();
  area.setSelectionRange(at, at + 1);
}

dress();
choose(form().dataset.at, { focus: false });
document.documentElement.dataset.editor = "ready";

export {}; // a module: its names are its own
