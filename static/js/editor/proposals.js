// What the aligner would link beside what is decided here. It is asked again whenever a
// decision changes; only the answer to the last question counts. Nothing depends on it: the
// editor works on while an answer is late, and without one.

import { refOf } from "./model.js";
import { call } from "./queue.js";
import { fill, gettext } from "../words.js";

const PAUSE = 700; // ms without a step before other trees are thought about
const KEPT = 40; // answers, so that undo shows the old suggestions at once

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "data" | "line" | "model" | "better" | "refresh" | "say" | "writable">} ProposalsHost
 */

export class Proposals {
  /** @param {ProposalsHost} app */
  constructor(app) {
    this.app = app;
    this.answers = new Map();
    const { aligned, suggestions } = app.data;
    this.asked = aligned || stored() === true; // else an engine's stored links are all
    this.on = stored() ?? (aligned || suggestions.length > 0);
    this.dismissed = new Set();
  }

  get possible() { const { trees } = this.app.data; return !!(trees.s.parse && trees.t.parse); }
  get active() { return this.on && this.asked && this.possible && this.app.writable; }

  toggle() {
    this.on = !this.on;
    this.asked = true;
    try { localStorage.setItem("gemel-suggest", String(this.on)); } catch { /* private window */ }
    if (!this.on) { this.stop(); this.show({ links: [], supports: {}, grounds: {}, said: [] }); }
    this.app.refresh();
    this.app.say(!this.on ? gettext("No suggestions.") : this.possible ? gettext("Suggestions.") : gettext("Suggestions need a tree on both sides."));
  }

  decisions() {
    const { model, data } = this.app;
    const nulls = (side) => [...model.nulls].filter((key) => key[0] === side).map(refOf).sort();
    return {
      source_parse: data.trees.s.parse, target_parse: data.trees.t.parse,
      links: model.links.map((link) => [refOf(link.s), refOf(link.t)]),
      null_source: nulls("s"), null_target: nulls("t"),
      rejected: model.rejectedCells().map((cell) => cell.split(" ")),
      brackets: Object.entries(model.info.brackets).map(([place, rule]) => ({ side: place[0], words: place.slice(2), rule })),
    };
  }

  // called at every change of the page: asks only if a decision has changed
  refresh() {
    if (!this.active) return;
    const body = this.decisions(), key = JSON.stringify(body);
    if (key === this.key) return;
    this.stop();
    this.key = key;
    this.app.better.offer([]);
    const known = this.answers.get(key);
    if (known) queueMicrotask(() => this.key === key && this.show(known, body));
    else this.ask(key, body);
  }

  // what the links rest on, where nothing was asked for yet
  async explain() {
    const { model, data } = this.app;
    if (!this.possible || Object.keys(model.supports).length) return;
    const { supports, grounds } = await call(data.urls.proposals, this.decisions());
    Object.assign(model, { supports, grounds });
  }

  stop() {
    if (this.late) { this.late.abort(); settled(); }
    this.late = null;
    this.thinking?.abort();
    clearTimeout(this.timer);
    this.key = null;
  }

  async ask(key, body) {
    this.late = new AbortController();
    let answer;
    try { answer = await call(this.app.data.urls.proposals, body, this.late.signal); } catch (error) {
      if (error.name === "AbortError" || this.key !== key) return;
      this.key = this.late = null; // the next step asks again
      this.app.line(error.status === 503
        ? fill(gettext("No new suggestions now: %(reason)s Your own work goes on as before."), { reason: error.message })
        : gettext("No new suggestions now: the aligner does not answer. Your own work goes on as before."));
      return;
    }
    if (this.key !== key) return;
    this.late = null;
    this.answers.set(key, answer);
    if (this.answers.size > KEPT) this.answers.delete(this.answers.keys().next().value);
    this.show(answer, body);
  }

  show(answer, body = null) {
    const { app } = this;
    app.model.propose(answer);
    app.refresh();
    if (answer.said.length) app.line(answer.said.join(" "));
    settled();
    const decided = body && [body.links, body.null_source, body.null_target, body.rejected, body.brackets].some((list) => list.length);
    if (decided) this.timer = setTimeout(() => this.askTrees(body), PAUSE);
  }

  async askTrees(body) {
    const { key } = this;
    this.thinking = new AbortController();
    let found;
    try { found = await call(this.app.data.urls.better, body, this.thinking.signal); } catch { return; }
    if (this.key === key) this.app.better.offer(found.filter((row) => !this.dismissed.has(nameOf(row))));
  }

  dismiss(row) { this.dismissed.add(nameOf(row)); }

  // the tree that was offered, stored, so that it can be used; its code
  async take(row) {
    const rows = await call(this.app.data.urls.better, { ...this.decisions(), take: row.side });
    return rows.find((each) => each.side === row.side)?.parse;
  }
}

// which other tree the aligner prefers, in a sentence
export function preferred(side, more, less) {
  const sentence = side === "s" ? gettext("With what you decided, the aligner prefers another tree for the source")
    : gettext("With what you decided, the aligner prefers another tree for the target");
  const shape = more.length && less.length ? gettext("%(sentence)s, with %(more)s, without %(less)s.")
    : more.length ? gettext("%(sentence)s, with %(more)s.") : less.length ? gettext("%(sentence)s, without %(less)s.") : "%(sentence)s.";
  return fill(shape, { sentence, more: few(more), less: few(less) });
}

function few(phrases) {
  const list = phrases.slice(0, 3).map((phrase) => `“${phrase}”`).join(", ");
  return phrases.length > 3 ? fill(gettext("%(list)s and %(n)s more"), { list, n: phrases.length - 3 }) : list;
}

// how many questions are answered, or put aside for a later one
function settled() {
  const root = document.documentElement;
  root.dataset.proposals = String(Number(root.dataset.proposals || 0) + 1);
}

const nameOf = (row) => JSON.stringify([row.side, row.only_here, row.not_here]);

function stored() {
  try { const said = localStorage.getItem("gemel-suggest"); return said === null ? null : said === "true"; } catch { return null; }
}
