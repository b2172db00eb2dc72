// The aligned-trees editor: wires the model, the drawing, the rail, the table and the queue.

import { BetterTrees } from "./better.js";
import { Canvas } from "./canvas.js";
import { COMMANDS, command } from "./commands.js";
import { Comparison } from "./comparing.js";
import { Input } from "./input.js";
import { Model } from "./model.js";
import { Outline } from "./outline.js";
import { Overview } from "./overview.js";
import { Panes } from "./panes.js";
import { Problems } from "./problems.js";
import { Proposals } from "./proposals.js";
import { Queue, Turn, call } from "./queue.js";
import { Rail } from "./rail.js";
import { Saving } from "./saving.js";
import { Showing } from "./showing.js";
import { Table } from "./table.js";
import { askSignIn } from "../signing.js";
import { fill, gettext, ngettext } from "../words.js";

const $ = (id) => document.getElementById(id);
const SMALL = matchMedia("(max-width: 48rem)"), MANY = 40; // words of both sides: above, a small screen opens the outline

export class Editor {
  /** @param {any} data what the page starts from: ``annotator/pages/editor.py`` */
  constructor(data) {
    this.data = data;
    this.news = ""; // the line that stays until the next step
    this.withdrawn = false;
    /** @type {{ s: string, t: string } | null} */
    this.explained = null;
    /** @type {string | undefined} */
    this.last = undefined;
    /** @type {Promise<void> | undefined} where the page came without a drawing, it is asked for */
    this.firstDrawing = undefined;
    this.model = new Model(data);
    this.canvas = new Canvas($("canvas"), this.model);
    /** @type {Comparison} */
    this.comparison = new Comparison(this);
    this.saving = new Saving(this);
    this.filter = "all";
    this.undoMarks = [];
    this.redoMarks = [];
    this.threshold = 0.5; // less sure suggestions are not taken by "accept all"
    /** @type {BetterTrees} */
    this.better = new BetterTrees(this);
    /** @type {Problems} */
    this.problems = new Problems(this);
    /** @type {Showing} */
    this.showing = new Showing(this);
    /** @type {Outline} */
    this.outline = new Outline($("outline"), this);
    this.overview = new Overview($("map"), this.canvas);
    this.canvas.onMount = () => this.overview.draw();
    this.canvas.onView = () => this.overview.mark();
    /** @type {Panes} */
    this.panes = new Panes(this);
    const own = !data.layer || data.layers.find((layer) => layer.code === data.layer.code)?.mine;
    const key = own ? `${data.pair}-${data.user}` : data.layer.code;
    this.proposals = new Proposals(this);
    if (!this.proposals.on) this.model.propose({ links: [], supports: {}, grounds: {} });
    /** @type {Rail} */
    this.rail = new Rail(this);
    this.table = new Table($("table"), this);
    this.queue = new Queue(key, {
      start: () => this.start(), url: () => this.layerUrl("ops/"), status: (text, bad) => this.saved(text, bad),
      saved: (snapshot, idle, step) => this.saving.acknowledge(snapshot, idle, step),
      refused: (error, step) => this.saving.refuse(error, step), conflict: (facts, steps) => this.saving.settle(facts, steps),
      signIn: askSignIn,
    });
    this.turn = new Turn(key, () => this.refresh());
  }

  boot() {
    this.showing.recall();
    this.canvas.mount();
    if (this.canvas.svg && this.showing.isPlain) this.canvas.open(); else this.firstDrawing = this.redraw().then(() => this.canvas.open());
    const { s, t } = this.model.words;
    if (this.data.long || (SMALL.matches && s.length + t.length > MANY)) this.toggleOutline({ quiet: true });
    if (this.queue.steps.length) {
      this.queue.steps.forEach((step) => this.model.play(step));
      this.refresh();
      this.queue.flush();
    }
    new Input(this).listen();
    this.refresh();
  }

  // where one walks: among the rows of the outline, or the nodes of the drawing
  get stage() { return this.outline.on ? this.outline : this.canvas; }

  // --- state ------------------------------------------------------------------------
  get writable() { return this.data.edit && this.model.info.state !== "done" && this.turn.mine && !this.withdrawn; }
  get at() {
    const { stage } = this;
    return [stage.focused, this.last, stage.tabStop.s].find((key) => key && stage.has(key)) || this.model.order[0];
  }
  layerUrl(rest) { return this.data.urls.layers.replace("0".repeat(16), this.model.info.code) + rest; }

  async start() {
    if (this.model.info.code) return;
    const snapshot = await call(this.data.urls.start, {});
    Object.assign(this.model.info, { code: snapshot.code, source_parse: snapshot.source_parse, target_parse: snapshot.target_parse });
    const option = $("layer").selectedOptions[0];
    option.value = snapshot.code;
    option.textContent = `${this.data.user} · ${gettext("new")}`;
    for (const link of $("figures").querySelectorAll("a")) link.search = "?layer=" + snapshot.code;
  }

  step(step) {
    if (!this.writable) return this.say(gettext("This layer cannot be changed here."));
    this.news = "";
    this.undoMarks.push(this.model.mark());
    this.redoMarks = [];
    this.model.play(step);
    this.queue.push(step, this.model.info.revision);
    this.refresh();
    return undefined;
  }

  undo() { this.walk("undo", this.undoMarks, this.redoMarks); }
  redo() { this.walk("redo", this.redoMarks, this.undoMarks); }

  // shown at once where this page made the step; else as soon as the server answers
  walk(op, from, to) {
    if (!this.writable) return this.say(gettext("This layer cannot be changed here."));
    this.news = "";
    if (!from.length && !(this.queue.idle && this.model.info[op])) return this.say(op === "undo" ? gettext("Nothing to undo.") : gettext("Nothing to redo."));
    if (from.length) {
      to.push(this.model.mark());
      this.model.back(from.pop());
    }
    this.queue.push({ op }, this.model.info.revision);
    this.refresh();
    return this.say(op === "undo" ? gettext("Undone.") : gettext("Done again."));
  }

  // --- what the page shows ------------------------------------------------------------
  refresh() {
    this.proposals.refresh(); // first, so that the aligner works while the page is drawn
    this.canvas.overlay = this.comparison.on ? this.comparison.grouped() : [];
    this.canvas.dress();
    const shown = this.shown();
    this.canvas.dim(shown);
    if (this.outline.on) this.outline.draw(shown);
    this.table.refresh(shown);
    if (["links", "problems", "why"].includes(this.rail.tab)) this.rail.draw();
    this.buttons();
    $("overlay").setAttribute("aria-pressed", String(this.comparison.on));
    this.readOnly();
    this.stage.light(this.stage.focused);
    if (!this.canvas.picked) this.count();
  }

  buttons() {
    $("undo").disabled = !this.writable || !(this.undoMarks.length || this.model.info.undo);
    $("redo").disabled = !this.writable || !(this.redoMarks.length || this.model.info.redo);
    $("done").hidden = !this.data.edit || !!this.withdrawn;
    $("done").textContent = this.model.info.state === "done" ? gettext("Reopen") : gettext("Done");
    const option = $("layer").selectedOptions[0];
    if (this.model.info.code) option.textContent = option.textContent.replace(new RegExp(` · (\\d+|${gettext("new")})`), ` · ${this.model.links.length}`);
    $("suggest").setAttribute("aria-pressed", String(this.proposals.on));
  }

  // how far the work is; news stands beside it, until the next step
  count() {
    $("news").textContent = this.news;
    const open = this.model.undecided().length;
    const offers = this.model.offers.size / 2;
    const links = this.model.links.length;
    const rest = this.model.info.state === "done" ? gettext("%(n)s left undecided") : gettext("%(n)s undecided");
    $("line").textContent = [fill(ngettext("%(n)s link", "%(n)s links", links), { n: links }), fill(gettext("%(n)s null"), { n: this.model.nulls.size }),
      fill(rest, { n: open }), offers ? fill(gettext("%(n)s suggested"), { n: offers }) : ""].filter(Boolean).join(" · ");
  }

  line(text) { this.news = text; $("news").textContent = text; }
  say(text) { $("live").textContent = ""; requestAnimationFrame(() => { $("live").textContent = text; }); }
  saved(text, bad = false) { $("saved").textContent = text; $("saved").classList.toggle("bad", bad); }

  readOnly() {
    const box = $("read-only"), [text, button, next] = box.children;
    const said = this.withdrawn ? [gettext("This pair was withdrawn: what you did is kept, and nothing more can be changed."), ""]
      : !this.data.edit ? [gettext("You can view this layer, but not change it. Your own links create a layer of their own."), ""]
      : this.model.info.state === "done" ? [this.doneText(), gettext("Reopen")]
      : !this.turn.mine ? [gettext("These links are open in another tab of yours."), gettext("Take over")] : null;
    const held = box.contains(document.activeElement);
    box.hidden = !said;
    if (!said) { if (held) this.go(this.at); return; }  // or the next key would go nowhere
    text.textContent = said[0];
    next.hidden = this.model.info.state !== "done";
    button.hidden = !said[1];
    button.textContent = said[1];
    button.onclick = () => (this.model.info.state === "done" ? this.toggleDone() : this.takeOver());
  }

  // "done" is what a person said, whatever is undecided: both are said in one place
  doneText() {
    const open = this.model.undecided().length;
    return open ? fill(ngettext("This layer is done, with %(n)s node left undecided.", "This layer is done, with %(n)s nodes left undecided.", open), { n: open }) : gettext("This layer is done.");
  }

  async takeOver() {
    this.turn.take();
    if (this.model.info.code) this.model.load(await call(this.layerUrl("")));
    this.refresh();
  }

  shown() {
    const { model } = this;
    if (this.filter === "undecided") return new Set(model.undecided());
    if (this.filter === "problems") return new Set(this.rail.live.filter((p) => p.rule !== "undecided").flatMap((p) => [...p.source.map((r) => "s:" + r), ...p.target.map((r) => "t:" + r)]));
    if (this.filter === "versus") return this.comparison.differing();
    return null;
  }

  async redraw() {
    const query = new URLSearchParams(this.showing.query());
    query.set("layer", this.model.info.code || "new");
    const at = this.at;
    const held = this.canvas.focused, word = this.model.nodes.get(at)?.start;
    let data;
    try { data = await call(`${this.data.urls.drawing}?${query}`); } catch (error) { this.say(error.message); return; }
    this.data.trees = data.trees;
    this.explained = this.canvas.chain = null;
    this.model.setTrees(this.proposals.on ? data : { ...data, suggestions: [] });
    this.model.sort();
    this.canvas.mount(data.svg);
    this.table.forget();
    if (this.comparison.layers.length) await this.comparison.compare(this.comparison.layers.map((layer) => layer.code));
    this.refresh();
    if (held) this.go([at, `${at[0]}:w${word}`].find((key) => this.model.nodes.has(key) && this.stage.seen(key)));
    document.documentElement.dataset.drawn = String(Number(document.documentElement.dataset.drawn || 0) + 1);
  }

  async toggleOutline({ quiet = false } = {}) {
    const { at, outline } = this;
    $("canvas").hidden = outline.root.hidden;
    outline.root.hidden = !outline.root.hidden;
    $("outline-button").setAttribute("aria-pressed", String(outline.on));
    this.refresh();
    if (!outline.on) await this.firstDrawing;
    if (!outline.on && outline.stale) { outline.stale = false; await this.redraw(); }
    this.overview.mark();
    if (quiet) return;
    this.go(at);
    this.say(outline.on ? gettext("Outline: linked rows are side by side.") : gettext("Drawing."));
  }

  async toggleTable({ quiet = false } = {}) {
    const open = $("table").hidden, { at } = this;
    $("table-button").setAttribute("aria-pressed", String(open));
    if (!open) { this.table.hide(); if (!quiet) this.go(at); return; }
    await this.table.show();
    if (!quiet) this.table.focus(at);
  }

  async toggleDone() {
    const state = this.model.info.state === "done" ? "open" : "done";
    if (!this.queue.idle) return this.say(gettext("Not all is saved yet."));
    try {
      await this.start();
      this.model.load(await call(this.layerUrl("state/"), { state }));
      this.table.forget();
    } catch (error) { this.say(error.message); this.line(error.message); }
    this.say(state === "done" ? this.doneText() : gettext("Reopened."));
    return this.refresh();
  }

  // --- moving and deciding --------------------------------------------------------------
  go(key) {
    if (!key || !this.model.nodes.has(key) || !this.stage.seen(key)) return this.say(gettext("Nothing there."));
    this.last = key;
    this.stage.focus(key);
    this.stage.light(key);
    return undefined;
  }

  stopAt(key) { this.last = key; this.stage.light(key); }

  pickOrLink(key, beside = false) {
    const { picked } = this.canvas, { model } = this;
    if (!this.writable) return this.say(gettext("This layer cannot be changed here."));
    if (!picked || picked === key || picked[0] === key[0]) {
      this.canvas.picked = picked === key ? null : key;
      this.refresh();
      if (!this.canvas.picked) { this.line(""); return this.say(gettext("Pick dropped.")); }
      this.line(fill(gettext("Picked %(name)s: choose its partner on the other side, or ∅."), { name: model.name(key) }));
      return this.say(fill(gettext("Picked %(name)s."), { name: model.name(key) }));
    }
    const [s, t] = key[0] === "t" ? [picked, key] : [key, picked];
    this.canvas.picked = null;
    this.news = "";
    if (model.find(s, t)) { this.refresh(); return this.say(gettext("These two are linked already.")); }
    const gone = beside ? [] : [...model.partners(s), ...model.partners(t)].map((partner) => model.name(partner.key));
    this.step({ op: beside ? "add" : "link", s, t });
    const said = gone.length ? gettext("Linked %(s)s to %(t)s, instead of %(others)s.") : gettext("Linked %(s)s to %(t)s.");
    return this.say(fill(said, { s: model.name(s), t: model.name(t), others: [...new Set(gone)].join(gettext(" and ")) }));
  }

  drop() {
    if (this.explained) { this.explained = this.canvas.chain = null; this.refresh(); }
    if (!this.canvas.picked) return;
    this.canvas.picked = null;
    this.news = "";
    this.refresh();
    this.say(gettext("Pick dropped."));
  }

  makeNull(keys) {
    if (!this.writable) return this.say(gettext("This layer cannot be changed here."));
    this.canvas.picked = null;
    if (keys.every((key) => this.model.nulls.has(key))) return this.say(gettext("It has no counterpart already."));
    this.step({ op: "null", keys });
    return this.say(keys.length > 1 ? fill(gettext("%(n)s nodes have no counterpart."), { n: keys.length }) : fill(gettext("%(name)s has no counterpart."), { name: this.model.name(keys[0]) }));
  }

  otherTree(side, by) {
    const row = this.data.parses.filter((parse) => parse.side === side);
    if (row.length < 2) return this.say(gettext("Only one tree: no n-best supplied."));
    const at = row.findIndex((parse) => parse.code === this.data.trees[side].parse);
    return this.useTree(side, row[(at + by + row.length) % row.length].code);
  }

  useTree(side, code) { this.showing.folded.clear(); return this.step({ op: "parse", side, parse: code }); }

  // --- suggestions ---------------------------------------------------------------------------
  acceptAbove() {
    const links = this.model.offered.filter(({ share }) => (share ?? 1) >= this.threshold).map(({ s, t, kind, crossing }) => [s, t, kind, crossing]);
    if (!links.length) return this.say(gettext("No suggestion is sure enough."));
    this.step({ op: "accept", links });
    return this.say(fill(ngettext("Accepted one suggestion.", "Accepted %(n)s suggestions.", links.length), { n: links.length }));
  }

  // the links a link rests on, down to the words: lit in the drawing, listed in the rail
  async why(key) {
    const to = this.model.counterparts(key)[0];
    if (!to) return this.say(gettext("No link here."));
    const [s, t] = key[0] === "s" ? [key, to] : [to, key];
    try { await this.proposals.explain(); } catch (error) { return this.say(error.message); }
    this.explained = { s, t };
    this.canvas.chain = this.model.chain(s, t);
    this.rail.open("why");
    this.refresh();
    return this.say(this.rail.whyText());
  }

  nextPair() {
    if (!this.queue.idle) return this.say(gettext("Not all is saved yet."));
    location.assign(this.data.urls.next);
    return undefined;
  }

  run(id, key = this.at) {
    if (command(id).edit && !this.writable) return this.say(gettext("This layer cannot be changed here."));
    return command(id).run(this, key);
  }
}

const editor = new Editor(JSON.parse($("editor-data").textContent));
editor.boot();
document.documentElement.dataset.editor = "ready";
export { COMMANDS, editor };
