// How a pair is shown: trees or arcs, which way they lie, which links, what is folded.

import { agreed } from "./agreed.js";
import { fill, gettext, ngettext } from "../words.js";

const $ = (id) => document.getElementById(id);
const VIEWS = ["constituency", "dependency", "both"];
const LINKS = ["both", "phrases", "words"];
const MANY = 25; // words of a side: above, the links of words stay away until one asks for them

export const foldName = (key) => key[0] + key.slice(3);

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "at" | "canvas" | "data" | "go" | "model" | "outline" | "redraw" | "refresh" | "say" | "stage">} ShowingHost
 */

export class Showing {
  /** @param {ShowingHost} app */
  constructor(app) {
    this.app = app;
    this.view = VIEWS[0];
    this.turned = false;
    this.links = "";
    this.folded = new Set(app.data.folded);
  }

  // what the server draws first, so that nothing has to be asked for
  get isPlain() { return this.view === VIEWS[0] && !this.turned; }
  query() { return { view: this.view, across: this.turned ? "1" : "0", folded: [...this.folded].join(".") }; }

  recall() {
    let kept = {};
    try { kept = JSON.parse(localStorage.getItem("gemel-view")) || {}; } catch { /* first time */ }
    if (VIEWS.includes(kept.view)) this.view = kept.view;
    if (LINKS.includes(kept.links)) this.links = kept.links;
    this.turned = kept.turned === true;
    this.tell();
  }

  tell() {
    $("view").value = this.view;
    $("turn").setAttribute("aria-pressed", String(this.turned));
    $("shown-links").value = this.linked;
    this.app.canvas.root.dataset.links = this.linked;
  }

  keep() {
    const { view, turned, links } = this;
    try { localStorage.setItem("gemel-view", JSON.stringify({ view, turned, links })); } catch { /* private window */ }
    this.tell();
    return this.app.redraw().then(() => this.app.canvas.open());
  }

  next() {
    this.view = VIEWS[(VIEWS.indexOf(this.view) + 1) % VIEWS.length];
    this.app.say({ constituency: gettext("Trees"), dependency: gettext("Arcs"), both: gettext("Trees and arcs") }[this.view]);
    return this.keep();
  }

  turn() { this.turned = !this.turned; return this.keep(); }

  // the links that are drawn: as chosen, else by length, and all where there are no phrases
  get linked() {
    const { words, roots } = this.app.model;
    const phrases = ["s", "t"].every((side) => roots[side][0]?.children.length);
    const long = Math.max(words.s.length, words.t.length) > MANY;
    return this.links || (phrases && long && this.view !== "dependency" ? "phrases" : "both");
  }

  choose(links) {
    this.links = links;
    const { view, turned } = this;
    try { localStorage.setItem("gemel-view", JSON.stringify({ view, turned, links })); } catch { /* private window */ }
    this.tell();
    this.app.canvas.drawLinks();
    this.app.say({ both: gettext("Links of phrases and of words"), phrases: gettext("Links of phrases; those of a word when it is chosen"), words: gettext("Links of words; those of a phrase when it is chosen") }[links]);
  }

  nextLinks() { this.choose(LINKS[(LINKS.indexOf(this.linked) + 1) % LINKS.length]); }

  isFolded(key) { return this.folded.has(foldName(key)); }

  async fold(key) {
    const { app } = this, name = foldName(key);
    if (!app.model.nodes.get(key)?.children.length || !app.model.nodes.get(key).up) return app.say(gettext("This cannot be folded."));
    if (!this.folded.delete(name)) this.folded.add(name);
    return this.folding(key);
  }

  // a phrase, its partner and their paths; all else is faint
  toggleAlone() {
    const { canvas } = this.app;
    canvas.alone = canvas.alone ? null : this.app.at;
    $("alone").setAttribute("aria-pressed", String(!!canvas.alone));
    this.app.stage.light(canvas.focused);
    this.app.say(canvas.alone ? gettext("Only the chosen phrase and its partner; all else is faint.") : gettext("All is shown."));
  }

  // folds what both sides agree about, or opens it all again
  async foldAgreed() {
    const { app } = this;
    const names = agreed(app.model).flat().map(foldName);
    if (!names.length) return app.say(gettext("Nothing to fold: no phrases agree in all that is below them."));
    const rest = names.filter((name) => !this.folded.has(name)), n = names.length / 2;
    if (rest.length) rest.forEach((name) => this.folded.add(name)); else names.forEach((name) => this.folded.delete(name));
    app.say(fill(rest.length ? ngettext("Folded one phrase on both sides.", "Folded %(n)s phrases on both sides.", n) : ngettext("Opened one phrase on both sides.", "Opened %(n)s phrases on both sides.", n), { n }));
    return this.folding(app.at);
  }

  async folding(key) {
    const { app } = this;
    if (app.outline.on) { app.outline.stale = true; app.refresh(); } else await app.redraw();
    return app.go(key);
  }
}
