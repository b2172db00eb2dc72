// The ledger: verdicts by key or click, sent one after another until acknowledged, kept
// in the browser until then. Without this script every verdict is a plain form.

import { digitOf } from "../judge/keys.js";
import { makeOutbox } from "../judge/outbox.js";
import { openStore } from "../judge/store.js";
import { askSignIn } from "../signing.js";
import { fill, gettext } from "../words.js";

const data = JSON.parse(document.querySelector("#ledger-data").textContent);
const rows = [...document.querySelectorAll("[data-change]")];
const byCode = new Map(rows.map((row) => [row.dataset.change, row]));
const saved = document.querySelector("#saved");
const said = document.querySelector("#said");
const toggle = document.querySelector("#single-keys");
const done = data.mine; // {change, before, revision}, the latest last
const verdicts = ["", "fix", "error", "both", "bad"];
const nameOf = (row, value) =>
  row.querySelector(`button[value="${value}"]`)?.lastChild.textContent.trim() ?? "";

const store = await openStore(data.user, `ledger-${data.run}`);
const outbox = makeOutbox({
  store, url: data.url, of: "change", wish: () => ({}),
  on: { change: show, saved: keep, signedOut: askToSignIn, conflict, refused },
});

function show(n, isWriting) {
  const queued = isWriting ? gettext("Keeping …") : fill(gettext("Queued: %(n)s not sent yet"), { n });
  saved.textContent = n ? queued : gettext("Saved");
}

function paint(row, value) {
  row.dataset.verdict = value;
  for (const button of row.querySelectorAll(".verdicts [aria-pressed]")) {
    button.setAttribute("aria-pressed", String(button.value === value));
  }
  row.querySelector(".clear").hidden = value === "";
  row.querySelector(".by").textContent = value ? data.user : "";
}

function keep(message, body) {
  const row = byCode.get(message.change);
  if (row) seen(row, body.saved.revision);
  document.body.dispatchEvent(new CustomEvent("judged"));
}

function seen(row, revision) {
  row.dataset.revision = revision;
  row.querySelector('[name="seen"]').value = revision;
}

function forget(message) {
  const at = done.findLastIndex((one) => one.change === message.change);
  if (at >= 0) done.splice(at, 1);
  outbox.drop(message);
}

function conflict(message, facts) {
  forget(message);
  const row = byCode.get(message.change);
  if (!row) return tell(gettext("Someone else judged a change on another page. It stays as it is."));
  paint(row, facts.verdict);
  seen(row, facts.revision);
  row.classList.add("conflict");
  const there = facts.verdict ? nameOf(row, facts.verdict) : gettext("no verdict");
  const text = fill(gettext("Someone judged this in the meantime: %(verdict)s. Your verdict is not stored; give it again to replace theirs."), { verdict: there });
  row.querySelector(".by").textContent = text;
  return tell(text);
}

function refused(message, error) {
  forget(message);
  const row = byCode.get(message.change);
  if (row) paint(row, message.shown ?? "");
  tell(fill(gettext("Not stored: %(why)s"), { why: error.message || error.code }));
}

async function askToSignIn() {
  if (await askSignIn()) outbox.pump();
  else tell(gettext("You are signed out. Your verdicts wait here."));
}

function tell(text) {
  said.textContent = text;
  saved.textContent = text;
}

// Gives a verdict; with `isUndo` it is not itself put on the list of what can be undone.
function judge(row, value, { isUndo = false } = {}) {
  const before = row.dataset.verdict;
  if (value === before) return;
  const revision = Number(row.dataset.revision);
  if (!isUndo) done.push({ change: row.dataset.change, before, revision: revision + 1 });
  row.classList.remove("conflict");
  paint(row, value);
  said.textContent = value ? nameOf(row, value) : gettext("Verdict undone");
  outbox.add({ change: row.dataset.change, seen: revision, verdict: value, shown: before });
}

function undo() {
  const last = done.pop();
  if (!last) return tell(gettext("Nothing to undo."));
  const row = byCode.get(last.change);
  if (row) {
    judge(row, last.before, { isUndo: true });
    return go(row);
  }
  outbox.add({ change: last.change, seen: last.revision, verdict: last.before });
  return tell(gettext("Undone: a change of another page."));
}

function go(row) {
  row.focus();
  row.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const at = rows.indexOf(document.activeElement.closest("[data-change]"));
  const next = at < 0 ? rows[0] : rows[at + by];
  if (next) return go(next);
  const link = document.querySelector("#next-page");
  if (by > 0 && link) {
    link.focus();
    return tell(gettext("The last change of this page. Enter opens the next page."));
  }
  return tell(by > 0 ? gettext("The last change.") : gettext("The first change."));
}

function nextOpen() {
  const at = rows.indexOf(document.activeElement.closest("[data-change]"));
  const open = (row) => row.dataset.verdict === "";
  const row = rows.slice(at + 1).find(open) ?? rows.find(open);
  if (row) go(row);
  else tell(gettext("Every change of this page has a verdict."));
}

const moves = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  n: nextOpen,
};

document.addEventListener("keydown", (event) => {
  const isText = event.target.closest("input:not([type=checkbox]), select, textarea");
  const isOff = isText || document.querySelector("dialog[open]") || event.altKey || event.metaKey || !toggle?.checked;
  if (isOff || event.isComposing) return;
  const row = event.target.closest("[data-change]");
  const digit = digitOf(event);
  if (event.key.toLowerCase() === (event.ctrlKey ? "z" : "u")) {
    undo();
  } else if (event.ctrlKey) {
    return;
  } else if (row && verdicts[digit] !== undefined && digit !== "") {
    judge(row, verdicts[digit]);
    if (digit !== "0") step(1);
  } else if (moves[event.key]) {
    moves[event.key]();
  } else if (event.key === "Enter" && event.target === row) {
    row.querySelector("[data-open]").click();
  } else {
    return;
  }
  event.preventDefault();
});

document.addEventListener("submit", (event) => {
  const row = event.target.closest("[data-change]");
  if (!row || !event.submitter) return;
  event.preventDefault();
  judge(row, event.submitter.value);
});

if (toggle) {
  toggle.checked = localStorage.getItem("ledger-keys") !== "off";
  toggle.addEventListener("change", () =>
    localStorage.setItem("ledger-keys", toggle.checked ? "on" : "off"));
}
addEventListener("beforeunload", (event) => {
  if (outbox.size && !store.isSafe) event.preventDefault();
});

// What another visit left unsent is shown as it was, and sent first.
for (const message of await store.all()) {
  const row = byCode.get(message.change);
  if (row) paint(row, message.verdict);
}
await outbox.load();
if (outbox.size) outbox.pump();
else saved.textContent = "";

const asked = location.hash && byCode.get(location.hash.slice(2));
if (asked) go(asked);
else if (new URLSearchParams(location.search).has("after") && rows[0]) rows[0].focus();
document.body.dataset.ready = "ledger";
