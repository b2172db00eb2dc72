// Every command once: its keys, its words, what it does. Keys, menu and help read this list.

import { ask, showKeys } from "./dialogs.js";
import { fill, gettext, ngettext } from "../words.js";

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "canvas" | "comparison" | "drop" | "go" | "makeNull" | "model" | "nextPair" | "problems" | "otherTree" |
 *   "outline" | "panes" | "pickOrLink" | "proposals" | "redo" | "say" | "showing" | "stage" | "step" |
 *   "better" | "threshold" | "toggleDone" | "toggleOutline" | "toggleTable" | "undo" |
 *   "why" | "writable">} CommandHost
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
  { id: "up", keys: ["ArrowUp"], label: gettext("Parent; in the outline, the previous row"), run: (e, key) => walk(e, key, "up") },
  { id: "down", keys: ["ArrowDown"], label: gettext("First child; in the outline, the next row"), run: (e, key) => walk(e, key, "down") },
  { id: "left", keys: ["ArrowLeft"], label: gettext("Previous sibling; in the outline: collapse, or parent"), run: (e, key) => walk(e, key, "left") },
  { id: "right", keys: ["ArrowRight"], label: gettext("Next sibling; in the outline: expand, or first child"), run: (e, key) => walk(e, key, "right") },
  { id: "across", keys: ["x"], label: gettext("To the other tree"), run: (e, key) => e.go(e.model.across(key, (each) => e.stage.seen(each) === each)) },
  { id: "pick", keys: ["Space"], menu: true, edit: true, label: gettext("Pick, or link with the picked"), run: (e, key) => e.pickOrLink(key) },
  { id: "pick-too", keys: ["Shift+Space"], menu: true, edit: true, label: gettext("Link beside other links"), run: (e, key) => e.pickOrLink(key, true) },
  { id: "partner", keys: ["Enter"], menu: true, label: gettext("Go to the partner"), run: (e, key) => toPartner(e, key) },
  { id: "null", keys: ["0"], menu: true, edit: true, label: gettext("No counterpart (∅)"), run: (e, key) => e.makeNull([key]) },
  { id: "null-below", keys: ["Shift+0"], menu: true, edit: true, label: gettext("∅ for the undecided rest below"), run: nullBelow },
  { id: "clear", keys: ["Delete", "Backspace"], menu: true, edit: true, label: gettext("Unlink: back to undecided"), run: (e, key) => clear(e, key) },
  { id: "sure", keys: ["1"], menu: true, edit: true, label: gettext("Sure link"), run: (e, key) => kind(e, key, "sure") },
  { id: "possible", keys: ["2"], menu: true, edit: true, label: gettext("Possible link"), run: (e, key) => kind(e, key, "possible") },
  { id: "crossing", keys: ["c"], menu: true, edit: true, label: gettext("Crossing (non-compositional), or not"), run: (e, key) => crossing(e, key) },
  { id: "accept", keys: ["a"], menu: true, edit: true, label: gettext("Accept the suggestion"), run: (e, key) => acceptOne(e, key) },
  { id: "accept-below", keys: ["Shift+A"], menu: true, edit: true, label: gettext("Accept the sure suggestions from here down"), run: acceptBelow },
  { id: "reject", keys: ["r"], menu: true, edit: true, label: gettext("Reject the suggestion"), run: rejectOne },
  { id: "why", keys: ["w"], menu: true, label: gettext("Why this link?"), run: (e, key) => e.why(key) },
  { id: "keep", menu: true, edit: true, when: isPhrase, label: gettext("A phrase in any tree"), run: (e, key) => bracket(e, key, "must-bracket") },
  { id: "rule-out", menu: true, edit: true, when: isPhrase, label: gettext("No phrase: look for another tree"), run: (e, key) => bracket(e, key, "cannot-bracket") },
  { id: "keep-from", menu: true, edit: true, when: (e, key) => e.canvas.picked?.[0] === key[0], label: gettext("One phrase, from the picked to here"), run: bracketFrom },
  { id: "unbracket", menu: true, edit: true, when: (e, key) => !!e.model.bracket(key), label: gettext("Undo what was said of this phrase"), run: (e, key) => bracket(e, key, "unbracket") },
  { id: "next", keys: ["n"], label: gettext("Next undecided"), run: (e, key) => undecided(e, key, 1) },
  { id: "previous", keys: ["p"], label: gettext("Previous undecided"), run: (e, key) => undecided(e, key, -1) },
  { id: "problem", keys: ["e"], label: gettext("Next problem"), run: (e) => e.problems.next() },
  { id: "better", keys: ["b"], edit: true, label: gettext("Use the tree the aligner prefers"), run: (e) => e.better.take() },
  { id: "suggest", keys: ["s"], label: gettext("Suggestions, or none"), run: (e) => e.proposals.toggle() },
  { id: "tree-before", keys: [","], edit: true, label: gettext("Previous tree of this sentence"), run: (e, key) => e.otherTree(key[0], -1) },
  { id: "tree-after", keys: ["."], edit: true, label: gettext("Next tree of this sentence"), run: (e, key) => e.otherTree(key[0], 1) },
  { id: "fold", keys: ["f"], menu: true, label: gettext("Fold or unfold (also double-click)"), run: (e, key) => e.showing.fold(key) },
  { id: "fold-agreed", keys: ["Shift+F"], label: gettext("Fold everything that both sides agree on, or unfold it"), run: (e) => e.showing.foldAgreed() },
  { id: "overlay", keys: ["o"], label: gettext("Compare with other layers"), run: (e) => e.comparison.toggle() },
  { id: "view", keys: ["v"], label: gettext("Trees, arcs, both"), run: (e) => e.showing.next() },
  { id: "outline", keys: ["l"], label: gettext("Outline: two indented trees"), run: (e) => e.toggleOutline() },
  { id: "alone", keys: ["i"], menu: true, label: gettext("Only this phrase, its partner and their paths"), run: (e) => e.showing.toggleAlone() },
  { id: "links", keys: ["k"], label: gettext("Links of phrases, of words, or of both"), run: (e) => e.showing.nextLinks() },
  { id: "pane-sentences", keys: ["h"], label: gettext("Both sentences above, or not"), run: (e) => e.panes.toggle("sentences") },
  { id: "pane-details", keys: ["g"], label: gettext("Details beside, or not"), run: (e) => e.panes.toggle("details") },
  { id: "pane-map", keys: ["m"], label: gettext("Overview above, or not"), run: (e) => e.panes.toggle("map") },
  { id: "pane-full", keys: ["z"], label: gettext("Full screen"), run: (e) => e.panes.full() },
  { id: "table", keys: ["t"], label: gettext("Table"), run: (e) => e.toggleTable() },
  { id: "undo", keys: ["Ctrl+Z"], edit: true, label: gettext("Undo"), run: (e) => e.undo() },
  { id: "redo", keys: ["Ctrl+Shift+Z", "Ctrl+Y"], edit: true, label: gettext("Redo"), run: (e) => e.redo() },
  { id: "drop", keys: ["Escape"], label: gettext("Drop the pick"), run: (e) => e.drop() },
  { id: "zoom-in", keys: ["+"], label: gettext("Zoom in"), run: (e) => e.canvas.setZoom(e.canvas.zoom * 1.2) },
  { id: "zoom-out", keys: ["-"], label: gettext("Zoom out"), run: (e) => e.canvas.setZoom(e.canvas.zoom / 1.2) },
  { id: "fit", keys: ["="], label: gettext("Fit"), run: (e) => e.canvas.fit() },
  { id: "help", keys: ["?"], label: gettext("These keys"), run: () => showKeys(COMMANDS) },
  { id: "turn", label: gettext("Trees left and right"), run: (e) => e.showing.turn() },
  { id: "done", keys: ["d"], label: gettext("Done, or open again"), run: (e) => e.toggleDone() },
  { id: "next-pair", keys: ["Shift+N"], label: gettext("Next pair that needs you"), run: (e) => e.nextPair() },
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

// in the view of arcs, the parent is the head and siblings are the words beside
const arcs = (e) => e.showing.view === "dependency";
const word = (key) => Number(key.slice(3));
const head = (e, key) => { const h = e.model.heads[key[0]][word(key)]; return h >= 0 ? `${key[0]}:w${h}` : null; };
const dependent = (e, key) => { const m = e.model.heads[key[0]].indexOf(word(key)); return m >= 0 ? `${key[0]}:w${m}` : null; };

function walk(e, key, way) {
  if (e.outline.on) {
    const { key: to, fold } = e.outline.arrow(way, key);
    return fold ? e.showing.fold(fold) : e.go(to);
  }
  if (way === "up") return e.go(arcs(e) ? head(e, key) : e.model.nodes.get(key).up?.key);
  if (way !== "down") return e.go(sibling(e, key, way === "left" ? -1 : 1));
  if (e.showing.isFolded(key)) return e.showing.fold(key);
  return e.go(arcs(e) ? dependent(e, key) : e.model.nodes.get(key).children[0]?.key);
}

function sibling(e, key, by) {
  if (arcs(e)) return `${key[0]}:w${word(key) + by}`;
  const node = e.model.nodes.get(key);
  const row = node.up ? node.up.children : e.model.roots[node.side];
  return row[row.indexOf(node) + by]?.key;
}

function toPartner(e, key) {
  const partners = e.model.partners(key);
  if (!partners.length) return e.say(fill(gettext("%(name)s has no partner."), { name: e.model.name(key) }));
  return e.go(partners[0].key);
}

async function nullBelow(e, key) {
  const open = e.model.undecided(e.model.below(key));
  if (!open.length) return e.say(gettext("Nothing undecided here."));
  const sure = await ask({ 
    title: fill(gettext("Null for %(n)s undecided?"), { n: open.length }), yes: fill(gettext("∅ for %(n)s"), { n: open.length }),
    text: fill(ngettext("%(name)s: %(n)s node gets ∅.", "%(name)s: %(n)s nodes get ∅ in one step.", open.length), { name: e.model.name(key), n: open.length }) });
  const left = sure ? e.model.undecided(open) : []; // something may have been decided since
  if (left.length) e.makeNull(left);
}

function clear(e, key) {
  if (!e.model.isDecided(key)) return e.say(gettext("It is undecided already."));
  e.step({ op: "clear", keys: [key] });
  return e.say(fill(gettext("%(name)s is undecided."), { name: e.model.name(key) }));
}

function linkAt(e, key) {
  const link = e.model.partners(key)[0]?.link;
  if (!link) e.say(fill(gettext("%(name)s is not linked."), { name: e.model.name(key) }));
  return link;
}

function kind(e, key, wanted) {
  const link = linkAt(e, key);
  if (!link || link.kind === wanted) return;
  e.step({ op: "kind", s: link.s, t: link.t, kind: wanted });
  e.say(wanted === "sure" ? gettext("sure link.") : gettext("possible link."));
}

function crossing(e, key) {
  const link = linkAt(e, key);
  if (!link) return;
  e.step({ op: "crossing", s: link.s, t: link.t, crossing: !link.crossing });
  e.say(e.model.find(link.s, link.t).crossing ? gettext("Marked as crossing.") : gettext("Not crossing."));
}

const offerRow = (key, offer) => [...(key[0] === "s" ? [key, offer.key] : [offer.key, key]), offer.kind, offer.crossing];

function acceptOne(e, key) {
  const offer = e.model.offers.get(key);
  if (!offer) return e.say(e.model.suggestions.length ? gettext("No suggestion here.") : gettext("There are no suggestions for this pair."));
  e.step({ op: "accept", links: [offerRow(key, offer)] });
  return e.say(fill(gettext("Accepted: %(a)s = %(b)s."), { a: e.model.name(key), b: e.model.name(offer.key) }));
}

function rejectOne(e, key) {
  const offer = e.model.offers.get(key);
  if (!offer) return e.say(gettext("No suggestion here."));
  const [s, t] = offerRow(key, offer);
  e.step({ op: "reject", s, t, layer: "proposal", note: "" });
  return e.say(fill(gettext("Rejected: %(a)s = %(b)s."), { a: e.model.name(key), b: e.model.name(offer.key) }));
}

function isPhrase(e, key) { const { start, end } = e.model.nodes.get(key); return end - start > 1; }

function bracket(e, key, op) {
  e.step({ op, side: key[0], key: e.model.place(key) });
  const said = { "must-bracket": gettext("%(name)s is kept as a phrase."), "cannot-bracket": gettext("%(name)s is ruled out as a phrase."), unbracket: gettext("%(name)s is left to the parser.") }[op];
  e.say(fill(said, { name: e.model.name(key) }));
}

function bracketFrom(e, key) {
  const [a, b] = [e.canvas.picked, key].map((each) => e.model.nodes.get(each));
  e.canvas.picked = null;
  e.step({ op: "must-bracket", side: key[0], key: `${Math.min(a.start, b.start)}-${Math.max(a.end, b.end)}` });
  e.say(gettext("These words are kept as one phrase."));
}

async function acceptBelow(e, key) {
  const rows = e.model.below(key).map((each) => [each, e.model.offers.get(each)])
    .filter(([, offer]) => offer && (offer.share === null || offer.share >= e.threshold)).map(([each, offer]) => offerRow(each, offer));
  if (!rows.length) return e.say(gettext("No suggestion here is sure enough."));
  const n = rows.length;
  const sure = await ask({ title: fill(ngettext("Accept one suggestion?", "Accept %(n)s suggestions?", n), { n }), text: gettext("One step: one undo takes all of it back."), yes: fill(ngettext("Accept one suggestion", "Accept %(n)s suggestions", n), { n }) });
  if (sure) e.step({ op: "accept", links: rows });
  return undefined;
}

function undecided(e, key, by) {
  const order = e.model.order, at = order.indexOf(key);
  for (let i = 1; i <= order.length; i++) {
    const next = order[(at + by * i + order.length * 2) % order.length];
    if (e.model.undecided([next]).length && e.stage.seen(next)) return e.go(next);
  }
  return e.say(gettext("Everything is decided."));
}
