// The drawing: dresses the server's bare nodes with states, draws the links, keeps focus.

import { percent } from "./model.js";
import { arrange, setText } from "./parts.js";
import { fill, gettext } from "../words.js";

const NS = "http://www.w3.org/2000/svg";
const make = (name, attributes = {}, text = "") => {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
};
const numbers = (rect) => ["x", "y", "width", "height"].map((name) => parseFloat(rect.getAttribute(name)));

const STATES = ["undecided", "trace", "linked", "null", "suggested", "parked"];

// the surer a suggestion, the heavier its line
const weight = (share) => (share === null ? "p2" : share < 0.5 ? "p1" : share < 0.8 ? "p2" : share < 0.95 ? "p3" : "p4");

// where on the curve a badge covers least of the nodes and the badges before it
function freePlace(curve, width, taken) {
  let best = null, least = Infinity;
  for (let i = 0; i <= 16; i++) {
    const u = 0.5 + (i % 2 ? 1 : -1) * Math.ceil(i / 2) * 0.05;
    const [x, y] = curve.point(u);
    let hidden = 0;
    for (const [cx, cy, w, h = 24] of taken) hidden += Math.max(0, (w + width) / 2 - Math.abs(cx - x)) * Math.max(0, (h + 24) / 2 - Math.abs(cy - y));
    if (hidden < least) [best, least] = [[x, y], hidden];
    if (hidden === 0) break;
  }
  return best;
}

export class Canvas {
  constructor(root, model) {
    this.root = root;
    this.model = model;
    this.zoom = 1;
    this.tabStop = {};
    this.picked = null;
    this.overlay = [];
    this.chain = null;
    /** @type {string | null} the node that is looked at, all else faint */
    this.alone = null;
    this.onMount = this.onView = () => {};
    this.forget();
  }

  // what the drawing in hand has: nothing until there is one
  forget() {
    this.elements = new Map();
    this.anchors = new Map(); // where links begin
    this.faces = new Map(); // what the nodes show
    this.lines = new Map(); // links by the names of their ends
    this.edges = new Map();
  }

  mount(text) {
    if (text) {
      const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      this.root.replaceChildren(document.importNode(parsed, true));
    }
    this.svg = this.root.querySelector("svg");
    if (!this.svg) return;
    this.size = [this.svg.viewBox.baseVal.width, this.svg.viewBox.baseVal.height];
    this.across = this.svg.classList.contains("across");
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", gettext("Two trees face to face"));
    for (const label of this.svg.querySelectorAll(".strip-text")) setText(label, gettext("∅ no counterpart"));
    this.svg.querySelector(":scope > title")?.remove();
    this.svg.querySelector(":scope > desc")?.remove();
    const defs = make("defs");
    const hatch = make("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    hatch.append(make("rect", { width: 6, height: 6 }), make("path", { d: "M0 0V6" }));
    defs.append(hatch);
    this.svg.prepend(defs);
    for (const group of this.svg.querySelectorAll(":scope > g:not(.side), :scope > rect")) group.setAttribute("aria-hidden", "true");
    this.forget();
    for (const side of ["s", "t"]) {
      const tree = this.svg.querySelector(`#side-${side}`);
      tree.setAttribute("role", "tree");
      tree.setAttribute("aria-label", side === "s" ? gettext("Source tree") : gettext("Target tree"));
      for (const element of tree.querySelectorAll(".n")) {
        const key = `${side}:${element.dataset.r}`;
        const node = element.dataset.r && this.model.nodes.get(key);
        if (!node) { element.setAttribute("aria-hidden", "true"); continue; }
        element.setAttribute("role", "treeitem");
        element.setAttribute("aria-level", node.depth + 1);
        element.setAttribute("tabindex", "-1");
        element.dataset.key = key;
        this.elements.set(key, element);
        this.anchors.set(key, this.anchorOf(element.querySelector("rect"), side === "s"));
        if (node.children.length) element.setAttribute("aria-expanded", String(!element.classList.contains("f")));
      }
      if (!this.elements.has(this.tabStop[side])) this.tabStop[side] = [...this.elements.keys()].find((key) => key[0] === side);
      this.stop(side, this.tabStop[side]);
      for (const path of this.svg.querySelectorAll(`.e.${side}`)) this.edges.set(`${side}:${path.dataset.r}`, path);
    }
    this.setZoom(this.zoom);
    this.dress();
    this.onMount?.();
  }

  stop(side, key) {
    this.elements.get(this.tabStop[side])?.setAttribute("tabindex", "-1");
    this.tabStop[side] = key;
    this.elements.get(key)?.setAttribute("tabindex", "0");
  }

  has(key) { return !!this.elements.has(key); }

  // the element that stands for a node: itself, or the folded phrase it is in
  seen(key) {
    let node = this.model.nodes.get(key);
    while (node && !this.elements.has(node.key)) node = node.up;
    return node?.key;
  }

  focus(key) {
    const shown = this.seen(key);
    if (!shown) return;
    this.stop(shown[0], shown);
    this.elements.get(shown).focus();
    this.elements.get(shown).scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  get focused() { return document.activeElement?.dataset?.key || null; }

  dress() {
    if (!this.svg) return;
    const trouble = new Set(this.model.info.problems.filter((p) => ["consistency", "monotonous"].includes(p.rule) && !(p.key in this.model.info.ignored))
      .flatMap((p) => [...p.source.map((r) => `s:${r}`), ...p.target.map((r) => `t:${r}`)]));
    const chain = new Set((this.chain || []).flatMap((row) => [row.s, row.t]));
    for (const [key, element] of this.elements) {
      const face = { state: this.model.state(key), name: this.model.fullName(key), sign: this.model.sign(key), picked: key === this.picked, trouble: trouble.has(key), chain: chain.has(key) };
      const text = Object.values(face).join("\n");
      if (this.faces.get(key) === text) continue;
      this.faces.set(key, text);
      this.wear(element, face);
    }
    for (const side of ["s", "t"]) this.svg.querySelector(`#${side}-null`)?.classList.toggle("ready", this.picked?.[0] === side);
    this.drawLinks();
  }

  wear(element, { state, name, sign, picked, trouble, chain }) {
    for (const each of STATES) element.classList.toggle(each, each === state);
    element.classList.toggle("picked", picked);
    element.classList.toggle("trouble", trouble);
    element.classList.toggle("chain", chain);
    element.setAttribute("aria-label", picked ? fill(gettext("%(name)s, picked"), { name }) : name);
    element.setAttribute("aria-selected", String(picked));
    const badge = element.querySelector(".b");
    if (badge) setText(badge, sign);
    this.lock(element, badge, state === "parked");
  }

  // a padlock where the number would be: a decision on this node is parked
  lock(element, badge, on) {
    const old = element.querySelector(".lock");
    if (!on || !badge) { old?.remove(); return; }
    if (old) return;
    const [x, y] = ["x", "y"].map((name) => parseFloat(badge.getAttribute(name)));
    const left = badge.getAttribute("text-anchor") === "end" ? x - 9 : x;
    element.append(make("path", { class: "lock", d: `M${left} ${y - 5}h9v6h-9zM${left + 2} ${y - 5}v-2a2.5 2.5 0 0 1 5 0v2` }));
  }

  anchorOf(rect, source) {
    const [x, y, w, h] = numbers(rect);
    return this.across ? [source ? x + w : x, y + h / 2] : [x + w / 2, source ? y + h : y];
  }

  curve(s, t) {
    const [a, b] = [this.anchors.get(this.seen(s)), this.anchors.get(this.seen(t))];
    if (!a || !b) return null;
    const far = this.across ? Math.abs(b[0] - a[0]) : Math.abs(b[1] - a[1]);
    const bend = Math.max(this.across ? 30 : 24, far * 0.42);
    const [c, d] = this.across ? [[a[0] + bend, a[1]], [b[0] - bend, b[1]]] : [[a[0], a[1] + bend], [b[0], b[1] - bend]];
    const point = (u) => [0, 1].map((i) => (1 - u) ** 3 * a[i] + 3 * u * (1 - u) ** 2 * c[i] + 3 * u * u * (1 - u) * d[i] + u ** 3 * b[i]);
    return { d: `M${a}C${c} ${d} ${b}`, point };
  }

  // a line that is there already is dressed, and made only where it is not
  drawLinks() {
    const group = this.svg.querySelector("#links");
    const before = this.lines;
    this.lines = new Map();
    const chain = new Set((this.chain || []).map((row) => `${row.s} ${row.t}`));
    group.classList.toggle("explained", chain.size > 0);
    const add = (s, t, kind, share = null) => {
      const line = before.get(`${s} ${t}`) || this.line(s, t);
      if (!line) return null;
      const explained = chain.has(`${this.model.top(s)} ${this.model.top(t)}`) ? " chain" : "";
      const look = `${kind}${s[2] === "w" && t[2] === "w" ? " word" : ""}${explained}`;
      if (line.look !== look) line.path.setAttribute("class", look);
      this.lines.set(`${s} ${t}`, Object.assign(line, { look, share }));
      return line.curve;
    };
    this.badges?.remove();
    if (this.overlay.length) this.drawOverlay(add); else this.drawOwn(add);
    arrange(group, [...this.lines.values()].map((line) => line.path));
  }

  line(s, t) {
    const curve = this.curve(s, t);
    return curve && { path: make("path", { d: curve.d }), s, t, curve };
  }

  drawOwn(add) {
    const phrases = this.model.links.filter((link) => link.s[2] === "n");
    const words = this.model.links.filter((link) => link.s[2] !== "n");
    for (const link of [...phrases, ...words]) add(link.s, link.t, link.kind + (link.crossing ? " crossing" : ""));
    for (const { s, t, share, crossing } of this.model.offered) add(s, t, `suggested${crossing ? " crossing" : ""} ${weight(share)}`, share);
  }

  // links of up to three other layers: one curve for a cell, a badge with the letters
  drawOverlay(add) {
    this.badges = make("g", { class: "badges", role: "group", "aria-label": gettext("Links of the compared layers") });
    this.svg.append(this.badges);
    const taken = [...this.svg.querySelectorAll(".n rect")].map((rect) => { const [x, y, w, h] = numbers(rect); return [x + w / 2, y + h / 2, w, h]; });
    for (const { s, t, letters, kind } of this.overlay) {
      const curve = add(s, t, letters.length > 1 ? kind : `${kind} ${letters}`);
      if (!curve) continue;
      const w = Math.max(14 + 8 * letters.length, 24);
      const [x, y] = freePlace(curve, w, taken);
      taken.push([x, y, w]);
      const mine = this.model.find(s, t);
      const badge = make("g", { class: "badge", role: "button", tabindex: "0", "data-s": s, "data-t": t, "data-letters": letters,
        "aria-label": fill(mine ? gettext("%(link)s, also in your links. Enter copies, Shift and Enter rejects.") : gettext("%(link)s. Enter copies, Shift and Enter rejects."),
          { link: `${[...letters].join(", ")}: ${this.model.name(s)} = ${this.model.name(t)}` }) });
      badge.append(make("rect", { x: x - w / 2, y: y - 12, width: w, height: 24 }), make("text", { x, y: y + 4, "text-anchor": "middle" }, letters));
      this.badges.append(badge);
    }
  }

  light(key) {
    if (!this.svg) return;
    if (this.alone) this.alone = key = this.focused || this.alone;
    const partners = key ? this.model.counterparts(key) : [];
    this.tag?.remove();
    const lit = new Set(key ? [key, ...partners].map((k) => this.seen(k)) : []);
    const { inside, trail } = this.model.around(key);
    const faint = (each) => !!this.alone && !inside.has(each) && !trail.has(each);
    for (const [each, element] of this.elements) { element.classList.toggle("lit", lit.has(each)); element.classList.toggle("faint", faint(each)); }
    for (const [each, path] of this.edges) { path.classList.toggle("lit", trail.has(each)); path.classList.toggle("faint", faint(each)); }
    for (const { path, s, t, share, curve } of this.lines.values()) {
      const on = key && (s === key || t === key);
      path.classList.toggle("faint", !!this.alone && !on && !(inside.has(s) && inside.has(t)));
      if (on && share !== null) this.tell(curve, percent(share));
      path.classList.toggle("lit", !!on);
      path.classList.toggle("dim", !!key && partners.length > 0 && !on);
    }
  }

  // how sure a suggestion is, beside its line
  tell(curve, text) {
    const [x, y] = curve.point(0.5);
    this.tag = make("text", { class: "share", x, y: y + 4, "text-anchor": "middle", "aria-hidden": "true" }, text);
    this.svg.append(this.tag);
  }

  dim(keys) {
    for (const [key, element] of this.elements) element.classList.toggle("dim", !!keys && !keys.has(key));
  }

  setZoom(zoom) {
    this.zoom = Math.min(3, Math.max(0.2, zoom));
    this.svg?.setAttribute("width", Math.round(this.size[0] * this.zoom));
    this.svg?.setAttribute("height", Math.round(this.size[1] * this.zoom));
    this.onView?.();
  }

  // how a page opens: all of it if that can be read, else the root and what is below it
  open() {
    this.fit();
    this.setZoom(Math.max(this.zoom, 0.78));
    this.toRoot("s");
  }

  toRoot(side) {
    const root = this.elements.get(this.model.roots[side][0]?.key);
    if (!root) return;
    const box = root.getBoundingClientRect(), view = this.root.getBoundingClientRect();
    this.root.scrollLeft += (box.left + box.right - view.left - view.right) / 2;
    this.root.scrollTop += (box.top + box.bottom - view.top - view.bottom) / 2;
  }

  fit() {
    if (!this.svg) return;
    const wide = (this.root.clientWidth - 4) / this.size[0], high = (this.root.clientHeight - 4) / this.size[1];
    this.setZoom(Math.min(wide, Math.max(high, 0.6), 1.25));
  }
}
