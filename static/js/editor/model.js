// What is decided about a pair, as plain values. No page here: a step changes the model at
// once, the server's answer replaces it (queue.js).

import { fill, gettext } from "../words.js";

const other = (side) => (side === "s" ? "t" : "s");
export const refOf = (key) => key.slice(2);
export const sideOf = (key) => key[0];
const STATES = {
  undecided: gettext("undecided"), linked: gettext("linked"), null: gettext("null"), suggested: gettext("suggested"),
  parked: gettext("on hold"), trace: gettext("trace"),
};
const KINDS = { sure: gettext("sure"), possible: gettext("possible") };
const OPS = {
  link: gettext("link"), add: gettext("add"), unlink: gettext("unlink"), null: gettext("null"), clear: gettext("clear"),
  kind: gettext("kind"), crossing: gettext("crossing"), accept: gettext("accept"), reject: gettext("reject"),
  ignore: gettext("ignore"), unignore: gettext("unignore"), parse: gettext("parse"), undo: gettext("undo"), redo: gettext("redo"),
  "must-bracket": gettext("must-bracket"), "cannot-bracket": gettext("cannot-bracket"), unbracket: gettext("unbracket"),
};

// what people read for the names of states, of kinds of links and of operations
export const stateName = (state) => STATES[state] ?? state;
export const kindName = (kind) => KINDS[kind] ?? kind;
export const opName = (op) => OPS[op] ?? op;
export const percent = (share) => `${Math.round(100 * share)} %`;
const shortened = (text) => {
  const words = text.split(" ");
  return words.length > 5 ? [...words.slice(0, 2), "…", words.at(-1)].join(" ") : text;
};
// words that run from right to left keep to themselves among others that do not
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
export const isolated = (text) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);
const many = (refs) => refs.map((key) => refOf(key)).join(" ");

/**
 * A node of a tree; ``key`` is its side and ref, such as "s:n5".
 * @typedef {object} Node
 * @property {string} key
 * @property {"s" | "t"} side
 * @property {boolean} empty a trace: it stands over no word
 * @property {string} label
 * @property {string} form
 * @property {number} start
 * @property {number} end
 * @property {number} index preorder number within its side
 * @property {number} depth
 * @property {string} text
 * @property {string} [name]
 * @property {Node | null} [up]
 * @property {Node[]} children
 */

/** @typedef {{ s: string, t: string, kind: string, crossing: boolean, number?: number }} Link */

/**
 * What a person asks for, with nodes by key; ``Model.wire`` is the same as the API takes it.
 * @typedef {object} Step
 * @property {string} op
 * @property {string} [s]
 * @property {string} [t]
 * @property {string[]} [keys]
 * @property {[string, string, string, boolean][]} [links]
 * @property {string} [kind]
 * @property {boolean} [crossing]
 * @property {string} [key]
 * @property {string} [note]
 * @property {string} [layer]
 * @property {string} [side]
 * @property {string} [parse]
 */

export class Model {
  /** @param {any} data trees and a layer, as ``annotator/pages/editor.py`` gives them */
  constructor(data) {
    this.setTrees(data);
    this.load(data.layer);
  }

  setTrees({ trees, suggestions, notes }) {
    /** @type {Map<string, Node>} */
    this.nodes = new Map();
    this.roots = {};
    for (const side of ["s", "t"]) {
      const rows = trees[side].nodes;
      const made = rows.map(([ref, label, form, parent, start, end], i) => ({
        key: `${side}:${ref}`, side, empty: start === end, label, form, parent, start, end, index: i, children: [], depth: 0,
        text: form || trees[side].words.slice(start, end).join(" "),
      }));
      made.forEach((node, i) => {
        node.up = rows[i][3] < 0 ? null : made[rows[i][3]];
        node.depth = node.up ? node.up.depth + 1 : 0;
        node.name = `${node.label} ${isolated(shortened(node.text))}`.trim();
        if (node.up) node.up.children.push(node);
        this.nodes.set(node.key, node);
      });
      this.roots[side] = made.filter((node) => !node.up);
    }
    this.words = { s: trees.s.words, t: trees.t.words };
    this.heads = { s: trees.s.heads, t: trees.t.heads };
    this.suggestions = suggestions || [];
    this.supports = this.grounds = {};
    this.notes = notes || [];
  }

  load(snapshot) {
    const empty = { links: [], null_source: [], null_target: [], parked: [], ignored: {}, rejected: {}, brackets: {}, problems: [],
      revision: 0, state: "open", undo: "", redo: "", code: "", source_parse: "", target_parse: "" };
    this.info = { ...empty, ...(snapshot || {}) };
    /** @type {Link[]} */
    this.links = this.info.links.map(([s, t, kind, crossing]) => ({ s: `s:${s}`, t: `t:${t}`, kind, crossing: !!crossing }));
    this.nulls = new Set([...this.info.null_source.map((r) => `s:${r}`), ...this.info.null_target.map((r) => `t:${r}`)]);
    this.sort();
  }

  // all that the drawing shows of the layer, to see whether it has to be drawn again
  face() {
    const { problems, parked, ignored, rejected, brackets, state, source_parse, target_parse } = this.info;
    const drawn = problems.filter((problem) => problem.rule !== "undecided");
    return JSON.stringify([this.links, [...this.nulls].sort(), drawn, parked, ignored, rejected, brackets, state, source_parse, target_parse]);
  }

  // a copy of what steps change: local undo goes back to it before the server has answered
  mark() { return { links: this.links.map((link) => ({ ...link })), nulls: new Set(this.nulls), rejected: this.info.rejected, brackets: this.info.brackets }; }
  back({ links, nulls, rejected, brackets }) {
    Object.assign(this, { links, nulls });
    Object.assign(this.info, { rejected, brackets });
    this.sort();
  }

  // the aligner's answer: links, the links each rests on, why words are linked
  propose({ links, supports, grounds }) {
    Object.assign(this, { suggestions: links, supports, grounds });
    this.sort();
  }

  sort() {
    const place = (key) => this.nodes.get(key)?.index ?? 1e6;
    this.links.sort((a, b) => place(a.s) - place(b.s) || place(a.t) - place(b.t));
    this.byKey = new Map();
    this.links.forEach((link, i) => {
      link.number = i + 1;
      for (const [mine, theirs] of [[link.s, link.t], [link.t, link.s]]) {
        if (!this.byKey.has(mine)) this.byKey.set(mine, []);
        this.byKey.get(mine).push({ key: theirs, link });
      }
    });
    this.offers = new Map();
    const rejected = new Set(this.rejectedCells());
    for (const [s, t, kind, crossing, share] of this.suggestions) {
      const [a, b] = [`s:${s}`, `t:${t}`];
      if (this.isDecided(a) || this.isDecided(b) || rejected.has(this.cell(a, b))) continue;
      this.offers.set(a, { key: b, kind, crossing, share });
      this.offers.set(b, { key: a, kind, crossing, share });
    }
    const rows = [...this.offers].filter(([key]) => key[0] === "s").map(([s, offer]) => ({ s, t: offer.key, ...offer }));
    this.offered = rows.sort((a, b) => (b.share ?? 1) - (a.share ?? 1)); // the surest first
    this.parked = this.parkedRefs();
  }

  // rejections of suggestions hold in any tree: by words, "3-5 2-6"
  rejectedCells() { return Object.keys(this.info.rejected).filter((key) => key.startsWith("proposal ")).map((key) => key.slice(9)); }
  place(key) { const node = this.nodes.get(key); return node ? `${node.start}-${node.end}` : ""; }
  cell(s, t) { return `${this.place(s)} ${this.place(t)}`; }
  bracket(key) { return this.info.brackets[`${sideOf(key)} ${this.place(key)}`]; }

  // the node that speaks for a unary chain: its top, or the word where there is one
  top(key) {
    let node = this.nodes.get(key);
    if (node.end - node.start === 1 && !node.empty) return `${node.side}:w${node.start}`;
    while (node.up && node.up.start === node.start && node.up.end === node.end) node = node.up;
    return node.key;
  }

  // the links a link rests on, down to the words: [{s, t, depth, ground}], itself first
  chain(s, t, depth = 0) {
    const name = `${refOf(this.top(s))} ${refOf(this.top(t))}`, below = this.supports[name];
    if (!below) return [];
    const rows = below.flatMap((cell) => { const [a, b] = cell.split(" "); return this.chain(`s:${a}`, `t:${b}`, depth + 1); });
    return [{ s: this.top(s), t: this.top(t), depth, leaf: !below.length, ground: this.grounds[name] || "" }, ...rows];
  }

  // how sure the aligner is of a pair it proposes
  shareOf(s, t) { return this.suggestions.find((row) => row[0] === refOf(s) && row[1] === refOf(t))?.[4] ?? null; }

  partners(key) { return this.byKey.get(key) || []; }
  counterparts(key) { const offer = this.offers.get(key); return [...this.partners(key).map((partner) => partner.key), ...(offer ? [offer.key] : [])]; }
  isDecided(key) { return this.byKey.has(key) || this.nulls.has(key); }
  find(s, t) { return this.links.find((link) => link.s === s && link.t === t); }

  state(key) {
    if (this.byKey.has(key)) return "linked";
    if (this.nulls.has(key)) return "null";
    if (this.parked.has(key)) return "parked";
    if (this.offers.has(key)) return "suggested";
    return this.nodes.get(key)?.empty ? "trace" : "undecided";
  }

  parkedRefs() {
    const refs = new Set();
    for (const row of this.info.parked) for (const end of ["s", "t"]) if (typeof row[end] === "string") refs.add(`${end}:${row[end]}`);
    return refs;
  }

  // the numbers of its links, or the first and a star: a node has room for three signs, as
  // in annotator/svg/links.py
  sign(key) {
    const numbers = this.partners(key).map(({ link }) => link.number), every = numbers.join(",");
    if (numbers.length) return every.length <= 3 ? every : `${numbers[0]}*`;
    return { null: "∅", suggested: "?" }[this.state(key)] || "";
  }

  name(key) {
    return this.nodes.get(key)?.name ?? gettext("a phrase of another tree");
  }

  // the name for screen readers: "NP, a cigarette, words 6 to 7, linked to NP a smoke"
  fullName(key) {
    const node = this.nodes.get(key);
    const span = node.empty ? gettext("no word") : node.end - node.start > 1 ? fill(gettext("words %(first)s to %(last)s"), { first: node.start + 1, last: node.end }) : fill(gettext("word %(n)s"), { n: node.start + 1 });
    const state = this.state(key);
    let said = stateName(state);
    if (state === "linked") {
      const names = this.partners(key).map(({ key: k, link }) => (link.kind === "possible" ? fill(gettext("%(name)s, possible"), { name: this.name(k) }) : this.name(k)));
      said = fill(gettext("linked to %(names)s"), { names: names.join(gettext(" and ")) });
    }
    if (state === "null") said = gettext("no counterpart");
    if (state === "suggested") { const { key: to, share, crossing } = this.offers.get(key); said = [fill(gettext("suggested: %(name)s"), { name: this.name(to) }), crossing ? gettext("crossing") : "", share === null ? "" : percent(share)].filter(Boolean).join(", "); }
    const kept = { "must-bracket": gettext("kept as a phrase"), "cannot-bracket": gettext("ruled out as a phrase") }[node.children.length && this.bracket(key)];
    return [node.label, node.text, span, said, kept].filter(Boolean).join(", ");
  }

  below(key) {
    const found = [], walk = (node) => { found.push(node.key); node.children.forEach(walk); };
    walk(this.nodes.get(key));
    return found;
  }

  // the nodes below a node and its partners, and those on their paths to the roots
  around(key) {
    const ends = (key ? [key, ...this.counterparts(key)] : []).filter((each) => this.nodes.has(each)), trail = new Set();
    for (const each of ends) for (let node = this.nodes.get(each); node; node = node.up) trail.add(node.key);
    return { inside: new Set(ends.flatMap((each) => this.below(each))), trail };
  }

  // nodes in the order of next/previous: source in preorder, then target
  get order() { return [...this.nodes.keys()]; }
  // a trace can be decided about, but nobody has to
  undecided(keys = this.order) { return keys.filter((key) => !this.isDecided(key) && !this.nodes.get(key).empty); }

  /**
   * The node of the other tree at the same relative place: a partner, else by span.
   * @param {string} key @param {(key: string) => boolean} [drawn] @returns {string | null}
   */
  across(key, drawn = () => true) {
    const partner = this.partners(key)[0]?.key || this.offers.get(key)?.key;
    if (partner && this.nodes.has(partner) && drawn(partner)) return partner;
    const node = this.nodes.get(key), side = other(node.side);
    const scale = this.words[side].length / Math.max(1, this.words[node.side].length);
    const middle = ((node.start + node.end) / 2) * scale, length = (node.end - node.start) * scale;
    let best = null, least = Infinity;
    for (const candidate of this.nodes.values()) {
      if (candidate.side !== side || !drawn(candidate.key)) continue;
      const far = Math.abs((candidate.start + candidate.end) / 2 - middle) * 2 + Math.abs(candidate.end - candidate.start - length)
        + (candidate.children.length > 0 !== node.children.length > 0 ? 0.5 : 0);
      if (far < least) [best, least] = [candidate.key, far];
    }
    return best;
  }

  drop(keys) {
    const gone = new Set(keys);
    this.links = this.links.filter((link) => !gone.has(link.s) && !gone.has(link.t));
    for (const key of gone) this.nulls.delete(key);
  }

  // Plays a step that needs no server to be shown; false if it does.
  play(step) {
    const keys = step.keys || [];
    if (step.op === "link" || step.op === "add") {
      if (step.op === "link") this.drop([step.s, step.t]);
      this.nulls.delete(step.s); this.nulls.delete(step.t);
      this.links = this.links.filter((link) => link.s !== step.s || link.t !== step.t);
      this.links.push({ s: step.s, t: step.t, kind: step.kind || "sure", crossing: !!step.crossing });
    } else if (step.op === "unlink") {
      this.links = this.links.filter((link) => link.s !== step.s || link.t !== step.t);
    } else if (step.op === "null") {
      this.drop(keys); keys.forEach((key) => this.nulls.add(key));
    } else if (step.op === "clear") {
      this.drop(keys);
    } else if (step.op === "kind") {
      Object.assign(this.find(step.s, step.t) || {}, { kind: step.kind });
    } else if (step.op === "crossing") {
      Object.assign(this.find(step.s, step.t) || {}, { crossing: step.crossing });
    } else if (step.op === "accept") {
      for (const [s, t, kind, crossing] of step.links) {
        if (this.links.some((link) => link.s === s || link.t === t) || this.nulls.has(s) || this.nulls.has(t)) continue;
        this.links.push({ s, t, kind, crossing: !!crossing });
      }
    } else if (step.op === "reject" && step.layer === "proposal") {
      this.info.rejected = { ...this.info.rejected, [`proposal ${this.cell(step.s, step.t)}`]: step.note };
    } else if (step.op.endsWith("bracket")) {
      const { [`${step.side} ${step.key}`]: _, ...rest } = this.info.brackets;
      this.info.brackets = step.op === "unbracket" ? rest : { ...rest, [`${step.side} ${step.key}`]: step.op };
    } else return false;
    this.sort();
    return true;
  }

  /** The step as the API takes it. @param {Step} step */
  static wire(step) {
    const sent = { op: step.op };
    for (const name of ["kind", "crossing", "key", "note", "layer", "side", "parse"]) if (step[name] !== undefined) sent[name] = step[name];
    if (step.s) sent.s = refOf(step.s);
    if (step.t) sent.t = refOf(step.t);
    if (step.keys) {
      sent.s = many(step.keys.filter((key) => sideOf(key) === "s"));
      sent.t = many(step.keys.filter((key) => sideOf(key) === "t"));
    }
    if (step.links) sent.links = step.links.map(([s, t, kind, crossing]) => [refOf(s), refOf(t), kind, ...(crossing ? ["crossing"] : [])]);
    return sent;
  }

  // the nodes a step decides about, to see whether two people decided about the same
  static touched(step) {
    return new Set([step.s, step.t, ...(step.keys || []), ...(step.links || []).flat().filter((x) => /^[st]:/.test(x))].filter(Boolean));
  }

  static touchedByEvent(event) {
    const keys = new Set();
    for (const part of [event.before, event.after]) {
      for (const row of Object.values(part.links || {})) { keys.add(`s:${row.s}`); keys.add(`t:${row.t}`); }
      for (const ref of Object.keys(part.null_source || {})) keys.add(`s:${ref}`);
      for (const ref of Object.keys(part.null_target || {})) keys.add(`t:${ref}`);
    }
    return keys;
  }
}
