// Keys of a report: sections, filters, the grid of pairs, sortable tables, staleness.

import { fill, gettext, ngettext } from "../words.js";

const POLL_MS = 30000;
const said = document.querySelector("#said");
const say = (text) => { if (said) said.textContent = text; };

function isTyping(event) {
  return event.target.closest("input, select, textarea, [contenteditable]")
    || event.ctrlKey || event.metaKey || event.altKey;
}

const toggle = document.querySelector("#single-keys");
if (toggle) {
  toggle.checked = localStorage.getItem("report-keys") !== "off";
  toggle.addEventListener("change", () =>
    localStorage.setItem("report-keys", toggle.checked ? "on" : "off"));
}

function openAndFocus(details, target) {
  if (!details) return;
  details.open = true;
  target?.focus();
}

document.querySelector("#print")?.addEventListener("click", () => window.print());

document.addEventListener("keydown", async (event) => {
  if (isTyping(event) || (toggle && !toggle.checked)) return;
  if (/^[1-8]$/.test(event.key)) {
    const link = document.querySelector(`[data-key="${event.key}"]`);
    const section = link && document.querySelector(link.getAttribute("href"));
    if (!section) return;
    event.preventDefault();
    section.scrollIntoView();
    section.focus();
    say(section.querySelector("h2")?.textContent ?? "");
  } else if (event.key === "/") {
    event.preventDefault();
    openAndFocus(document.querySelector(".filters"), document.querySelector("#show"));
  } else if (event.key === "e") {
    event.preventDefault();
    document.querySelector('[data-key="e"]')?.focus();
  } else if (event.key === "y") {
    await navigator.clipboard?.writeText(location.href);
    say(gettext("Address copied"));
  } else if (event.key === "?") {
    const keys = document.querySelector("#keys");
    openAndFocus(keys, keys?.querySelector("summary"));
    keys?.scrollIntoView();
  }
});

// The grid of pairs: one tab stop, arrows move over its cells.
for (const grid of document.querySelectorAll('[role="grid"]')) {
  const rows = [...grid.rows].map((row) =>
    [...row.cells].map((cell) => cell.querySelector("a") ?? cell));
  let at = [1, 1];
  const stop = (r, c, value) => rows[r]?.[c]?.setAttribute("tabindex", value);
  for (const row of rows) for (const cell of row) if (cell.tagName === "A") cell.tabIndex = -1;
  const first = rows.flatMap((row, r) => row.map((cell, c) => [cell, r, c]))
    .find(([cell]) => cell.tagName === "A");
  if (first) at = [first[1], first[2]];
  stop(...at, "0");
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  grid.addEventListener("focusin", (event) => {
    rows.forEach((row, r) => row.forEach((cell, c) => { if (cell === event.target) at = [r, c]; }));
  });
  grid.addEventListener("keydown", (event) => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const next = [at[0] + move[0], at[1] + move[1]];
    if (!rows[next[0]]?.[next[1]]) return;
    stop(...at, "-1");
    stop(...next, "0");
    rows[next[0]][next[1]].focus();
    at = next;
  });
}

// Sortable tables: the header's text becomes a button.
function valueOf(cell) {
  const text = (cell.dataset.value ?? cell.innerText).replace("−", "-").replace(/,/g, "");
  const number = parseFloat(text);
  return Number.isNaN(number) ? text.toLowerCase() : number;
}

function sort(table, column, header) {
  const down = header.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const [x, y] = [valueOf(a.cells[column]), valueOf(b.cells[column])];
    const order = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : typeof x === "number" ? -1 : 1;
    return down ? -order : order;
  });
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.textContent = header.textContent;
    button.addEventListener("click", () => sort(table, column, header));
    header.replaceChildren(button);
  });
}

// Judgments that came since the page was made.
const stale = document.querySelector("#stale");
if (stale) {
  stale.querySelector("a").href = location.href;
  const look = async () => {
    if (document.hidden) return;
    const answer = await fetch(stale.dataset.url).catch(() => null);
    if (!answer?.ok) return;
    const { newer } = await answer.json();
    stale.hidden = !newer;
    const text = ngettext(
      "%(n)s judgment newer than this page.", "%(n)s judgments newer than this page.", newer);
    stale.querySelector("span").textContent = fill(text, { n: newer });
  };
  setInterval(look, POLL_MS);
}
