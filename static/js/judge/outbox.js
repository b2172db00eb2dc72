// Sends answers one after another, each until the server has acknowledged it.
// The same uuid sent twice counts once, so sending again is always safe. `of` names the
// part of a message that says what it is about.

import { isSignedOut, send } from "./http.js";

const WAITS_S = [1, 2, 5, 15];

export function makeOutbox({ store, url, wish, on, of = "judgment" }) {
  const waiting = []; // messages in order; the first may be on its way
  const parked = new Set(); // those that the judge has to decide about
  const revisions = new Map(); // what a message is about -> revision this tab knows of
  let busy = false;
  let failures = 0;
  let timer = 0;
  let order = Date.now();
  let writing = 0; // messages on their way into the store

  // What is said to be queued is in the store: it outlives the page.
  const report = () => on.change(waiting.length + parked.size, writing > 0);

  async function add(message) {
    const kept = { ...message, uuid: crypto.randomUUID(), order: (order += 1) };
    waiting.push(kept);
    writing += 1;
    report();
    try { await store.put(kept); } catch { /* no room to keep it: it is sent all the same */ }
    writing -= 1;
    report();
    pump();
  }

  async function load() {
    waiting.push(...await store.all());
    report();
  }

  function pump() {
    clearTimeout(timer);
    if (!busy && waiting.length) next();
  }

  async function next() {
    busy = true;
    const message = waiting[0];
    const { order: _, user: __, campaign: ___, shown: ____, ...body } = message;
    body.seen = Math.max(message.seen, revisions.get(message[of]) ?? 0);
    const answer = await send(url, { body: { ...body, ...wish() } });
    busy = false;
    await settle(message, answer);
  }

  async function settle(message, answer) {
    if (answer.status === 200) return acknowledged(message, answer.body);
    if (isSignedOut(answer)) return on.signedOut();
    if (answer.status === 0 || answer.status >= 500) return later();
    if (answer.status === 409 && answer.body.error?.code === "stale_edit") {
      park(message);
      on.conflict(message, answer.body.error.facts);
    } else {
      park(message);
      on.refused(message, answer.body.error ?? { code: `http_${answer.status}`, message: "" });
    }
    return pump();
  }

  async function acknowledged(message, body) {
    failures = 0;
    revisions.set(message[of], body.saved.revision);
    await drop(message);
    on.saved(message, body);
    pump();
  }

  function leave(message) {
    const at = waiting.indexOf(message);
    if (at >= 0) waiting.splice(at, 1);
    parked.delete(message);
  }

  function park(message) {
    leave(message);
    parked.add(message);
  }

  async function drop(message) {
    leave(message);
    await store.drop(message.uuid);
    report();
  }

  function later() {
    const wait = WAITS_S[Math.min(failures, WAITS_S.length - 1)];
    failures += 1;
    report();
    timer = setTimeout(pump, 1000 * wait);
  }

  return {
    add, load, pump, drop,
    get size() { return waiting.length + parked.size; },
    get codes() { return [...waiting, ...parked].map((message) => message[of]); },
    // First answers that the server has not counted: none of those it `knows`.
    uncounted: (knows) => waiting.filter(({ verb, seen, judgment }) => verb === "save" && seen === 0 && !knows.has(judgment)).length,
    get isRetrying() { return failures > 0; },
    holds: (code) => [...waiting, ...parked].some((message) => message[of] === code),
    again(message) {
      parked.delete(message);
      waiting.push(message);
      pump();
    },
    // The judge chose over what is stored: as a new message on top of it.
    async insist(message, revision) {
      revisions.set(message[of], revision);
      const fresh = { ...message, uuid: crypto.randomUUID(), seen: revision };
      parked.delete(message);
      waiting.push(fresh);
      await store.put(fresh);
      await store.drop(message.uuid);
      pump();
    },
    seen: (code, revision) => Math.max(revision, revisions.get(code) ?? 0),
  };
}
