// Small things every page may use: copying a value, forms that keep what is typed and ask
// who is signed in, and the way to the search over everything (Ctrl+K; "/" where a page
// has no use of its own).

import { keepForms } from "./drafts.js";
import { forget, forgetOthers } from "./judge/device.js";
import { guardForms } from "./signing.js";
import { gettext } from "./words.js";

const { shell, user } = document.documentElement.dataset;
if (shell === undefined) forgetOthers(user ?? "");
keepForms();
guardForms();
showCurrent();

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = document.querySelector(button.dataset.copy)?.textContent.trim() ?? "";
  await navigator.clipboard.writeText(text);
  button.textContent = gettext("Copied");
});

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-leaves]")) forget().catch(() => undefined);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit-on-change]")) event.target.form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  const search = /** @type {HTMLAnchorElement | null} */ (document.querySelector("#search"));
  if (!search || event.altKey || event.defaultPrevented) return;
  const isK = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k";
  const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !isTyping(event.target)
    && !document.querySelector(".filters, #canvas, #card");
  if (!isK && !isSlash) return;
  event.preventDefault();
  location.assign(search.href);
});

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;
}

/** On a narrow screen the sections are one row, which may be wider than the screen. */
function showCurrent() {
  const here = /** @type {HTMLElement | null} */ (document.querySelector(".side [aria-current]"));
  const row = here?.closest("ul");
  if (!here || !row || row.scrollWidth <= row.clientWidth) return;
  row.scrollLeft += here.getBoundingClientRect().left - (row.clientWidth - here.offsetWidth) / 2;
}
