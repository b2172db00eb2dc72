// The drawing: dresses the server's bare nodes with states, draws the links, keeps focus.

import { Lines, ofWords } from "./lines.js";
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

// of these places the one where a badge covers least of the nodes and the badges before it
function freePlace(places, width, taken) {
  let best = null, least = Infinity;
  for (const [x, y] of places) {
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
    this.under = null; // the link under the pointer
    this.forget();
  }

  // what the drawing in hand has: nothing until there is one
  forget() {
    this.elements = new Map();
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
    const boxes = [];
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
        boxes.push({ key, level: Number(element.dataset.level), rect: numbers(element.querySelector("rect")), parent: node.up?.key });
        if (node.children.length) element.setAttribute("aria-expanded", String(!element.classList.contains("f")));
      }
      if (!this.elements.has(this.tabStop[side])) this.tabStop[side] = [...this.elements.keys()].find((key) => key[0] === side);
      this.stop(side, this.tabStop[side]);
      for (const path of this.svg.querySelectorAll(`.e.${side}`)) this.edges.set(`${side}:${path.dataset.r}`, path);
    }
    this.laid = new Lines(boxes, this.across, this.size);
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

  // the links to be drawn, and how each looks
  wanted() {
    if (this.overlay.length) return this.overlay.map(({ s, t, letters, kind }) => ({ s, t, kind: letters.length > 1 ? kind : `${kind} ${letters}`, letters }));
    const phrases = this.model.links.filter((link) => link.s[2] === "n");
    const words = this.model.links.filter((link) => link.s[2] !== "n");
    return [...[...phrases, ...words].map(({ s, t, kind, crossing }) => ({ s, t, kind: kind + (crossing ? " crossing" : "") })),
      ...this.model.offered.map(({ s, t, share, crossing }) => ({ s, t, kind: `suggested${crossing ? " crossing" : ""} ${weight(share)}`, share }))];
  }

  // a line that is there already is dressed, and made only where it is not
  drawLinks() {
    if (!this.svg) return;
    const group = this.svg.querySelector("#links");
    const before = this.lines, chain = new Set((this.chain || []).map((row) => `${row.s} ${row.t}`));
    this.lines = new Map();
    group.classList.toggle("explained", chain.size > 0);
    const links = this.wanted().map((link) => ({ ...link, ends: [this.seen(link.s), this.seen(link.t)] })).filter(({ ends: [s, t] }) => s && t);
    this.laid.lay(links.map(({ ends }) => ends), this.root.dataset.links || "both");
    for (const { s, t, kind, share = null, letters, ends } of links) {
      const line = before.get(`${s} ${t}`) || { path: make("path"), s, t };
      const route = this.laid.routes.get(ends.join(" "));
      const explained = chain.has(`${this.model.top(s)} ${this.model.top(t)}`) ? " chain" : "";
      const look = `${kind}${ofWords(s, t) ? " word" : ""}${explained}`;
      if (line.look !== look) line.path.setAttribute("class", look);
      if (line.route?.d !== route.d) line.path.setAttribute("d", route.d);
      this.lines.set(`${s} ${t}`, Object.assign(line, { look, share, route, letters }));
    }
    this.badges?.remove();
    if (this.overlay.length) this.drawBadges();
    arrange(group, [...this.lines.values()].map((line) => line.path));
  }

  // links of up to three other layers: one line for a cell, a badge with the letters
  drawBadges() {
    this.badges = make("g", { class: "badges", role: "group", "aria-label": gettext("Links of the compared layers") });
    this.svg.append(this.badges);
    const taken = [...this.svg.querySelectorAll(".n rect")].map((rect) => { const [x, y, w, h] = numbers(rect); return [x + w / 2, y + h / 2, w, h]; });
    for (const { s, t, letters, route } of this.lines.values()) {
      const w = Math.max(14 + 8 * letters.length, 24);
      const [x, y] = freePlace(this.laid.places(route), w, taken);
      taken.push([x, y, w]);
      const mine = this.model.find(s, t);
      const badge = make("g", { class: "badge", role: "button", tabindex: "0", "data-s": s, "data-t": t, "data-letters": letters,
        "aria-label": fill(mine ? gettext("%(link)s, also in your links. Enter copies, Shift and Enter rejects.") : gettext("%(link)s. Enter copies, Shift and Enter rejects."),
          { link: `${[...letters].join(", ")}: ${this.model.name(s)} = ${this.model.name(t)}` }) });
      badge.append(make("rect", { x: x - w / 2, y: y - 12, width: w, height: 24 }), make("text", { x, y: y + 4, "text-anchor": "middle" }, letters));
      this.badges.append(badge);
    }
  }

  // the link that is nearest to this place of the screen, if one is near
  lineAt(event) {
    const box = this.svg?.getBoundingClientRect();
    if (!box) return null;
    const x = (event.clientX - box.left) / this.zoom, y = (event.clientY - box.top) / this.zoom, hidden = { phrases: true, words: false }[this.root.dataset.links];
    let best = null, least = Infinity;
    for (const line of this.lines.values()) {
      const far = ofWords(line.s, line.t) === hidden ? Infinity : this.laid.far(line.route, x, y, this.zoom);
      if (far < least) [best, least] = [line, far];
    }
    return best;
  }

  // of a link that was chosen here the end on this side of the band
  endAt(line, event) {
    const box = this.svg.getBoundingClientRect(), [top, bottom] = this.laid.band;
    const down = (this.across ? event.clientX - box.left : event.clientY - box.top) / this.zoom;
    return this.seen(down < (top + bottom) / 2 ? line.s : line.t);
  }

  // a node and its links, or one link alone: in front of all others
  light(key, only = null) {
    if (!this.svg) return;
    this.under = only;
    this.root.classList.toggle("on-link", !!only);
    if (this.alone) this.alone = key = this.focused || this.alone;
    const partners = key ? this.model.counterparts(key) : [];
    this.tag?.remove();
    const lit = new Set((only ? [only.s, only.t] : key ? [key, ...partners] : []).map((k) => this.seen(k)));
    const { inside, trail } = this.model.around(key);
    const faint = (each) => !!this.alone && !inside.has(each) && !trail.has(each);
    for (const [each, element] of this.elements) { element.classList.toggle("lit", lit.has(each)); element.classList.toggle("faint", faint(each)); }
    for (const [each, path] of this.edges) { path.classList.toggle("lit", trail.has(each)); path.classList.toggle("faint", faint(each)); }
    for (const line of this.lines.values()) {
      const { path, s, t, share, route } = line, on = only ? line === only : key && (s === key || t === key);
      path.classList.toggle("faint", !!this.alone && !on && !(inside.has(s) && inside.has(t)));
      if (on && share !== null) this.tell(route, percent(share));
      path.classList.toggle("lit", !!on);
      path.classList.toggle("dim", !on && (!!only || (!!key && partners.length > 0)));
      if (on) path.parentNode.append(path);
    }
  }

  // how sure a suggestion is, beside its line
  tell(route, text) {
    const [x, y] = this.laid.place(route, 0.5);
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
