// Links of up to three other layers over one's own: seen, copied, rejected.

import { ask } from "./dialogs.js";
import { call } from "./queue.js";
import { fill, gettext } from "../words.js";

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "data" | "layerUrl" | "model" | "rail" | "refresh" | "say" | "start" | "step">} ComparisonHost
 */

export class Comparison {
  /** @param {ComparisonHost} app */
  constructor(app) {
    this.app = app;
    /** @type {any[]} */
    this.layers = [];
    this.agree = "all";
    this.on = false;
  }

  async toggle() {
    this.on = !this.on;
    const others = this.app.data.layers.filter((layer) => layer.code !== this.app.model.info.code);
    if (this.on && !others.length) { this.on = false; return this.app.say(gettext("There is no other layer to compare with.")); }
    if (this.on) {
      this.app.rail.open("links");
      if (!this.layers.length) await this.compare(others.slice(0, 3).map((layer) => layer.code));
      this.app.say(fill(gettext("Comparing %(names)s."), { names: this.layers.map((layer) => `${layer.letter} ${layer.name}`).join(", ") }));
    }
    return this.app.refresh();
  }

  async compare(codes) {
    try {
      await this.app.start();
      this.layers = codes.length ? await call(this.app.layerUrl("compare/?with=" + codes.join(","))) : [];
    } catch (error) { this.app.say(error.message); }
    this.on = this.layers.length > 0;
    this.app.refresh();
  }

  keep(agree) { this.agree = agree; this.app.refresh(); }

  grouped() {
    const cells = new Map();
    for (const layer of this.layers) {
      for (const [s, t, kind] of layer.links) {
        if (`${layer.code} ${s} ${t}` in this.app.model.info.rejected) continue;
        const cell = cells.get(`${s} ${t}`) || { s: "s:" + s, t: "t:" + t, kind, letters: "" };
        cell.letters += layer.letter;
        cells.set(`${s} ${t}`, cell);
      }
    }
    const wanted = { all: () => true, unanimous: (n) => n === this.layers.length, two: (n) => n === 2, single: (n) => n === 1 }[this.agree];
    return [...cells.values()].filter((cell) => wanted(cell.letters.length));
  }

  copyLink(badge) {
    const { s, t } = badge.dataset;
    if (this.app.model.find(s, t)) return this.app.say(gettext("These two are linked already."));
    this.app.step({ op: "link", s, t });
    return this.app.say(fill(gettext("Copied %(s)s = %(t)s."), { s: this.app.model.name(s), t: this.app.model.name(t) }));
  }

  async rejectLink(badge) {
    const { s, t, letters } = badge.dataset;
    const note = await ask({ title: gettext("Reject this link"), text: `${this.app.model.name(s)} = ${this.app.model.name(t)}`, yes: gettext("Reject"), note: true });
    if (!note) return;
    for (const letter of letters) this.app.step({ op: "reject", s, t, layer: this.layers.find((layer) => layer.letter === letter).code, note });
  }

  // nodes whose links are not the same in all layers
  differing() {
    const mine = new Set(this.app.model.links.map((link) => `${link.s} ${link.t}`));
    const keys = new Set();
    for (const layer of this.layers) {
      const theirs = new Set(layer.links.map(([s, t]) => `s:${s} t:${t}`));
      for (const cell of [...mine, ...theirs]) if (mine.has(cell) !== theirs.has(cell)) cell.split(" ").forEach((key) => keys.add(key));
    }
    return keys;
  }
}
