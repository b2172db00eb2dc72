// The table twin: the server's table in the page, kept in step, with the editor's commands.

import { kindName, percent, stateName } from "./model.js";
import { gettext } from "../words.js";

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "data" | "model" | "run" | "say" | "step" | "stopAt">} TableHost
 */

export class Table {
  /** @param {HTMLElement} root @param {TableHost} app */
  constructor(root, app) {
    this.root = root;
    this.app = app;
    root.addEventListener("submit", (event) => { event.preventDefault(); this.command(event.submitter?.value); });
    root.addEventListener("change", (event) => {
      if (event.target.matches("input[type=radio]")) app.stopAt(`${event.target.name}:${event.target.value}`);
    });
  }

  async show() {
    this.root.hidden = false;
    if (!this.loaded) {
      const url = new URL(this.app.data.urls.table, location.href);
      url.searchParams.set("part", "1");
      url.searchParams.set("layer", this.app.model.info.code || "new");
      const response = await fetch(url, { credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      this.root.replaceChildren(...page.body.childNodes);
      for (const button of this.root.querySelectorAll("[data-live]")) button.hidden = false;
      this.loaded = true;
    }
    this.refresh();
  }

  // where the drawing's focus was, the table's goes on
  focus(key) {
    const box = this.root.querySelector(`table[data-side=${key[0]}] input[value=${key.slice(2)}]`) || this.root.querySelector("input[type=radio]");
    box?.focus();
    this.root.scrollIntoView({ block: "start" });
  }

  hide() { this.root.hidden = true; }
  forget() { this.loaded = false; if (!this.root.hidden) this.show(); }

  chosen(side) {
    const box = this.root.querySelector(`input[name=${side}]:checked`);
    return box ? `${side}:${box.value}` : null;
  }

  command(op) {
    const [s, t] = [this.chosen("s"), this.chosen("t")];
    const keys = [s, t].filter(Boolean);
    if (op === "undo" || op === "redo" || op === "done" || op === "open") this.app.run(op === "open" ? "done" : op);
    else if ((op === "null" || op === "clear") && keys.length) this.app.step({ op, keys });
    else if (["accept", "reject", "why"].includes(op) && keys.length) this.app.run(op, keys[0]);
    else if (!s || !t) this.app.say(gettext("Choose a row on each side, then a command."));
    else if (op === "sure" || op === "possible") this.app.step({ op: "kind", s, t, kind: op });
    else if (op === "crossing" || op === "composed") this.app.step({ op: "crossing", s, t, crossing: op === "crossing" });
    else this.app.step({ op, s, t });
  }

  refresh(shown = null) {
    if (this.root.hidden || !this.loaded) return;
    const { model } = this.app;
    for (const table of this.root.querySelectorAll("table")) {
      for (const row of table.querySelectorAll("tr[data-r]")) {
        const key = `${table.dataset.side}:${row.dataset.r}`;
        const partners = model.partners(key);
        row.querySelector("[data-c=state]").textContent = stateName(model.state(key));
        const offer = model.offers.get(key);
        row.querySelector("[data-c=partner]").textContent = model.counterparts(key).map((partner) => model.name(partner)).join("; ");
        row.querySelector("[data-c=kind]").textContent = kindName(partners[0]?.link.kind) || (offer && offer.share !== null ? percent(offer.share) : "");
        row.classList.toggle("dim", !!shown && !shown.has(key));
      }
    }
    const button = (op) => this.root.querySelector(`button[value=${op}]`);
    if (button("undo")) button("undo").disabled = !model.info.undo;
    if (button("redo")) button("redo").disabled = !model.info.redo;
  }
}
