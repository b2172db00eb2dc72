// Keys, clicks and drags become commands.

import { commandOf, menuFor } from "./commands.js";
import { openMenu } from "./dialogs.js";

const $ = (id) => document.getElementById(id);
const nodeAt = (element) => element.closest?.("[data-key]")?.dataset.key || null;

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "canvas" | "comparison" | "filter" | "go" | "last" | "makeNull" | "pickOrLink" | "queue" |
 *   "refresh" | "run" | "showing" | "stage" | "better" | "writable">} InputHost
 */

export class Input {
  /** @param {InputHost} app */
  constructor(app) { this.app = app; }

  listen() {
    document.addEventListener("keydown", (event) => this.key(event));
    $("tools").addEventListener("click", (event) => { const button = event.target.closest("[data-do]"); if (button) this.app.run(button.dataset.do); });
    $("view").addEventListener("change", (event) => { this.app.showing.view = event.target.value; this.app.showing.keep(); });
    $("shown-links").addEventListener("change", (event) => this.app.showing.choose(event.target.value));
    $("filter").addEventListener("change", (event) => { this.app.filter = event.target.value; this.app.refresh(); if (this.app.filter === "versus" && !this.app.comparison.layers.length) this.app.comparison.toggle(); });
    $("layer").addEventListener("change", (event) => { location.search = event.target.value ? "?layer=" + event.target.value : ""; });
    $("better").addEventListener("click", (event) => { const take = event.target.closest("[data-take]")?.dataset.take; if (take) { if (take === "yes") this.app.better.take(); else this.app.better.leave(); } });
    for (const root of [$("canvas"), $("outline")]) this.pointing(root);
    $("canvas").addEventListener("pointermove", (event) => this.hover(event));
    addEventListener("beforeunload", (event) => { if (!this.app.queue.idle && !this.app.queue.stored().length) event.preventDefault(); });
  }

  /** @param {HTMLElement} root the drawing or the outline */
  pointing(root) {
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("dblclick", (event) => { const key = nodeAt(event.target); if (key) this.app.showing.fold(key); });
    root.addEventListener("contextmenu", (event) => this.menu(event));
    root.addEventListener("pointerover", (event) => this.app.stage.light(nodeAt(event.target)));
    root.addEventListener("pointerleave", () => this.app.stage.light(null));
    root.addEventListener("focusin", (event) => { const key = nodeAt(event.target); if (key) { this.app.last = key; this.app.stage.stop(key[0], key); this.app.stage.light(key); } });
    root.addEventListener("pointerdown", (event) => { this.drag = { key: nodeAt(event.target), x: event.clientX, y: event.clientY }; });
    root.addEventListener("pointerup", (event) => this.dropped(event));
  }

  key(event) {
    if (document.querySelector("dialog[open]") || !$("menu").hidden) return;
    const found = commandOf(event);
    if (!found) return;
    const { target } = event;
    const typing = target.closest("input:not([type=radio], [type=checkbox]), select, textarea");
    const badge = target.closest(".badge");
    if (badge && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); if (event.shiftKey) this.app.comparison.rejectLink(badge); else this.app.comparison.copyLink(badge); return; }
    const anywhere = event.ctrlKey || event.metaKey;
    const inTree = target === document.body || target.closest("#canvas, #outline");
    const moves = /^(Arrow|Enter|Space| |Delete|Backspace)/.test(event.key) || event.key === " ";
    const inTable = target.closest("#table") && !moves;
    if (typing || !(anywhere || inTree || inTable)) return;
    event.preventDefault();
    this.app.run(found.id);
  }

  click(event) {
    const badge = event.target.closest(".badge");
    if (badge) { if (event.shiftKey) this.app.comparison.rejectLink(badge); else this.app.comparison.copyLink(badge); return; }
    if (event.target.closest(".null-strip")) { if (this.app.canvas.picked) this.app.makeNull([this.app.canvas.picked]); return; }
    const key = nodeAt(event.target);
    if (!key && !this.dragged) { this.clickLink(event); return; }
    if (!key || this.dragged) { this.dragged = false; return; }
    if (event.target.closest(".twist")) { this.app.showing.fold(key); return; }
    this.app.go(key);
    if (this.app.writable) this.app.pickOrLink(key, event.shiftKey);
  }

  // a link has no width to be pointed at: the nearest is meant
  hover(event) {
    const { canvas } = this.app, line = this.linkAt(event);
    if (line !== canvas.under && !nodeAt(event.target)) canvas.light(null, line);
  }

  clickLink(event) {
    const line = this.linkAt(event);
    if (line) this.app.go(this.app.canvas.endAt(line, event));
  }

  linkAt(event) {
    const { canvas } = this.app;
    return event.target.closest?.("#canvas") && !event.target.closest(".n, .badge, .null-strip") ? canvas.lineAt(event) : null;
  }

  dropped(event) {
    const from = this.drag?.key;
    this.dragged = false;
    if (!from || Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) < 10) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const to = under && nodeAt(under);
    if (to && to[0] !== from[0]) { this.app.canvas.picked = from; this.dragged = true; this.app.pickOrLink(to); }
    else if (under?.closest?.(".null-strip")) { this.dragged = true; this.app.makeNull([from]); }
  }

  menu(event) {
    const key = nodeAt(event.target);
    if (!key) return;
    event.preventDefault();
    this.app.go(key);
    const box = document.activeElement.getBoundingClientRect();
    const byKey = event.clientX === 0 && event.clientY === 0;
    openMenu(menuFor(this.app, key), byKey ? box.left : event.clientX, byKey ? box.bottom : event.clientY, (id) => this.app.run(id, key));
  }
}
