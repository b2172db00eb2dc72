// The editor of trees and of arcs: chooses nodes by mouse and keys and sends the form's own buttons. The
// server does the step and sends the editor anew; nothing of the tree is known here.

import { askSignIn } from "../signing.js";
import { fill, gettext } from "../words.js";
import { Drag } from "./drag.js";
import { drawGoals, goalsOf } from "./goals.js";
import { drawLabels, openGuidelines, showFields, watchFields } from "./labels.js";
import { SecondaryEdges } from "./secondary.js";
import { bringBack, keepTyped, place, preview, putBack, unsentBrackets } from "./typed.js";
import { View } from "./view.js";

const $ = (selector) => document.querySelector(selector);
const box = $("#tree-editor");
const other = /** @type {HTMLAnchorElement} */ ($("#other-editor")); // of arcs, or of constituents
/** @type {string | null} */
let picked = null; // the node picked first, by its number
let pending = ""; // what Enter in the label field does: "relabel", "insert" or "join_phrases"
let busy = false;
/** @type {Element | null} */
let lastClicked = null;
let isRange = false; // of siblings, picked with Shift
/** @type {HTMLElement[]} */
let goals = []; // where what is chosen can move to
const view = new View(box);

const form = () => /** @type {HTMLFormElement} */ ($("#tree-form"));
const field = () => /** @type {HTMLInputElement} */ ($("#label"));
const wordField = () => /** @type {HTMLInputElement} */ ($("#form"));
const nodes = () => [...box.querySelectorAll(".tn")];
/** @returns {HTMLElement | null} */
const nodeAt = (event) => event.target.closest(".tn");
const nodeOf = (v) => box.querySelector(`.tn[data-v="${v}"]`);
const arcs = () => form().dataset.kind === "arcs";
const editable = () => form().hasAttribute("data-edit");
const say = (text) => { $("#live").textContent = ""; requestAnimationFrame(() => { $("#live").textContent = text; }); };
const name = (node) => node.querySelector("title").textContent;

// each node is a tree item; one of them is in the order of tabs
function dress() {
  const stage = box.querySelector(".tree-stage svg");
  stage.setAttribute("role", arcs() ? "listbox" : "tree");
  stage.setAttribute("aria-label", arcs() ? gettext("Words") : gettext("Tree"));
  for (const node of nodes()) {
    node.setAttribute("role", arcs() ? "option" : "treeitem");
    node.setAttribute("aria-label", name(node));
    if (!arcs()) node.setAttribute("aria-level", String(depth(node)));
    node.setAttribute("tabindex", "-1");
  }
  field()?.removeAttribute("list"); // the menu below it has them
  view.mount();
  view.dressTools();
}

function depth(node) {
  let n = 1;
  for (let up = node.dataset.up; up !== "-1"; up = nodeOf(up).dataset.up) n += 1;
  return n;
}

// the chosen node is the one of the table, and its label is the one of the field
function choose(v, { focus = true } = {}) {
  const node = nodeOf(v) || nodeOf(0);
  for (const one of nodes()) {
    one.setAttribute("aria-selected", String(one === node));
    one.setAttribute("tabindex", one === node ? "0" : "-1");
    one.classList.toggle("picked", one.dataset.v === picked);
    one.classList.toggle("in-run", isRange && run(node).includes(one));
  }
  check("node", node.dataset.v);
  if (field()) field().value = node.dataset.label ?? "";
  if (wordField()) wordField().value = node.dataset.form || "";
  other.hash = `word-${node.dataset.word}`;
  pending = "";
  view.light(arcs() || node.dataset.v !== "0" ? run(node) : []);
  offerGoals(node);
  offerLabels();
  showFields(box, node);
  second.show(node);
  if (!focus) return;
  node.focus({ preventScroll: true });
  node.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// the chosen siblings, in order: from the one picked to the other; else the chosen node alone
function run(node = chosen()) {
  const from = picked === null ? null : nodeOf(picked);
  if (!isRange || !from || from.dataset.up !== node.dataset.up) return [node];
  const row = siblings(node).sort((a, b) => a.dataset.v - b.dataset.v);
  const [a, b] = [row.indexOf(from), row.indexOf(node)].sort((x, y) => x - y);
  return row.slice(a, b + 1);
}

// where the chosen node may go: a click or a number key moves it there
function offerGoals(node) {
  const moved = run(node);
  if (!$("#goals")) return;
  goals = editable() && !arcs() && node.dataset.v !== "0" ? goalsOf(moved, nodes()) : [];
  drawGoals(box, goals);
  $("#chosen").textContent = moved.length > 1 ? fill(gettext("%(n)s siblings"), { n: moved.length }) : name(node);
}

function moveTo(goal, moved = run()) {
  check("node", moved[0].dataset.v);
  check("other", goal.dataset.v);
  untilField().value = moved.length > 1 ? moved.at(-1).dataset.v : "";
  send(arcs() ? "attach" : "move");
}

const untilField = () => /** @type {HTMLInputElement} */ (form().elements.namedItem("until") ?? {});

const offerLabels = () => { if ($("#label-menu")) drawLabels(box, chosen(), { typed: field().value, isNew: isNew(), isArcs: arcs() }); };

const isNew = () => pending === "insert" || (isRange && run().length > 1 && pending === "");

function useLabel(text) {
  field().value = text;
  if (isNew()) { take("insert"); return; }
  send(pending || (arcs() ? "relation" : "relabel"));
}

// the nodes of a step over siblings
function take(op) {
  const over = isRange ? run() : [picked === null ? chosen() : nodeOf(picked), chosen()];
  check("node", over[0].dataset.v);
  check("other", over.at(-1).dataset.v);
  send(op);
}

function check(which, v) {
  const radio = /** @type {HTMLInputElement | null} */ (form().querySelector(`input[name=${which}][value="${v}"]`));
  if (radio) radio.checked = true;
}

const chosen = () => nodes().find((node) => node.getAttribute("aria-selected") === "true") || nodeOf(0);
const siblings = (node) => nodes().filter((one) => one.dataset.up === node.dataset.up);
const children = (node) => nodes().filter((one) => one.dataset.up === node.dataset.v);

function walk(key) {
  const node = chosen(), row = (arcs() ? nodes() : siblings(node)).sort((a, b) => a.dataset.v - b.dataset.v), at = row.indexOf(node);
  const to = { ArrowLeft: row[at - 1], ArrowRight: row[at + 1], ArrowUp: nodeOf(node.dataset.up),
    ArrowDown: children(node).sort((a, b) => a.dataset.v - b.dataset.v)[0] }[key];
  if (to) choose(to.dataset.v); else say(gettext("Nothing there."));
}

// Shift and an arrow: one sibling more
function extend(key) {
  if (!isRange) { picked = chosen().dataset.v; isRange = true; }
  walk(key);
}

function pick() {
  isRange = false;
  picked = picked === chosen().dataset.v ? null : chosen().dataset.v;
  choose(chosen().dataset.v);
  say(picked === null ? gettext("Pick dropped.") : fill(gettext("Picked %(name)s."), { name: name(chosen()) }));
}

function move() {
  if (picked === null || picked === chosen().dataset.v) { pick(); return; }
  moveTo(chosen(), [nodeOf(picked)]);
}

function label(op) {
  pending = op;
  if (op === "insert") say(gettext("A new phrase: type its label, then Enter."));
  offerLabels();
  field().select();
}

// siblings become one: of one label at once, of several by the label that is typed then
function joinPhrases() {
  const row = siblings(chosen()).sort((a, b) => a.dataset.v - b.dataset.v), at = row.indexOf(chosen());
  const first = picked === null ? at : row.indexOf(nodeOf(picked)), last = picked === null ? at + 1 : at;
  if (first < 0 || last >= row.length) { say(gettext("Only siblings can be joined, and there is no other.")); return; }
  const joined = row.slice(Math.min(first, last), Math.max(first, last) + 1);
  check("node", joined[0].dataset.v);
  check("other", joined.at(-1).dataset.v);
  if (joined.every((one) => one.dataset.label === joined[0].dataset.label)) { send("join_phrases"); return; }
  pending = "join_phrases";
  field().value = joined[0].dataset.label;
  field().select();
  say(gettext("Joined: type the label for all, then Enter."));
}

function retype() {
  if (chosen().dataset.form) wordField().select(); else say(gettext("Only words can be edited."));
}

// the word stands in its field, with the cursor in it: a space there, and Enter
function split() {
  if (!chosen().dataset.form) { say(gettext("Only words can be split.")); return; }
  pending = "split";
  const length = wordField().value.length;
  wordField().focus();
  wordField().setSelectionRange(length, length);
  say(gettext("Split: type a space where the second word begins, then press Enter."));
}

function join() { if (chosen().dataset.form) send("join"); else say(gettext("Only words can be joined.")); }

// the next phrase of which the parser is not sure
function doubt(way) {
  const order = nodes().filter((one) => one.classList.contains("doubt")).sort((a, b) => a.dataset.v - b.dataset.v);
  const here = Number(chosen().dataset.v), last = order.length - 1;
  const next = way > 0 ? order.find((one) => Number(one.dataset.v) > here) || order[0]
    : order.filter((one) => Number(one.dataset.v) < here).at(-1) || order[last];
  if (next) choose(next.dataset.v); else say(gettext("The parser is sure of every phrase."));
}

const relabel = () => label(arcs() ? "relation" : "relabel");
const KEYS_OF_ARCS = {
  r: relabel, Enter: relabel, m: move, " ": pick, w: retype, s: split, j: join, o: () => send("root"), u: () => send("undo"), U: () => send("redo"),
};
const KEYS = {
  r: relabel, Enter: relabel, i: () => label("insert"), m: move, " ": pick, w: retype, s: split, j: join,
  S: () => send("split_phrase"), J: joinPhrases, e: () => second.next(), E: () => second.remove(),
  Delete: () => send("delete"), Backspace: () => send("delete"), u: () => send("undo"), U: () => send("redo"),
};

const keys = () => (arcs() ? KEYS_OF_ARCS : KEYS);

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !editable()) return;
  if (event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement && event.target.type !== "radio") return;
  const op = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[event.key.toLowerCase()];
  if (op) { event.preventDefault(); send(op); }
});

box.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.id === "label") {
    const isFresh = isNew() || field().value === (chosen().dataset.label ?? ""), offered = $("#label-menu").children[Number(event.key) - 1];
    if (offered && isFresh) { event.preventDefault(); useLabel(offered.firstChild.dataset.label); return; }
    if (event.key === "Enter") { event.preventDefault(); useLabel(field().value); }
    if (event.key === "Escape") { dropPick(); choose(chosen().dataset.v); }
    return;
  }
  if (target.id === "form") {
    if (event.key === "Enter") { event.preventDefault(); send(pending === "split" ? "split" : "retype"); }
    if (event.key === "Escape") choose(chosen().dataset.v);
    return;
  }
  if (second.entered(event)) { event.preventDefault(); return; }
  if (target.id === "second" && event.key === "Escape") { dropPick(); choose(chosen().dataset.v); }
  if (!target.closest?.(".tn")) return;
  if (event.shiftKey && ["ArrowLeft", "ArrowRight"].includes(event.key) && !arcs()) extend(event.key);
  else if (event.key.startsWith("Arrow")) walk(event.key);
  else if (event.key === "Escape" && picked !== null) { dropPick(); choose(chosen().dataset.v); say(gettext("Pick dropped.")); }
  else if (/^[1-9]$/.test(event.key) && goals[Number(event.key) - 1]) moveTo(goals[Number(event.key) - 1]);
  else if (event.key === "f" && !arcs()) fold(chosen());
  else if (event.key === "n" || event.key === "p") doubt(event.key === "n" ? 1 : -1);
  else if (event.key === "v") other.click();
  else if (event.key === "g") say(openGuidelines(box, chosen().dataset.label ?? ""));
  else if (keys()[event.key] && editable()) keys()[event.key]();
  else return;
  event.preventDefault();
});

function dropPick() { picked = null; isRange = false; second.end(); }

box.addEventListener("click", (event) => {
  if (drag.isClick()) return;
  const target = /** @type {HTMLElement} */ (event.target);
  const button = /** @type {HTMLElement} */ (target.closest("[data-go], [data-goal], [data-label]:not(.tn), [data-view]"));
  if (button) { press(button); return; }
  const node = nodeAt(event);
  if (!node) return;
  if (arcs() && editable() && clicked(node)) return;
  if (event.shiftKey && !arcs()) { if (!isRange) picked = chosen().dataset.v; isRange = true; } else if (isRange) dropPick();
  choose(node.dataset.v);
  if (second.isOn) second.next();
});

function press(button) {
  const { go, goal, label: named, view: how } = button.dataset;
  if (go) choose(go);
  else if (goal) moveTo(nodeOf(goal));
  else if (named) useLabel(named);
  else if (how === "fold") {
    /** @type {HTMLInputElement} */ (form().elements.namedItem("folded")).value = button.getAttribute("aria-pressed") === "true" ? "" : "sure";
    send("view");
  } else view.press(how, button);
}

// the click says what is chosen, not the focus that comes before it
box.addEventListener("mousedown", (event) => { if (nodeAt(event) || event.target.closest(".goal")) event.preventDefault(); });

box.addEventListener("dblclick", (event) => { const node = nodeAt(event); if (node && !arcs()) fold(node); });

// folds a phrase, or shows what is in it: the server draws it
function fold(node) {
  if (node.classList.contains("pw") || node.dataset.v === "0") return;
  const held = /** @type {HTMLInputElement} */ (form().elements.namedItem("folded")), span = `${node.dataset.word}-${node.dataset.end}`;
  const spans = held.value.split(" ").filter(Boolean);
  held.value = (spans.includes(span) ? spans.filter((one) => one !== span) : [...spans, span]).join(" ");
  send("view");
}

// among arcs: a chosen word clicked again is picked, and the next word clicked is its head
function clicked(node) {
  const again = node === chosen() && node === lastClicked, hasPick = picked !== null && picked !== node.dataset.v;
  lastClicked = node;
  if (!again && !hasPick) return false;
  choose(node.dataset.v);
  if (hasPick) move(); else pick();
  return true;
}

const drag = new Drag(box, {
  nodes, nodeAt, nodeOf, arcs,
  mayDrag: (node) => editable() && (arcs() || node.dataset.v !== "0"),
  moved: (node) => (run().includes(node) ? run() : [node]),
  began: (node) => { if (!isRange) choose(node.dataset.v, { focus: false }); },
  dropped: (over, moved) => {
    if (over === "root") { check("node", moved[0].dataset.v); send("root"); } else if (over) moveTo(over, moved);
    else choose(moved[0].dataset.v);
  },
});

const second = new SecondaryEdges(box, {
  chosen, check, send, say, name, picked: () => picked,
  pick: () => { isRange = false; picked = chosen().dataset.v; choose(picked); },
});

watchFields(box, { choose, chosen, send });

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
  if (event.target instanceof HTMLFormElement && event.target.id === "choice") { send(button?.value || "keep", event.target); return; }
  const op = button?.value || (arcs() ? "relation" : "relabel");
  if ((op === "move" || op === "attach") && picked !== null) { check("node", picked); check("other", chosen().dataset.v); }
  if (op === "insert") {
    if (isRange || field().value !== chosen().dataset.label) take("insert"); else label("insert");
    return;
  }
  if (op === "join_phrases" && picked !== null) { joinPhrases(); return; }
  if (op === "add_secondary") { second.add(); return; }
  send(op);
});

// What was typed stays where it is until the server has answered. ``from``: the form of the editor, or of a choice.
async function send(op, from = form()) {
  if (busy) return;
  busy = true;
  let isOut = false;
  const body = new FormData(from);
  body.set("op", op);
  if (from === form() && op !== "replace") body.delete("text");
  if (op === "join_phrases" && pending === op) body.set("asked", "1");
  const open = Object.fromEntries([...box.querySelectorAll("details")].map((part) => [part.id, part.open]));
  try {
    const answer = await fetch(location.href, { method: "POST", body, headers: { "HX-Request": "true" }, credentials: "same-origin" });
    const text = await answer.text();
    isOut = answer.redirected && text.includes('name="password"');
    if (isOut) throw new Error(gettext("You are signed out."));
    if (!text.includes('id="tree-form"')) throw new Error(fill(gettext("The server answered %(status)s."), { status: answer.status }));
    show(text, open, answer.ok, op);
  } catch (error) {
    say(fill(gettext("Not saved: %(reason)s Try again."), { reason: error.message }));
    $("#tree-state").textContent = fill(gettext("Not saved: %(reason)s What you typed is kept; try again."), { reason: error.message });
  } finally { busy = false; }
  if (isOut && await askSignIn()) await send(op, from);
}

function show(text, open, ok, op) {
  clearTimeout(waiting); // what was typed before a step is not asked about after it
  const held = chosen().dataset.v, above = [], unsent = unsentBrackets(op);
  for (let node = chosen(); node; node = nodeOf(node.dataset.up)) above.push(node.dataset.v);
  box.innerHTML = text;
  for (const part of box.querySelectorAll("details")) part.open = open[part.id] ?? part.open;
  dropPick();
  dress();
  putBack(unsent);
  keepTyped();
  const typed = /** @type {HTMLTextAreaElement | null} */ ($("#text[data-line]"));
  const asked = /** @type {HTMLElement | null} */ ($("#choice button"));
  choose(!ok ? held : op === "view" ? above.find(nodeOf) : form().dataset.at, { focus: !typed && !asked });
  if (asked) asked.focus(); else if (typed) place(typed);
  say($("#choice-why")?.textContent || $("#refused")?.textContent || $("#brought div")?.textContent || box.querySelector(".messages")?.textContent || { undo: gettext("Undone."), redo: gettext("Done again.") }[op] || name(chosen()));
}

// While a label or brackets are typed, the server says what they would break.
let waiting = 0;
box.addEventListener("input", (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  if (input.id === "text") keepTyped();
  if (input.id === "label") offerLabels();
  if (!editable() || arcs() || !["label", "text"].includes(input.id)) return;
  clearTimeout(waiting);
  if (input.value === input.defaultValue || (input.id === "label" && input.value === chosen().dataset.label)) { $("#typed-problems").textContent = ""; return; }
  waiting = setTimeout(() => preview(input, form(), input.id === "text" ? "replace" : pending || "relabel", () => !busy), 350);
});

// whoever comes from the other editor goes on with the word that was chosen there
function wordCameFrom() {
  const [, word] = /^#word-(\d+)$/.exec(location.hash) || [];
  return nodes().filter((node) => node.dataset.word === word).sort((a, b) => b.dataset.v - a.dataset.v)[0];
}

dress();
bringBack();
const came = wordCameFrom();
choose(came ? came.dataset.v : form().dataset.at, { focus: Boolean(came) });
document.documentElement.dataset.editor = "ready";

export {}; // a module: its names are its own
