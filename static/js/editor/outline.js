// Two indented trees side by side, linked rows level with each other: for long sentences
// and small screens. Rows take the same commands as the nodes of the drawing.

import { aligned } from "./levelling.js";
import { el } from "./dialogs.js";
import { percent, stateName } from "./model.js";
import { Parts, arrange } from "./parts.js";
import { fill, gettext } from "../words.js";

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor, "canvas" | "model" | "showing">} OutlineHost
 */

export class Outline {
  /** @param {HTMLElement} root @param {OutlineHost} app */
  constructor(root, app) {
    this.root = root;
    this.app = app;
    this.parts = new Parts();
    this.items = new Map();
    this.tabStop = {};
    this.stale = false; // folds that the drawing does not know of yet
    this.trees = { s: root.querySelector("[data-side=s]"), t: root.querySelector("[data-side=t]") };
  }

  get on() { return !this.root.hidden; }
  get focused() { return document.activeElement?.dataset?.key || null; }
  has(key) { return this.items.has(key); }

  // the row that stands for a node: its own, or that of the closed phrase it is in
  seen(key) {
    let node = this.app.model.nodes.get(key), shown = node;
    for (; node; node = node.up) if (node.up && this.app.showing.isFolded(node.up.key)) shown = node.up;
    return shown?.key;
  }

  rows(side) { return this.app.model.order.filter((key) => key[0] === side && this.seen(key) === key); }

  draw(shown = null) {
    const { model } = this.app;
    const [s, t] = [this.rows("s"), this.rows("t")];
    const levels = aligned(s, t, (key) => model.counterparts(key)[0]);
    this.parts.begin();
    this.items.clear();
    const held = this.focused;
    for (const [i, side] of ["s", "t"].entries()) {
      arrange(this.trees[side], levels.map((pair, n) => (pair[i] ? this.item(pair[i], !!pair[1 - i], shown) : this.gap(side, n))));
      const first = this.tabStop[side];
      this.stop(side, this.items.has(first) ? first : [s, t][i][0]);
    }
    if (held && this.focused !== held) this.items.get(this.seen(held))?.focus();
  }

  gap(side, n) { return this.parts.get(`${side} gap ${n}`, [], () => el("div", { class: "gap", "aria-hidden": "true" })); }

  item(key, level, shown) {
    const { model, canvas, showing } = this.app, node = model.nodes.get(key);
    const closed = showing.isFolded(key) && node.children.length > 0, picked = canvas.picked === key;
    const said = model.fullName(key), state = model.state(key), dim = !!shown && !shown.has(key);
    const face = [said, state, model.sign(key), closed, picked, level, dim, node.depth];
    const item = this.parts.get(key, face, () => {
      const made = el("div", {
        class: ["o", state, picked && "picked", dim && "dim", this.crossing(key) && "crossing"].filter(Boolean).join(" "), role: "treeitem", tabindex: "-1",
        "data-key": key, "aria-level": node.depth + 1, "aria-selected": String(picked), "aria-label": picked ? fill(gettext("%(name)s, picked"), { name: said }) : said,
        "aria-expanded": node.children.length ? String(!closed) : null, title: said,
      },
      el("span", { class: "twist" }, node.children.length ? (closed ? "▸" : "▾") : ""), el("b", {}, model.sign(key)),
      el("span", { class: "lab" }, node.label), el("bdi", {}, node.form || (closed ? node.text : short(node.text))), this.elsewhere(key, level));
      made.style.setProperty("--depth", node.depth);
      return made;
    });
    this.items.set(key, item);
    return item;
  }

  crossing(key) { return this.app.model.partners(key).some(({ link }) => link.crossing); }

  // what stands at the end of a row: how sure a suggestion is, or a partner not beside it
  elsewhere(key, level) {
    const { model } = this.app, offer = model.offers.get(key), to = model.counterparts(key)[0];
    if (level) return offer?.share ? el("small", {}, percent(offer.share)) : null;
    return to ? el("small", {}, `→ ${model.name(to)}`) : model.state(key) === "null" ? el("small", {}, stateName("null")) : null;
  }

  stop(side, key) {
    this.items.get(this.tabStop[side])?.setAttribute("tabindex", "-1");
    this.tabStop[side] = key;
    this.items.get(key)?.setAttribute("tabindex", "0");
  }

  focus(key) {
    const shown = this.seen(key);
    this.stop(shown[0], shown);
    this.items.get(shown)?.focus();
  }

  // the partner is marked, wherever its row is
  light(key) {
    const { canvas, model } = this.app;
    if (canvas.alone) canvas.alone = key = this.focused || canvas.alone;
    const lit = new Set(key ? [key, ...model.counterparts(key)].map((each) => this.seen(each)) : []);
    const { inside, trail } = model.around(key);
    for (const [each, item] of this.items) {
      item.classList.toggle("lit", lit.has(each));
      item.classList.toggle("faint", !!canvas.alone && !inside.has(each) && !trail.has(each));
    }
  }

  // where an arrow leads from a row: {key} to go to, or {fold} to close or open
  arrow(name, key) {
    const node = this.app.model.nodes.get(key), rows = this.rows(key[0]);
    const closed = this.app.showing.isFolded(key);
    if (name === "up" || name === "down") return { key: rows[rows.indexOf(key) + (name === "up" ? -1 : 1)] };
    if (name === "left") return node.children.length && node.up && !closed ? { fold: key } : { key: node.up?.key };
    return node.children.length && closed ? { fold: key } : { key: node.children[0]?.key };
  }
}

const short = (text) => {
  const words = text.split(" ");
  return words.length > 4 ? `${words[0]} ${words[1]} … ${words.at(-1)}` : text;
};
