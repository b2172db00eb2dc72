// The aligned-trees editor: wires the model, the drawing, the rail, the table and the queue.

import { Canvas } from "./editor-canvas.js";
import { COMMANDS, command, commandOf, menuFor } from "./editor-commands.js";
import { ask, merge, openMenu } from "./editor-dialogs.js";
import { Model } from "./editor-model.js";
import { Proposals } from "./editor-proposals.js";
import { Queue, Turn, call } from "./editor-queue.js";
import { Rail, describeEvent } from "./editor-rail.js";
import { Table } from "./editor-table.js";

const $ = (id) => document.getElementById(id);
const VIEWS = ["constituency", "dependency", "both"];

class Editor {
  constructor(data) {
    this.data = data;
    this.model = new Model(data);
    this.canvas = new Canvas($("canvas"), this.model);
    this.compared = [];
    this.agree = "all";
    this.comparing = false;
    this.filter = "all";
    this.undoMarks = [];
    this.redoMarks = [];
    this.folded = new Set(data.folded);
    this.view = "constituency";
    this.threshold = 0.5; // less sure suggestions are not taken by "accept all"
    this.better = [];
    this.turned = false;
    const own = !data.layer || data.layers.find((layer) => layer.code === data.layer.code)?.mine;
    const key = own ? `${data.pair}-${data.user}` : data.layer.code;
    this.proposals = new Proposals(this);
    if (!this.proposals.on) this.model.propose({ links: [], supports: {}, grounds: {} });
    this.rail = new Rail(this);
    this.table = new Table($("table"), this);
    this.queue = new Queue(key, {
      start: () => this.start(), url: () => this.layerUrl("ops/"), status: (text, bad) => this.saved(text, bad),
      saved: (snapshot, idle, step) => this.acknowledged(snapshot, idle, step),
      refused: (error, step) => this.refused(error, step), conflict: (facts, steps) => this.conflict(facts, steps),
    });
    this.turn = new Turn(key, () => this.refresh());
  }

  boot() {
    this.recall();
    const plain = this.view === "constituency" && !this.turned;
    this.canvas.mount();
    if (this.canvas.svg && plain) this.canvas.open(); else this.redraw().then(() => this.canvas.open());
    if (this.data.long) this.toggleTable({ quiet: true });
    if (this.queue.steps.length) {
      this.queue.steps.forEach((step) => this.model.play(step));
      this.refresh();
      this.queue.flush();
    }
    this.listen();
    this.refresh();
  }

  // --- state ------------------------------------------------------------------------
  get writable() { return this.data.edit && this.model.info.state !== "done" && this.turn.mine && !this.withdrawn; }
  get at() {
    const drawn = (key) => key && this.canvas.elements?.has(key);
    return [this.canvas.focused, this.last, this.canvas.tabStop.s].find(drawn) || this.model.order[0];
  }
  layerUrl(rest) { return this.data.urls.layers.replace("0".repeat(16), this.model.info.code) + rest; }

  async start() {
    if (this.model.info.code) return;
    const snapshot = await call(this.data.urls.start, {});
    Object.assign(this.model.info, { code: snapshot.code, source_parse: snapshot.source_parse, target_parse: snapshot.target_parse });
    const option = $("layer").selectedOptions[0];
    option.value = snapshot.code;
    option.textContent = `${this.data.user} · new`;
    for (const link of $("figures").querySelectorAll("a")) link.search = "?layer=" + snapshot.code;
  }

  step(step) {
    if (!this.writable) return this.say("This layer cannot be changed here.");
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
    if (!this.writable) return this.say("This layer cannot be changed here.");
    this.news = "";
    if (!from.length && !(this.queue.idle && this.model.info[op])) return this.say(`Nothing to ${op}.`);
    if (from.length) {
      to.push(this.model.mark());
      this.model.back(from.pop());
    }
    this.queue.push({ op }, this.model.info.revision);
    this.refresh();
    return this.say(op === "undo" ? "Undone." : "Done again.");
  }

  // most answers say what is on the screen already: then only the buttons change
  async acknowledged(snapshot, idle, step) {
    const before = this.model.face();
    if (idle) this.model.load(snapshot);
    else Object.assign(this.model.info, { revision: snapshot.revision, problems: snapshot.problems, undo: snapshot.undo, redo: snapshot.redo });
    const { s, t } = this.data.trees;
    if (idle && ((snapshot.source_parse && snapshot.source_parse !== s.parse) || (snapshot.target_parse && snapshot.target_parse !== t.parse))) {
      await this.redraw();
      this.tellTrees(step);
    }
    if (this.model.face() === before) this.buttons(); else this.refresh();
    if (["history", "problems"].includes(this.rail.tab)) this.rail.draw();
  }

  tellTrees(step) {
    const { info, links, nulls } = this.model;
    const there = links.length + nulls.size, all = there + info.parked.length;
    const side = step?.side || "s";
    const row = this.data.parses.filter((parse) => parse.side === side);
    const n = row.findIndex((parse) => parse.code === this.data.trees[side].parse) + 1;
    this.line(`${there} of ${all} links exist in tree ${n}; ${info.parked.length} parked.`);
  }

  async refused(error, step) {
    this.undoMarks = [];
    this.redoMarks = [];
    if (error.status === 404) this.withdrawn = true;
    else if (this.model.info.code) {
      try { this.model.load(await call(this.layerUrl(""))); } catch { /* the next answer will tell */ }
    }
    this.saved("");
    this.say(error.message);
    this.line(`Not done${step ? `: ${step.op}` : ""}. ${error.message}`);
    this.refresh();
  }

  // Somebody else was faster: what does not touch their nodes goes on, the rest is asked.
  async conflict(facts, steps) {
    const trees = facts.theirs.some((event) => event.after.trees);
    const rows = [];
    steps.forEach((step, i) => {
      const mine = Model.touched(step);
      const hits = facts.theirs.filter((event) => trees || [...Model.touchedByEvent(event)].some((key) => mine.has(key)));
      if (hits.length) rows.push({ i, mine: this.describe(step), theirs: hits.map((event) => describeEvent(this.model, event)).join("; "), allowMine: !trees, allowBoth: !trees && step.op === "link" });
    });
    const who = [...new Set(facts.theirs.map((event) => event.by))].join(", ") || "Somebody";
    const choices = rows.length ? await merge(who, rows) : [];
    const kept = steps.map((step, i) => {
      const found = rows.findIndex((row) => row.i === i);
      if (found < 0) return step;
      if (choices[found] === "theirs") return null;
      return choices[found] === "both" ? { ...step, op: "add" } : step;
    }).filter(Boolean);
    this.undoMarks = [];
    this.redoMarks = [];
    this.model.load(facts.layer);
    if (trees) await this.redraw();
    for (const step of kept) { this.undoMarks.push(this.model.mark()); this.model.play(step); }
    this.line(`${who} changed this layer too; ${rows.length ? "merged as you chose" : "your steps fit beside theirs"}.`);
    this.refresh();
    return kept;
  }

  describe(step) {
    if (step.s && step.t) return `${step.op}: ${this.model.name(step.s)} = ${this.model.name(step.t)}`;
    return `${step.op}: ${(step.keys || []).map((key) => this.model.name(key)).join(", ")}`;
  }

  // --- what the page shows ------------------------------------------------------------
  refresh() {
    this.proposals.refresh(); // first, so that the aligner works while the page is drawn
    this.canvas.overlay = this.comparing ? this.grouped() : [];
    this.canvas.dress();
    const shown = this.shown();
    this.canvas.dim(shown);
    this.table.refresh(shown);
    if (["links", "problems", "why"].includes(this.rail.tab)) this.rail.draw();
    this.buttons();
    $("overlay").setAttribute("aria-pressed", String(this.comparing));
    this.readOnly();
    this.canvas.light(this.canvas.focused);
    if (!this.canvas.picked) this.count();
  }

  buttons() {
    $("undo").disabled = !this.writable || !(this.undoMarks.length || this.model.info.undo);
    $("redo").disabled = !this.writable || !(this.redoMarks.length || this.model.info.redo);
    $("done").hidden = !this.data.edit || !!this.withdrawn;
    $("done").textContent = this.model.info.state === "done" ? "Open again" : "Done";
    const option = $("layer").selectedOptions[0];
    if (this.model.info.code) option.textContent = option.textContent.replace(/ · (\d+|new)/, ` · ${this.model.links.length}`);
    $("suggest").setAttribute("aria-pressed", String(this.proposals.on));
  }

  // the line of news stays until the next step
  count() {
    if (this.news) { $("line").textContent = this.news; return; }
    const open = this.model.undecided().length;
    const offers = this.model.offers.size / 2;
    const links = this.model.links.length;
    $("line").textContent = `${links} ${links === 1 ? "link" : "links"} · ${this.model.nulls.size} null · ${open} undecided${offers ? ` · ${offers} suggested` : ""}`;
  }

  line(text) { this.news = text; $("line").textContent = text; }
  say(text) { $("live").textContent = ""; requestAnimationFrame(() => { $("live").textContent = text; }); }
  saved(text, bad = false) { $("saved").textContent = text; $("saved").classList.toggle("bad", bad); }

  readOnly() {
    const box = $("read-only"), [text, button, next] = box.children;
    const said = this.withdrawn ? ["This pair was withdrawn: what you did is kept, and nothing more can be changed.", ""]
      : !this.data.edit ? ["You can read this layer; changing it is not yours. Your own links make a layer of their own.", ""]
      : this.model.info.state === "done" ? ["This layer is done.", "Open again"]
      : !this.turn.mine ? ["These links are open in another tab of yours.", "Take over"] : null;
    const held = box.contains(document.activeElement);
    box.hidden = !said;
    if (!said) { if (held) this.go(this.at); return; }  // or the next key would go nowhere
    text.textContent = said[0];
    next.hidden = this.model.info.state !== "done";
    button.hidden = !said[1];
    button.textContent = said[1];
    button.onclick = () => (this.model.info.state === "done" ? this.toggleDone() : this.takeOver());
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
    if (this.filter === "versus") return this.differing();
    return null;
  }

  differing() {
    const mine = new Set(this.model.links.map((link) => `${link.s} ${link.t}`));
    const keys = new Set();
    for (const layer of this.compared) {
      const theirs = new Set(layer.links.map(([s, t]) => `s:${s} t:${t}`));
      for (const cell of [...mine, ...theirs]) if (mine.has(cell) !== theirs.has(cell)) cell.split(" ").forEach((key) => keys.add(key));
    }
    return keys;
  }

  async redraw() {
    const query = new URLSearchParams({ view: this.view, across: this.turned ? "1" : "0", folded: [...this.folded].join(".") });
    query.set("layer", this.model.info.code || "new");
    const at = this.at;
    const held = this.canvas.focused;
    let data;
    try { data = await call(`${this.data.urls.drawing}?${query}`); } catch (error) { this.say(error.message); return; }
    this.data.trees = data.trees;
    this.explained = this.canvas.chain = null;
    this.model.setTrees(this.proposals.on ? data : { ...data, suggestions: [] });
    this.model.sort();
    this.canvas.mount(data.svg);
    this.table.forget();
    if (this.compared.length) await this.compare(this.compared.map((layer) => layer.code));
    this.refresh();
    if (held && this.model.nodes.has(at)) this.go(at);
    document.documentElement.dataset.drawn = String(Number(document.documentElement.dataset.drawn || 0) + 1);
  }

  recall() {
    try { Object.assign(this, JSON.parse(localStorage.getItem("gemel-view")) || {}); } catch { /* first time */ }
    if (!VIEWS.includes(this.view)) this.view = VIEWS[0];
    $("view").value = this.view;
    $("turn").setAttribute("aria-pressed", String(this.turned));
  }

  keepView() {
    try { localStorage.setItem("gemel-view", JSON.stringify({ view: this.view, turned: this.turned })); } catch { /* private window */ }
    this.recall();
    return this.redraw().then(() => this.canvas.open());
  }

  nextView() { this.view = VIEWS[(VIEWS.indexOf(this.view) + 1) % VIEWS.length]; this.say({ constituency: "Trees", dependency: "Arcs", both: "Trees and arcs" }[this.view]); return this.keepView(); }
  turnAround() { this.turned = !this.turned; return this.keepView(); }
  isFolded(key) { return this.folded.has(foldName(key)); }

  async fold(key) {
    const name = foldName(key);
    if (!this.model.nodes.get(key)?.children.length || !this.model.nodes.get(key).up) return this.say("This cannot be folded.");
    if (!this.folded.delete(name)) this.folded.add(name);
    await this.redraw();
    return this.go(key);
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
    if (!this.queue.idle) return this.say("Not all is saved yet.");
    try {
      await this.start();
      this.model.load(await call(this.layerUrl("state/"), { state }));
      this.table.forget();
    } catch (error) { this.say(error.message); this.line(error.message); }
    this.say(state === "done" ? "This layer is done." : "Open again.");
    return this.refresh();
  }

  // --- moving and deciding --------------------------------------------------------------
  go(key) {
    if (!key || !this.model.nodes.has(key) || !this.canvas.seen(key)) return this.say("Nothing there.");
    this.last = key;
    this.canvas.focus(key);
    this.canvas.light(key);
    return undefined;
  }

  stopAt(key) { this.last = key; this.canvas.light(key); }

  pickOrLink(key, beside = false) {
    const { picked } = this.canvas, { model } = this;
    if (!this.writable) return this.say("This layer cannot be changed here.");
    if (!picked || picked === key || picked[0] === key[0]) {
      this.canvas.picked = picked === key ? null : key;
      this.refresh();
      if (!this.canvas.picked) { this.count(); return this.say("Pick dropped."); }
      $("line").textContent = `Picked ${model.name(key)}: choose its partner on the other side, or ∅.`;
      return this.say(`Picked ${model.name(key)}.`);
    }
    const [s, t] = key[0] === "t" ? [picked, key] : [key, picked];
    this.canvas.picked = null;
    if (model.find(s, t)) { this.refresh(); return this.say("These two are linked already."); }
    const gone = beside ? [] : [...model.partners(s), ...model.partners(t)].map((partner) => model.name(partner.key));
    this.step({ op: beside ? "add" : "link", s, t });
    return this.say(`Linked ${model.name(s)} to ${model.name(t)}${gone.length ? `, instead of ${[...new Set(gone)].join(" and ")}` : ""}.`);
  }

  drop() {
    if (this.explained) { this.explained = this.canvas.chain = null; this.refresh(); }
    if (!this.canvas.picked) return;
    this.canvas.picked = null;
    this.refresh();
    this.say("Pick dropped.");
  }

  makeNull(keys) {
    if (!this.writable) return this.say("This layer cannot be changed here.");
    this.canvas.picked = null;
    if (keys.every((key) => this.model.nulls.has(key))) return this.say("It has no counterpart already.");
    this.step({ op: "null", keys });
    return this.say(keys.length > 1 ? `${keys.length} nodes have no counterpart.` : `${this.model.name(keys[0])} has no counterpart.`);
  }

  otherTree(side, by) {
    const row = this.data.parses.filter((parse) => parse.side === side);
    if (row.length < 2) return this.say("Only one tree: no n-best supplied.");
    const at = row.findIndex((parse) => parse.code === this.data.trees[side].parse);
    return this.useTree(side, row[(at + by + row.length) % row.length].code);
  }

  useTree(side, code) { this.folded.clear(); return this.step({ op: "parse", side, parse: code }); }

  // --- suggestions ---------------------------------------------------------------------------
  acceptAbove() {
    const links = this.model.offered.filter(({ share }) => (share ?? 1) >= this.threshold).map(({ s, t, kind, crossing }) => [s, t, kind, crossing]);
    if (!links.length) return this.say("No suggestion is sure enough.");
    this.step({ op: "accept", links });
    return this.say(`Accepted ${links.length === 1 ? "one suggestion" : `${links.length} suggestions`}.`);
  }

  // the links a link rests on, down to the words: lit in the drawing, listed in the rail
  async why(key) {
    const to = this.model.counterparts(key)[0];
    if (!to) return this.say("No link here.");
    const [s, t] = key[0] === "s" ? [key, to] : [to, key];
    try { await this.proposals.explain(); } catch (error) { return this.say(error.message); }
    this.explained = { s, t };
    this.canvas.chain = this.model.chain(s, t);
    this.rail.open("why");
    this.refresh();
    return this.say(this.rail.whyText());
  }

  offerTrees(rows) {
    this.better = rows;
    const box = $("better");
    box.hidden = !rows.length;
    if (!rows.length) return;
    const [{ side, only_here: more, not_here: less }] = rows;
    const [text] = box.children;
    text.textContent = `With what you decided, the aligner prefers another tree for the ${side === "s" ? "source" : "target"}${more.length ? `, with ${few(more)}` : ""}${less.length ? `, without ${few(less)}` : ""}.`;
    this.say(text.textContent);
  }

  async takeTree() {
    const [row] = this.better;
    if (!row) return this.say("The aligner prefers these trees.");
    this.offerTrees([]);
    try {
      const code = await this.proposals.take(row);
      if (!code) return this.say("The aligner prefers these trees by now.");
      if (!this.data.parses.some((parse) => parse.code === code)) this.data.parses.push({ code, side: row.side, name: "the aligner's", score: null });
      return this.useTree(row.side, code);
    } catch (error) { this.line(error.message); return this.say(error.message); }
  }

  leaveTree() {
    this.better.slice(0, 1).forEach((row) => this.proposals.dismiss(row));
    this.offerTrees([]);
    this.go(this.at);
  }

  nextPair() {
    if (!this.queue.idle) return this.say("Not all is saved yet.");
    location.assign(this.data.urls.next);
    return undefined;
  }

  // --- problems ---------------------------------------------------------------------------
  nextProblem() {
    const live = this.rail.live;
    if (!live.length) return this.say("No problems.");
    this.problemAt = ((this.problemAt ?? -1) + 1) % live.length;
    this.rail.open("problems");
    return this.goProblem(live[this.problemAt]);
  }

  goProblem(problem) {
    const key = problem.source.length ? "s:" + problem.source[0] : problem.target.length ? "t:" + problem.target[0] : null;
    if (key) this.go(key);
    this.line(problem.reason);
    this.say(problem.reason);
  }

  fix(problem) {
    const [s, t] = ["s:" + problem.source[0], "t:" + problem.target[0]];
    if (problem.rule === "maximum" || problem.rule === "root") this.step({ op: "link", s, t });
    if (problem.rule === "monotonous") this.step({ op: "crossing", s: "s:" + problem.source[1], t: "t:" + problem.target[1], crossing: true });
    if (problem.rule === "consistency") {
      const ends = problem.source.length > 1 ? problem.source.slice(1).map((ref) => ["s:" + ref, t]) : problem.target.slice(1).map((ref) => [s, "t:" + ref]);
      for (const [a, b] of ends) this.step({ op: "unlink", s: a, t: b });
    }
  }

  async ignore(problem) {
    const note = await ask({ title: "Ignore this problem", text: problem.reason, yes: "Ignore", note: true });
    if (note) this.step({ op: "ignore", key: problem.key, note });
  }

  // --- comparing ---------------------------------------------------------------------------
  async toggleOverlay() {
    this.comparing = !this.comparing;
    const others = this.data.layers.filter((layer) => layer.code !== this.model.info.code);
    if (this.comparing && !others.length) { this.comparing = false; return this.say("There is no other layer to compare with."); }
    if (this.comparing) {
      this.rail.open("links");
      if (!this.compared.length) await this.compare(others.slice(0, 3).map((layer) => layer.code));
      this.say(`Comparing ${this.compared.map((layer) => `${layer.letter} ${layer.name}`).join(", ")}.`);
    }
    return this.refresh();
  }

  async compare(codes) {
    try {
      await this.start();
      this.compared = codes.length ? await call(this.layerUrl("compare/?with=" + codes.join(","))) : [];
    } catch (error) { this.say(error.message); }
    this.comparing = this.compared.length > 0;
    this.refresh();
  }

  filterAgreement(agree) { this.agree = agree; this.refresh(); }

  grouped() {
    const cells = new Map();
    for (const layer of this.compared) {
      for (const [s, t, kind] of layer.links) {
        if (`${layer.code} ${s} ${t}` in this.model.info.rejected) continue;
        const cell = cells.get(`${s} ${t}`) || { s: "s:" + s, t: "t:" + t, kind, letters: "" };
        cell.letters += layer.letter;
        cells.set(`${s} ${t}`, cell);
      }
    }
    const wanted = { all: () => true, unanimous: (n) => n === this.compared.length, two: (n) => n === 2, single: (n) => n === 1 }[this.agree];
    return [...cells.values()].filter((cell) => wanted(cell.letters.length));
  }

  copyLink(badge) {
    const { s, t } = badge.dataset;
    if (this.model.find(s, t)) return this.say("These two are linked already.");
    this.step({ op: "link", s, t });
    return this.say(`Copied ${this.model.name(s)} = ${this.model.name(t)}.`);
  }

  async rejectLink(badge) {
    const { s, t, letters } = badge.dataset;
    const note = await ask({ title: "Reject this link", text: `${this.model.name(s)} = ${this.model.name(t)}`, yes: "Reject", note: true });
    if (!note) return;
    for (const letter of letters) this.step({ op: "reject", s, t, layer: this.compared.find((layer) => layer.letter === letter).code, note });
  }

  // --- events ---------------------------------------------------------------------------------
  run(id, key = this.at) {
    if (command(id).edit && !this.writable) return this.say("This layer cannot be changed here.");
    return command(id).run(this, key);
  }

  listen() {
    document.addEventListener("keydown", (event) => this.key(event));
    $("tools").addEventListener("click", (event) => { const button = event.target.closest("[data-do]"); if (button) this.run(button.dataset.do); });
    $("view").addEventListener("change", (event) => { this.view = event.target.value; this.keepView(); });
    $("filter").addEventListener("change", (event) => { this.filter = event.target.value; this.refresh(); if (this.filter === "versus" && !this.compared.length) this.toggleOverlay(); });
    $("layer").addEventListener("change", (event) => { location.search = event.target.value ? "?layer=" + event.target.value : ""; });
    $("better").addEventListener("click", (event) => { const { take } = event.target.dataset; if (take) { if (take === "yes") this.takeTree(); else this.leaveTree(); } });
    const root = $("canvas");
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("dblclick", (event) => { const key = nodeAt(event.target); if (key) this.fold(key); });
    root.addEventListener("contextmenu", (event) => this.menu(event));
    root.addEventListener("pointerover", (event) => this.canvas.light(nodeAt(event.target)));
    root.addEventListener("pointerleave", () => this.canvas.light(null));
    root.addEventListener("focusin", (event) => { const key = nodeAt(event.target); if (key) { this.last = key; this.canvas.stop(key[0], key); this.canvas.light(key); } });
    root.addEventListener("pointerdown", (event) => { this.drag = { key: nodeAt(event.target), x: event.clientX, y: event.clientY }; });
    root.addEventListener("pointerup", (event) => this.dropped(event));
    addEventListener("beforeunload", (event) => { if (!this.queue.idle && !this.queue.stored().length) event.preventDefault(); });
  }

  key(event) {
    if (document.querySelector("dialog[open]") || !$("menu").hidden) return;
    const found = commandOf(event);
    if (!found) return;
    const { target } = event;
    const typing = target.closest("input:not([type=radio], [type=checkbox]), select, textarea");
    const badge = target.closest(".badge");
    if (badge && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); if (event.shiftKey) this.rejectLink(badge); else this.copyLink(badge); return; }
    const anywhere = event.ctrlKey || event.metaKey;
    const inTree = target === document.body || target.closest("#canvas");
    const moves = /^(Arrow|Enter|Space| |Delete|Backspace)/.test(event.key) || event.key === " ";
    const inTable = target.closest("#table") && !moves;
    if (typing || !(anywhere || inTree || inTable)) return;
    event.preventDefault();
    this.run(found.id);
  }

  click(event) {
    const badge = event.target.closest(".badge");
    if (badge) { if (event.shiftKey) this.rejectLink(badge); else this.copyLink(badge); return; }
    if (event.target.closest(".null-strip")) { if (this.canvas.picked) this.makeNull([this.canvas.picked]); return; }
    const key = nodeAt(event.target);
    if (!key || this.dragged) { this.dragged = false; return; }
    this.go(key);
    if (this.writable) this.pickOrLink(key, event.shiftKey);
  }

  dropped(event) {
    const from = this.drag?.key;
    this.dragged = false;
    if (!from || Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) < 10) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const to = under && nodeAt(under);
    if (to && to[0] !== from[0]) { this.canvas.picked = from; this.dragged = true; this.pickOrLink(to); }
    else if (under?.closest?.(".null-strip")) { this.dragged = true; this.makeNull([from]); }
  }

  menu(event) {
    const key = nodeAt(event.target);
    if (!key) return;
    event.preventDefault();
    this.go(key);
    const box = this.canvas.elements.get(this.canvas.seen(key)).getBoundingClientRect();
    const byKey = event.clientX === 0 && event.clientY === 0;
    openMenu(menuFor(this, key), byKey ? box.left : event.clientX, byKey ? box.bottom : event.clientY, (id) => this.run(id, key));
  }
}

const nodeAt = (element) => element.closest?.(".n[data-key]")?.dataset.key || null;
const few = (phrases) => phrases.slice(0, 3).map((phrase) => `“${phrase}”`).join(", ") + (phrases.length > 3 ? ` and ${phrases.length - 3} more` : "");
const foldName = (key) => key[0] + key.slice(3);

const editor = new Editor(JSON.parse($("editor-data").textContent));
editor.boot();
document.documentElement.dataset.editor = "ready";
export { COMMANDS, editor };
