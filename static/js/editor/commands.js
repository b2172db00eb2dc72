// Every command once: its keys, its words, what it does. Keys, menu and help read this list.

import { ask, showKeys } from "./dialogs.js";

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "canvas" | "comparison" | "drop" | "fold" | "go" | "isFolded" | "makeNull" | "model" | "nextPair" |
 *   "nextProblem" | "nextView" | "otherTree" | "pickOrLink" | "proposals" | "redo" | "say" | "step" |
 *   "takeTree" | "threshold" | "toggleDone" | "toggleTable" | "turnAround" | "undo" | "view" | "why" |
 *   "writable">} CommandHost
 */

/**
 * @typedef {object} Command
 * @property {string} id
 * @property {string} label
 * @property {string[]} [keys]
 * @property {boolean} [menu] whether the menu of a node has it
 * @property {boolean} [edit] whether it changes the layer
 * @property {(editor: CommandHost, key: string) => boolean} [when]
 * @property {(editor: CommandHost, key: string) => unknown} run
 */

/** @type {Command[]} */
export const COMMANDS = [
  { id: "up", keys: ["ArrowUp"], label: "Mother", run: (e, key) => e.go(arcs(e) ? head(e, key) : e.model.nodes.get(key).up?.key) },
  { id: "down", keys: ["ArrowDown"], label: "First daughter", run: (e, key) => (e.isFolded(key) ? e.fold(key) : e.go(arcs(e) ? dependent(e, key) : e.model.nodes.get(key).children[0]?.key)) },
  { id: "left", keys: ["ArrowLeft"], label: "Sister before", run: (e, key) => e.go(sister(e, key, -1)) },
  { id: "right", keys: ["ArrowRight"], label: "Sister after", run: (e, key) => e.go(sister(e, key, 1)) },
  { id: "across", keys: ["x"], label: "To the other tree", run: (e, key) => e.go(e.model.across(key, (each) => e.canvas.seen(each) === each)) },
  { id: "pick", keys: ["Space"], menu: true, edit: true, label: "Pick, or link with the picked", run: (e, key) => e.pickOrLink(key) },
  { id: "pick-too", keys: ["Shift+Space"], menu: true, edit: true, label: "Link beside other links", run: (e, key) => e.pickOrLink(key, true) },
  { id: "partner", keys: ["Enter"], menu: true, label: "Go to the partner", run: (e, key) => toPartner(e, key) },
  { id: "null", keys: ["0"], menu: true, edit: true, label: "No counterpart (∅)", run: (e, key) => e.makeNull([key]) },
  { id: "null-below", keys: ["Shift+0"], menu: true, edit: true, label: "∅ for the undecided rest below", run: nullBelow },
  { id: "clear", keys: ["Delete", "Backspace"], menu: true, edit: true, label: "Unlink: back to undecided", run: (e, key) => clear(e, key) },
  { id: "sure", keys: ["1"], menu: true, edit: true, label: "Sure link", run: (e, key) => kind(e, key, "sure") },
  { id: "possible", keys: ["2"], menu: true, edit: true, label: "Possible link", run: (e, key) => kind(e, key, "possible") },
  { id: "crossing", keys: ["c"], menu: true, edit: true, label: "Crossing (non-compositional), or not", run: (e, key) => crossing(e, key) },
  { id: "accept", keys: ["a"], menu: true, edit: true, label: "Accept the suggestion", run: (e, key) => acceptOne(e, key) },
  { id: "accept-below", keys: ["Shift+A"], menu: true, edit: true, label: "Accept the sure suggestions from here down", run: acceptBelow },
  { id: "reject", keys: ["r"], menu: true, edit: true, label: "Reject the suggestion", run: rejectOne },
  { id: "why", keys: ["w"], menu: true, label: "Why this link?", run: (e, key) => e.why(key) },
  { id: "keep", menu: true, edit: true, when: isPhrase, label: "A phrase in any tree", run: (e, key) => bracket(e, key, "must-bracket") },
  { id: "rule-out", menu: true, edit: true, when: isPhrase, label: "No phrase: look for another tree", run: (e, key) => bracket(e, key, "cannot-bracket") },
  { id: "keep-from", menu: true, edit: true, when: (e, key) => e.canvas.picked?.[0] === key[0], label: "One phrase, from the picked to here", run: bracketFrom },
  { id: "unbracket", menu: true, edit: true, when: (e, key) => !!e.model.bracket(key), label: "Take back what was said of this phrase", run: (e, key) => bracket(e, key, "unbracket") },
  { id: "next", keys: ["n"], label: "Next undecided", run: (e, key) => undecided(e, key, 1) },
  { id: "previous", keys: ["p"], label: "Previous undecided", run: (e, key) => undecided(e, key, -1) },
  { id: "problem", keys: ["e"], label: "Next problem", run: (e) => e.nextProblem() },
  { id: "better", keys: ["b"], edit: true, label: "Use the tree the aligner prefers", run: (e) => e.takeTree() },
  { id: "suggest", keys: ["s"], label: "Suggestions, or none", run: (e) => e.proposals.toggle() },
  { id: "tree-before", keys: [","], edit: true, label: "Previous tree of this sentence", run: (e, key) => e.otherTree(key[0], -1) },
  { id: "tree-after", keys: ["."], edit: true, label: "Next tree of this sentence", run: (e, key) => e.otherTree(key[0], 1) },
  { id: "fold", keys: ["f"], menu: true, label: "Fold or unfold (also double-click)", run: (e, key) => e.fold(key) },
  { id: "overlay", keys: ["o"], label: "Compare with other layers", run: (e) => e.comparison.toggle() },
  { id: "view", keys: ["v"], label: "Trees, arcs, both", run: (e) => e.nextView() },
  { id: "table", keys: ["t"], label: "Table", run: (e) => e.toggleTable() },
  { id: "undo", keys: ["Ctrl+Z"], edit: true, label: "Undo", run: (e) => e.undo() },
  { id: "redo", keys: ["Ctrl+Shift+Z", "Ctrl+Y"], edit: true, label: "Redo", run: (e) => e.redo() },
  { id: "drop", keys: ["Escape"], label: "Drop the pick", run: (e) => e.drop() },
  { id: "zoom-in", keys: ["+"], label: "Zoom in", run: (e) => e.canvas.setZoom(e.canvas.zoom * 1.2) },
  { id: "zoom-out", keys: ["-"], label: "Zoom out", run: (e) => e.canvas.setZoom(e.canvas.zoom / 1.2) },
  { id: "fit", keys: ["="], label: "Fit", run: (e) => e.canvas.fit() },
  { id: "help", keys: ["?"], label: "These keys", run: () => showKeys(COMMANDS) },
  { id: "turn", label: "Trees left and right", run: (e) => e.turnAround() },
  { id: "done", keys: ["d"], label: "Done, or open again", run: (e) => e.toggleDone() },
  { id: "next-pair", keys: ["Shift+N"], label: "Next pair that needs you", run: (e) => e.nextPair() },
];
const BY_ID = new Map(COMMANDS.map((command) => [command.id, command]));
const BY_KEY = new Map(COMMANDS.flatMap((command) => (command.keys || []).map((key) => [key, command])));
const PLAIN = new Set([",", ".", "+", "-", "=", "?"]); // typed with or without Shift

export const command = (id) => BY_ID.get(id);
export const menuFor = (editor, key) => COMMANDS.filter((each) => each.menu && (editor.writable || !each.edit) && (each.when?.(editor, key) ?? true));

export function commandOf(event) {
  if (event.altKey) return null;
  const shift = event.shiftKey ? "Shift+" : "";
  if (event.ctrlKey || event.metaKey) return BY_KEY.get("Ctrl+" + shift + event.key.toUpperCase());
  if (PLAIN.has(event.key)) return BY_KEY.get(event.key);
  if (/^(Digit|Numpad)[0-9]$/.test(event.code)) return BY_KEY.get(shift + event.code.at(-1));
  const name = event.key === " " ? "Space" : event.key.length === 1 ? (event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase()) : event.key;
  return BY_KEY.get(shift + name);
}

// in the view of arcs, the mother is the head and sisters are the words beside
const arcs = (e) => e.view === "dependency";
const word = (key) => Number(key.slice(3));
const head = (e, key) => { const h = e.model.heads[key[0]][word(key)]; return h >= 0 ? `${key[0]}:w${h}` : null; };
const dependent = (e, key) => { const m = e.model.heads[key[0]].indexOf(word(key)); return m >= 0 ? `${key[0]}:w${m}` : null; };

function sister(e, key, by) {
  if (arcs(e)) return `${key[0]}:w${word(key) + by}`;
  const node = e.model.nodes.get(key);
  const row = node.up ? node.up.children : e.model.roots[node.side];
  return row[row.indexOf(node) + by]?.key;
}

function toPartner(e, key) {
  const partners = e.model.partners(key);
  if (!partners.length) return e.say(`${e.model.name(key)} has no partner.`);
  return e.go(partners[0].key);
}

async function nullBelow(e, key) {
  const open = e.model.undecided(e.model.below(key));
  if (!open.length) return e.say("Nothing undecided here.");
  const sure = await ask({ title: `Null for ${open.length} undecided?`, text: `${e.model.name(key)}: ${open.length} nodes get ∅ in one step.`, yes: `∅ for ${open.length}` });
  const left = sure ? e.model.undecided(open) : []; // something may have been decided since
  if (left.length) e.makeNull(left);
}

function clear(e, key) {
  if (!e.model.isDecided(key)) return e.say("It is undecided already.");
  e.step({ op: "clear", keys: [key] });
  return e.say(`${e.model.name(key)} is undecided.`);
}

function linkAt(e, key) {
  const link = e.model.partners(key)[0]?.link;
  if (!link) e.say(`${e.model.name(key)} is not linked.`);
  return link;
}

function kind(e, key, wanted) {
  const link = linkAt(e, key);
  if (!link || link.kind === wanted) return;
  e.step({ op: "kind", s: link.s, t: link.t, kind: wanted });
  e.say(`${wanted} link.`);
}

function crossing(e, key) {
  const link = linkAt(e, key);
  if (!link) return;
  e.step({ op: "crossing", s: link.s, t: link.t, crossing: !link.crossing });
  e.say(e.model.find(link.s, link.t).crossing ? "Marked as crossing." : "Not crossing.");
}

const offerRow = (key, offer) => [...(key[0] === "s" ? [key, offer.key] : [offer.key, key]), offer.kind, offer.crossing];

function acceptOne(e, key) {
  const offer = e.model.offers.get(key);
  if (!offer) return e.say(e.model.suggestions.length ? "No suggestion here." : "There are no suggestions for this pair.");
  e.step({ op: "accept", links: [offerRow(key, offer)] });
  return e.say(`Accepted: ${e.model.name(key)} = ${e.model.name(offer.key)}.`);
}

function rejectOne(e, key) {
  const offer = e.model.offers.get(key);
  if (!offer) return e.say("No suggestion here.");
  const [s, t] = offerRow(key, offer);
  e.step({ op: "reject", s, t, layer: "proposal", note: "" });
  return e.say(`Rejected: ${e.model.name(key)} = ${e.model.name(offer.key)}.`);
}

function isPhrase(e, key) { const { start, end } = e.model.nodes.get(key); return end - start > 1; }

function bracket(e, key, op) {
  e.step({ op, side: key[0], key: e.model.place(key) });
  const said = { "must-bracket": "is kept as a phrase", "cannot-bracket": "is ruled out as a phrase", unbracket: "is left to the parser" }[op];
  e.say(`${e.model.name(key)} ${said}.`);
}

function bracketFrom(e, key) {
  const [a, b] = [e.canvas.picked, key].map((each) => e.model.nodes.get(each));
  e.canvas.picked = null;
  e.step({ op: "must-bracket", side: key[0], key: `${Math.min(a.start, b.start)}-${Math.max(a.end, b.end)}` });
  e.say("These words are kept as one phrase.");
}

async function acceptBelow(e, key) {
  const rows = e.model.below(key).map((each) => [each, e.model.offers.get(each)])
    .filter(([, offer]) => offer && (offer.share === null || offer.share >= e.threshold)).map(([each, offer]) => offerRow(each, offer));
  if (!rows.length) return e.say("No suggestion here is sure enough.");
  const what = rows.length === 1 ? "one suggestion" : `${rows.length} suggestions`;
  const sure = await ask({ title: `Accept ${what}?`, text: "One step: one undo takes all of it back.", yes: `Accept ${what}` });
  if (sure) e.step({ op: "accept", links: rows });
  return undefined;
}

function undecided(e, key, by) {
  const order = e.model.order, at = order.indexOf(key);
  for (let i = 1; i <= order.length; i++) {
    const next = order[(at + by * i + order.length * 2) % order.length];
    if (e.model.undecided([next]).length && e.canvas.seen(next)) return e.go(next);
  }
  return e.say("Everything is decided.");
}
