// Trees that the aligner prefers to those shown: offered, taken, or left.

import { preferred } from "./proposals.js";
import { gettext } from "../words.js";

const $ = (id) => document.getElementById(id);

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor, "at" | "data" | "go" | "line" | "proposals" | "say" | "useTree">} BetterHost
 */

export class BetterTrees {
  /** @param {BetterHost} app */
  constructor(app) {
    this.app = app;
    /** @type {any[]} */
    this.rows = [];
  }

  offer(rows) {
    this.rows = rows;
    const box = $("better");
    box.hidden = !rows.length;
    if (!rows.length) return;
    const [{ side, only_here: more, not_here: less }] = rows;
    const [text] = box.children;
    text.textContent = preferred(side, more, less);
    this.app.say(text.textContent);
  }

  async take() {
    const [row] = this.rows, { app } = this;
    if (!row) return app.say(gettext("The aligner prefers these trees."));
    this.offer([]);
    try {
      const code = await app.proposals.take(row);
      if (!code) return app.say(gettext("The aligner now prefers these trees."));
      if (!app.data.parses.some((parse) => parse.code === code)) app.data.parses.push({ code, side: row.side, name: gettext("the aligner's"), score: null });
      return app.useTree(row.side, code);
    } catch (error) { app.line(error.message); return app.say(error.message); }
  }

  leave() {
    this.rows.slice(0, 1).forEach((row) => this.app.proposals.dismiss(row));
    this.offer([]);
    this.app.go(this.app.at);
  }
}
