// Saves steps one after the other. A step is on the screen before it is here; it is kept in
// localStorage until the server has it, so neither a reload nor a lost connection loses it.

import { Model } from "./model.js";
import { fill, gettext } from "../words.js";

const WAITS = [1, 2, 5, 15];
const SOON = 120; // ms: the step is safe already; the aligner answers first, undisturbed
const cookie = (name) => document.cookie.split("; ").find((row) => row.startsWith(name + "="))?.split("=")[1] ?? "";

/**
 * GET, or POST where there is a body; the answer's JSON.
 * @param {string} url @param {object} [body] @param {AbortSignal} [signal] @returns {Promise<any>}
 */
export async function call(url, body, signal) {
  /** @type {RequestInit & { headers: Record<string, string> }} */
  const options = { headers: { Accept: "application/json" }, credentials: "same-origin", signal };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.headers["X-CSRFToken"] = cookie("csrftoken");
    options.body = JSON.stringify(body);
  }
  const response = await fetch(url, options);
  const text = await response.text();
  let data = {};
  try { data = JSON.parse(text); } catch { /* a page, not an answer */ }
  if (!response.ok) throw Object.assign(new Error(data.error?.message || fill(gettext("The server answered %(status)s."), { status: response.status })), { status: response.status, code: data.error?.code, facts: data.error?.facts || {} });
  return data;
}

export class Queue {
  // on: {start(), url(), saved(snapshot, idle), refused(error, step), conflict(facts, steps) -> steps, status(text, bad),
  //      signIn() -> whether the person is in again}
  constructor(key, on) {
    this.key = "gemel-steps-" + key;
    this.on = on;
    this.steps = this.stored();
    this.tries = 0;
    this.busy = false;
    addEventListener("online", () => this.flush());
  }

  stored() {
    try { return JSON.parse(localStorage.getItem(this.key)) || []; } catch { return []; }
  }

  keep() {
    try {
      if (this.steps.length) localStorage.setItem(this.key, JSON.stringify(this.steps));
      else localStorage.removeItem(this.key);
    } catch { this.on.status(gettext("This browser cannot store anything: keep the page open until all is saved."), true); }
  }

  get idle() { return !this.steps.length; }

  push(step, revision) {
    this.steps.push({ ...step, uuid: uuid(), base: revision + this.steps.length });
    this.keep();
    this.on.status(gettext("Saving…"));
    if (!this.busy) { clearTimeout(this.timer); this.timer = setTimeout(() => this.flush(), SOON); }
  }

  async flush() {
    clearTimeout(this.timer);
    if (this.busy || !this.steps.length) return;
    this.busy = true;
    this.on.status(gettext("Saving…"));
    try {
      await this.on.start();
      while (this.steps.length) {
        const step = this.steps[0];
        const snapshot = await call(this.on.url(), { ...Model.wire(step), uuid: step.uuid, base_rev: step.base });
        this.steps.shift();
        this.tries = 0;
        this.keep();
        this.on.saved(snapshot, this.steps.length === 0, step);
      }
      this.on.status(gettext("All saved"));
    } catch (error) {
      await this.failed(error);
    } finally {
      this.busy = false;
    }
    if (!this.again) return;
    this.again = false;
    if (this.steps.length) this.flush(); else this.on.status(gettext("All saved"));
  }

  async failed(error) {
    if (error.code === "stale_edit") {
      this.steps = await this.on.conflict(error.facts, this.steps);
      this.steps.forEach((step, i) => { step.base = error.facts.revision + i; });
      this.keep();
      this.again = true;
      return;
    }
    if (error.status && error.status < 500 && ![401, 403, 408, 429].includes(error.status)) {
      const step = this.steps.shift();
      this.steps = this.steps.filter((later) => later.op !== "undo" && later.op !== "redo");
      this.keep();
      this.again = this.steps.length > 0;
      await this.on.refused(error, step);
      return;
    }
    if (error.code === "not_allowed") { this.steps = []; this.keep(); await this.on.refused(error, null); return; }
    if (error.status === 401 || error.status === 403) {
      this.on.status(fill(gettext("You are signed out: %(n)s kept on this device."), { n: this.steps.length }), true);
      if (await this.on.signIn()) { this.again = true; return; }
    }
    const wait = WAITS[Math.min(this.tries++, WAITS.length - 1)];
    this.on.status(fill(gettext("Not sent yet: %(n)s saved on this device, next try in %(seconds)s s."), { n: this.steps.length, seconds: wait }), true);
    this.timer = setTimeout(() => this.flush(), wait * 1000);
  }
}

function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64; bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// Of several tabs with the same links one may write; another may take over.
export class Turn {
  constructor(key, onChange) {
    this.id = Math.random().toString(36).slice(2);
    this.mine = true;
    this.onChange = onChange;
    if (!("BroadcastChannel" in window)) return;
    this.channel = new BroadcastChannel("gemel-" + key);
    this.channel.onmessage = ({ data }) => this.receive(data);
    this.channel.postMessage({ say: "hello", id: this.id });
  }

  receive({ say, id, to }) {
    if (say === "hello" && this.mine) this.channel.postMessage({ say: "held", id: this.id, to: id });
    if (say === "held" && to === this.id) this.set(false);
    if (say === "mine" && id !== this.id) this.set(false);
  }

  take() { this.channel?.postMessage({ say: "mine", id: this.id }); this.set(true); }
  set(mine) { if (mine !== this.mine) { this.mine = mine; this.onChange(mine); } }
}
