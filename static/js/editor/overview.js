// A small picture of the whole drawing with the visible part marked: click, drag or arrows.

const NS = "http://www.w3.org/2000/svg";
const STEP = 0.5; // of the visible part, for one press of an arrow
const MOVES = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

function make(name, attributes) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export class Overview {
  /** @param {HTMLElement} root @param {import("./canvas.js").Canvas | import("../trees/view.js").View} canvas */
  constructor(root, canvas) {
    this.root = root;
    this.canvas = canvas;
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("pointerdown", (event) => { root.setPointerCapture(event.pointerId); this.held = true; this.point(event); });
    root.addEventListener("pointermove", (event) => { if (this.held) this.point(event); });
    for (const end of ["pointerup", "pointercancel"]) root.addEventListener(end, () => { this.held = false; });
    canvas.root.addEventListener("scroll", () => this.mark());
    new ResizeObserver(() => this.mark()).observe(canvas.root);
  }

  // anew for each drawing: one path of edges, one of boxes
  draw() {
    const { svg } = this.canvas;
    if (!svg) return;
    const edges = [...svg.querySelectorAll(".edges path, .arcs path, .pe path")].map((path) => path.getAttribute("d")).join("");
    const boxes = [...svg.querySelectorAll(".n rect, .tn rect")].map((rect) => {
      const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => rect.getAttribute(name));
      return `M${x} ${y}h${w}v${h}h-${w}z`;
    }).join("");
    const picture = make("svg", { viewBox: svg.getAttribute("viewBox"), preserveAspectRatio: "none", "aria-hidden": "true" });
    this.window = make("rect", { class: "window" });
    picture.append(make("path", { class: "edge", d: edges }), make("path", { class: "box", d: boxes }), this.window);
    this.root.replaceChildren(picture);
    this.mark();
  }

  // there only while some of the drawing is out of sight
  mark() {
    const { root, svg, zoom, size } = this.canvas;
    if (!svg || !this.window) return;
    const whole = root.scrollWidth <= root.clientWidth + 1 && root.scrollHeight <= root.clientHeight + 1;
    this.root.hidden = whole;
    const edge = svg.getBoundingClientRect(), view = root.getBoundingClientRect();
    const x = Math.max(0, view.left - edge.left) / zoom, y = Math.max(0, view.top - edge.top) / zoom;
    const facts = { x, y, width: Math.min(size[0] - x, root.clientWidth / zoom), height: Math.min(size[1] - y, root.clientHeight / zoom) };
    for (const [name, value] of Object.entries(facts)) this.window.setAttribute(name, String(Math.max(0, Math.round(value))));
  }

  point(event) {
    const box = this.root.getBoundingClientRect(), { root } = this.canvas;
    root.scrollLeft = ((event.clientX - box.left) / box.width) * root.scrollWidth - root.clientWidth / 2;
    root.scrollTop = ((event.clientY - box.top) / box.height) * root.scrollHeight - root.clientHeight / 2;
  }

  key(event) {
    const { root } = this.canvas, by = MOVES[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (by) root.scrollBy(by[0] * root.clientWidth, by[1] * root.clientHeight);
    else if (event.key === "Home") this.canvas.toRoot("s");
    else if (event.key === "End") this.canvas.toRoot("t");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
