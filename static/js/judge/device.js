// What this device keeps for a time without network: the shell of the judging page, which
// names no one, and the items ahead, by account and campaign. Only the account that is
// marked here is shown any; signing out, or in as someone else, removes them all.
// Unsent answers stay (store.js), without the sentences they are about.

import { AHEAD, OUTBOX, committed, done, opened } from "./store.js";

const MARK = "gemel-judging"; // the key of the account's name
const CACHE = "gemel-judging";
const LASTS_MS = 14 * 86_400_000; // as a session does

/** The account whose items this device may show, or "". */
export function remembered() {
  try {
    const { user, until } = JSON.parse(localStorage.getItem(MARK) ?? "{}");
    return until > Date.now() ? user : "";
  } catch {
    return "";
  }
}

/** @param {string} user */
export function remember(user) {
  try { localStorage.setItem(MARK, JSON.stringify({ user, until: Date.now() + LASTS_MS })); } catch { /* nothing is kept */ }
}

const NO_ONE = "{}"; // the mark while the rest is removed: the next page continues
let forgetting = null;

/** Removes what was kept for anyone. Nothing is shown from the first moment on. */
export function forget() {
  forgetting ??= empty().finally(() => { forgetting = null; });
  return forgetting;
}

async function empty() {
  localStorage.setItem(MARK, NO_ONE);
  if (globalThis.caches) await caches.delete(CACHE);
  const ahead = await opened(AHEAD);
  await committed(ahead, AHEAD, (table) => table.clear());
  const outbox = await opened(OUTBOX);
  const rows = await done(outbox.transaction(OUTBOX.table).objectStore(OUTBOX.table).getAll());
  await committed(outbox, OUTBOX, (table) => { for (const row of rows) table.put({ ...row, shown: "" }); });
  if (localStorage.getItem(MARK) === NO_ONE) localStorage.removeItem(MARK);
}

/**
 * Removes what was kept for anyone but `user`, who is signed in on this page; "": no one is.
 * @param {string} user
 */
export async function forgetOthers(user) {
  try {
    if (localStorage.getItem(MARK) === null || (user && remembered() === user)) return;
    await forget();
  } catch { /* a browser that keeps nothing has nothing to forget */ }
}

/** Calls `act` when another tab removes what was kept for `user`. */
export function onForgotten(user, act) {
  window.addEventListener("storage", ({ key }) => { if (key === MARK && remembered() !== user) act(); });
}

/**
 * The items ahead of one account in one campaign, and what the desk said of them.
 * @param {string} user @param {string} campaign
 */
export async function openHand(user, campaign) {
  const database = await opened(AHEAD).catch(() => null);
  const key = (name) => `${user} ${campaign} ${name}`;
  let order = 0;
  // Nothing comes back once the account is forgotten, from another tab perhaps.
  async function write(what) {
    if (!database || remembered() !== user) return;
    await committed(database, AHEAD, what).catch(() => undefined);
  }
  const row = (name, value) => ({ key: key(name), user, campaign, name, order: (order += 1), value });
  return {
    put: (values) => write((table) => { for (const [name, value] of Object.entries(values)) table.put(row(name, value)); }),
    drop: (name) => write((table) => table.delete(key(name))),
    // In place of what was kept before.
    async fill(values) {
      const before = await this.all();
      await write((table) => {
        for (const name of before.keys()) table.delete(key(name));
        for (const [name, value] of Object.entries(values)) table.put(row(name, value));
      });
    },
    /** By name, in the order in which they were kept. */
    async all() {
      if (!database || remembered() !== user) return new Map();
      const rows = await done(database.transaction(AHEAD.table).objectStore(AHEAD.table).getAll());
      const mine = rows.filter((one) => one.user === user && one.campaign === campaign);
      return new Map(mine.sort((a, b) => a.order - b.order).map(({ name, value }) => [name, value]));
    },
  };
}

/**
 * Keeps this page for a time without network, as far as the browser can.
 * @param {{ worker: string, shell: string }} urls
 */
export async function keepShell({ worker, shell }) {
  if (!navigator.serviceWorker || !remembered()) return;
  const all = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
  const loaded = all.filter(({ initiatorType, name }) => initiatorType !== "fetch" && new URL(name).origin === location.origin);
  try {
    const page = await fetch(shell, { cache: "no-store" });
    if (!page.ok || page.redirected) return;
    await navigator.serviceWorker.register(worker, { scope: location.pathname });
    const cache = await caches.open(CACHE);
    await cache.addAll(new Set(loaded.map(({ name }) => name)));
    if (remembered()) await cache.put(location.pathname, page);
  } catch { /* the page works as long as it is open */ }
}
