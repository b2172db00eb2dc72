// A drag by mouse or pen: a node, or the chosen siblings, to its new parent or head; a word also to the place of the root.

import { goalsOf, shortName } from "./goals.js";
import { fill, gettext } from "../words.js";

const FAR = 6, EDGE = 24, STEP = 12; // px

export class Drag {
  constructor(box, tree) {
    this.box = box;
    this.tree = tree;
    this.held = null;
    this.isOver = false; // a drag has ended, and its click is still to come
    box.addEventListener("pointerdown", (event) => this.take(event));
    document.addEventListener("pointermove", (event) => this.move(event));
    document.addEventListener("pointerup", () => this.drop());
    document.addEventListener("pointercancel", () => this.end());
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.end(); });
  }

  // whether this click belongs to a drag that has just ended
  isClick() {
    const was = this.isOver;
    this.isOver = false;
    return was;
  }

  take(event) {
    this.isOver = false;
    const node = this.tree.nodeAt(event);
    if (!node || event.button !== 0 || event.shiftKey || event.pointerType === "touch" || !this.tree.mayDrag(node)) return;
    this.held = { node, moved: this.tree.moved(node), x: event.clientX, y: event.clientY, note: null, over: null };
  }

  move(event) {
    const { held } = this;
    if (!held || (!held.note && Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR)) return;
    if (!held.note) this.begin();
    this.scroll(event);
    held.over = this.goalAt(document.elementFromPoint(event.clientX, event.clientY));
    for (const node of this.tree.nodes()) node.classList.toggle("over", node === held.over);
    this.box.querySelector("#root-place")?.classList.toggle("over", held.over === "root");
    held.note.textContent = this.text(held.over);
    const { left, top } = this.box.getBoundingClientRect();
    held.note.style.translate = `${event.clientX - left + 14}px ${event.clientY - top + 14}px`;
  }

  text(over) {
    if (over === "root") return gettext("Make root");
    if (!over) return gettext("Esc to cancel");
    if (this.tree.arcs()) return fill(gettext("Attach to %(name)s"), { name: over.dataset.form });
    return fill(gettext("Move under %(name)s"), { name: shortName(over) });
  }

  begin() {
    const { held, tree } = this;
    tree.began(held.node);
    for (const node of tree.arcs() ? [] : goalsOf(held.moved, tree.nodes())) node.classList.add("allowed");
    for (const node of held.moved) node.classList.add("dragged");
    held.note = Object.assign(document.createElement("div"), { className: "drag-note" });
    this.box.append(held.note);
    this.box.classList.add("dragging");
  }

  // a phrase under the pointer, or that of the word there; not what is moved, or below it
  goalAt(element) {
    if (element?.closest("#root-place")) return "root";
    let node = element?.closest(".tn");
    if (!node || !this.box.contains(node)) return null;
    if (!this.tree.arcs() && node.classList.contains("pw")) node = this.tree.nodeOf(node.dataset.up);
    for (let at = node; at; at = this.tree.nodeOf(at.dataset.up)) if (this.held.moved.includes(at)) return null;
    return node;
  }

  scroll({ clientX: x, clientY: y }) {
    const stage = this.box.querySelector("#stage"), { left, right, top, bottom } = stage.getBoundingClientRect();
    const by = (at, low, high) => (at > high - EDGE ? STEP : 0) - (at < low + EDGE ? STEP : 0);
    stage.scrollBy(by(x, left, right), by(y, top, bottom));
  }

  end() {
    const was = this.held;
    this.held = null;
    if (!was?.note) return null;
    was.note.remove();
    this.box.classList.remove("dragging");
    this.box.querySelector("#root-place")?.classList.remove("over");
    for (const node of this.tree.nodes()) node.classList.remove("over", "allowed", "dragged");
    return was;
  }

  drop() {
    const was = this.end();
    if (!was) return;
    this.isOver = true;
    this.tree.dropped(was.over, was.moved);
  }
}
