// What stands around the drawing can go: the sentences, the details, the map; or all else.

import { gettext } from "../words.js";

const $ = (id) => document.getElementById(id);
const PANES = ["sentences", "details", "map"];

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor, "at" | "go" | "overview" | "say">} PanesHost
 */

export class Panes {
  /** @param {PanesHost} app */
  constructor(app) {
    this.app = app;
    this.main = document.querySelector("main.editor");
    this.away = new Set();
    try { this.away = new Set(JSON.parse(localStorage.getItem("gemel-panes")) || []); } catch { /* first time */ }
    document.addEventListener("fullscreenchange", () => { this.tell(); this.app.overview.mark(); });
    this.tell();
  }

  tell() {
    for (const name of PANES) {
      this.main.classList.toggle(`no-${name}`, this.away.has(name));
      $(`pane-${name}`).setAttribute("aria-pressed", String(!this.away.has(name)));
    }
    $("pane-full").setAttribute("aria-pressed", String(document.fullscreenElement === this.main));
  }

  toggle(name) {
    const held = document.activeElement?.closest(".rail, .map");
    if (!this.away.delete(name)) this.away.add(name);
    try { localStorage.setItem("gemel-panes", JSON.stringify([...this.away])); } catch { /* private window */ }
    this.tell();
    this.app.overview.mark();
    if (held) this.app.go(this.app.at); // or the next key would go nowhere
  }

  async full() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen(); else await this.main.requestFullscreen();
    } catch { this.app.say(gettext("This browser does not support full screen.")); }
  }
}
