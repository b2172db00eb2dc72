// What of the drawing is in sight: zoom, map and full screen; the row of words stays at the lower edge.

import { Overview } from "../editor/overview.js";

const LEAST = 0.75, MOST = 2.5, PAD = 14;

export class View {
  /** @param {HTMLElement} box what is as large as the screen when it is full */
  constructor(box) {
    this.box = box;
    this.zoom = 1;
    this.hasMap = true;
  }

  // a new drawing, seen as the one before it was; the first one as a whole if that can be read
  mount() {
    const places = this.root && [this.root.scrollLeft, this.root.scrollTop];
    this.root = /** @type {HTMLElement} */ (document.querySelector("#stage"));
    this.svg = this.root.querySelector("svg");
    this.size = [this.svg.viewBox.baseVal.width, this.svg.viewBox.baseVal.height];
    this.row = this.svg.querySelector(".words");
    this.map = /** @type {HTMLElement} */ (document.querySelector("#map"));
    this.overview = new Overview(this.map, this);
    this.overview.draw();
    this.root.addEventListener("scroll", () => this.settle());
    new ResizeObserver(() => this.settle()).observe(this.root);
    if (places) { this.setZoom(this.zoom); [this.root.scrollLeft, this.root.scrollTop] = places; } else this.fit();
  }

  setZoom(zoom) {
    this.zoom = Math.min(MOST, Math.max(0.2, zoom));
    this.svg.setAttribute("width", String(Math.round(this.size[0] * this.zoom)));
    this.svg.setAttribute("height", String(Math.round(this.size[1] * this.zoom)));
    this.settle();
  }

  fit() {
    const wide = (this.root.clientWidth - PAD) / this.size[0], high = (this.root.clientHeight - PAD) / this.size[1];
    this.setZoom(Math.min(1, Math.max(LEAST, Math.min(wide, high))));
    this.toRoot();
  }

  // of a tree that grows to the right the middle may be empty
  toRoot(_side = "s") {
    const top = this.svg.querySelector('.tn[data-v="0"]').getBoundingClientRect(), view = this.root.getBoundingClientRect();
    this.root.scrollLeft += top.left + top.width / 2 - view.left - this.root.clientWidth / 2;
    this.root.scrollTop = 0;
  }

  settle() {
    const view = this.root.getBoundingClientRect(), drawing = this.svg.getBoundingClientRect();
    const up = Math.min(0, (view.top + this.root.clientHeight - drawing.bottom) / this.zoom);
    this.row?.setAttribute("transform", `translate(0 ${Math.round(up)})`);
    this.overview.mark();
    if (!this.hasMap) this.map.hidden = true;
  }

  // a button of the toolbar; false if that is for the editor
  press(name, button) {
    if (name === "in" || name === "out") this.setZoom(this.zoom * (name === "in" ? 1.25 : 0.8));
    else if (name === "fit") this.fit();
    else if (name === "map") { this.hasMap = !this.hasMap; button.setAttribute("aria-pressed", String(this.hasMap)); this.settle(); }
    else if (name === "full") this.turnFull();
    else return false;
    return true;
  }

  turnFull() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.box.requestFullscreen();
  }

  // the words of these nodes in the sentence above
  light(nodes) {
    const isIn = (w) => nodes.some(({ dataset: { word, end } }) => w >= Number(word) && w < Number(end ?? Number(word) + 1));
    for (const word of document.querySelectorAll("#words [data-w]")) word.classList.toggle("lit", isIn(Number(word.getAttribute("data-w"))));
  }

  // which buttons are down, in a new toolbar
  dressTools() {
    document.querySelector("[data-view=map]")?.setAttribute("aria-pressed", String(this.hasMap));
    document.querySelector("[data-view=full]")?.setAttribute("aria-pressed", String(Boolean(document.fullscreenElement)));
  }
}
