// What the server answers to steps: it has them, refuses them, or somebody was faster.

import { merge } from "./dialogs.js";
import { Model, opName } from "./model.js";
import { call } from "./queue.js";
import { describeEvent } from "./rail.js";
import { fill, gettext, ngettext } from "../words.js";

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "buttons" | "data" | "layerUrl" | "line" | "model" | "rail" | "redoMarks" | "redraw" | "refresh" |
 *   "saved" | "say" | "undoMarks" | "withdrawn">} SavingHost
 */

export class Saving {
  /** @param {SavingHost} app */
  constructor(app) { this.app = app; }

  // most answers say what is on the screen already: then only the buttons change
  async acknowledge(snapshot, idle, step) {
    const before = this.app.model.face();
    if (idle) this.app.model.load(snapshot);
    else Object.assign(this.app.model.info, { revision: snapshot.revision, problems: snapshot.problems, undo: snapshot.undo, redo: snapshot.redo });
    const { s, t } = this.app.data.trees;
    if (idle && ((snapshot.source_parse && snapshot.source_parse !== s.parse) || (snapshot.target_parse && snapshot.target_parse !== t.parse))) {
      await this.app.redraw();
      this.tellTrees(step);
    }
    if (this.app.model.face() === before) this.app.buttons(); else this.app.refresh();
    if (["history", "problems"].includes(this.app.rail.tab)) this.app.rail.draw();
  }

  tellTrees(step) {
    const { info, links, nulls } = this.app.model;
    const there = links.length + nulls.size, all = there + info.parked.length;
    const side = step?.side || "s";
    const row = this.app.data.parses.filter((parse) => parse.side === side);
    const n = row.findIndex((parse) => parse.code === this.app.data.trees[side].parse) + 1;
    this.app.line(fill(ngettext("%(there)s of %(all)s link exists in tree %(tree)s; %(parked)s on hold.", "%(there)s of %(all)s links exist in tree %(tree)s; %(parked)s on hold.", all), { there, all, tree: n, parked: info.parked.length }));
  }

  async refuse(error, step) {
    this.app.undoMarks = [];
    this.app.redoMarks = [];
    if (error.status === 404) this.app.withdrawn = true;
    else if (this.app.model.info.code) {
      try { this.app.model.load(await call(this.app.layerUrl(""))); } catch { /* the next answer will tell */ }
    }
    this.app.saved("");
    this.app.say(error.message);
    const said = step ? fill(gettext("Not applied: %(what)s. %(reason)s"), { what: opName(step.op), reason: error.message })
      : fill(gettext("Not applied. %(reason)s"), { reason: error.message });
    this.app.line(said);
    this.app.refresh();
  }

  // Somebody else was faster: what does not touch their nodes goes on, the rest is asked.
  async settle(facts, steps) {
    const trees = facts.theirs.some((event) => event.after.trees);
    const rows = [];
    steps.forEach((step, i) => {
      const mine = Model.touched(step);
      const hits = facts.theirs.filter((event) => trees || [...Model.touchedByEvent(event)].some((key) => mine.has(key)));
      if (hits.length) rows.push({ i, mine: this.describe(step), theirs: hits.map((event) => describeEvent(this.app.model, event)).join("; "), allowMine: !trees, allowBoth: !trees && step.op === "link" });
    });
    const who = [...new Set(facts.theirs.map((event) => event.by))].join(", ") || gettext("Someone");
    const choices = rows.length ? await merge(who, rows) : [];
    const kept = steps.map((step, i) => {
      const found = rows.findIndex((row) => row.i === i);
      if (found < 0) return step;
      if (choices[found] === "theirs") return null;
      return choices[found] === "both" ? { ...step, op: "add" } : step;
    }).filter(Boolean);
    this.app.undoMarks = [];
    this.app.redoMarks = [];
    this.app.model.load(facts.layer);
    if (trees) await this.app.redraw();
    for (const step of kept) { this.app.undoMarks.push(this.app.model.mark()); this.app.model.play(step); }
    this.app.line(fill(rows.length ? gettext("%(who)s changed this layer too; merged as you chose.")
      : gettext("%(who)s changed this layer too; your steps were merged with theirs."), { who }));
    this.app.refresh();
    return kept;
  }

  describe(step) {
    if (step.s && step.t) return `${opName(step.op)}: ${this.app.model.name(step.s)} = ${this.app.model.name(step.t)}`;
    return `${opName(step.op)}: ${(step.keys || []).map((key) => this.app.model.name(key)).join(", ")}`;
  }
}
