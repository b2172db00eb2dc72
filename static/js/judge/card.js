// One item, or all paraphrases of a phrase in the grid, as a form with native radios.

import { fill, gettext } from "../words.js";
import { showDiff } from "./diff.js";
import { makeMarks, marksOf, setMarks } from "./marks.js";

const template = () => document.getElementById("row").content.firstElementChild.cloneNode(true);

const NEAR = 5; // words of context on each side of a phrase where there is little room

// The words next to the phrase, and those further away, which a phone leaves out.
function split(text, isBefore) {
  const words = text.match(/\S+\s*|^\s+/g) ?? [];
  if (words.length <= NEAR + 2) return isBefore ? ["", text] : [text, ""];
  const at = isBefore ? words.length - NEAR : NEAR;
  return [words.slice(0, at).join(""), words.slice(at).join("")];
}

function part(className, text) {
  return Object.assign(document.createElement("span"), { className, textContent: text });
}

function sentence(place, card, phrase) {
  const [farBefore, before] = split(card.before, true);
  const [after, farAfter] = split(card.after, false);
  if (!card.before && !card.after) {
    place.replaceChildren(part("all", phrase)); // whole sentences: nothing to mark
    return false;
  }
  place.replaceChildren(
    part("far", farBefore), part(farBefore ? "near cut-before" : "near", before),
    part("target", `⟦${phrase}⟧`),
    part(farAfter ? "near cut-after" : "near", after), part("far", farAfter),
  );
  return Boolean(farBefore || farAfter);
}

const byId = (id) => document.getElementById(id);

// A score in a box is a number or nothing; a choice is its point.
function setValue(field, value) {
  if (field.querySelector(".words")) setMarks(field, value);
  for (const box of field.querySelectorAll(".written")) box.value = value ?? "";
  for (const input of field.querySelectorAll("input")) {
    if (input.type === "radio") input.checked = String(value) === input.value;
    else input.value = value ?? "";
  }
}

export function makeCard(scales) {
  const form = byId("card");
  const texts = byId("texts");
  let shown = [];
  let words = 0; // of the sentence in view

  // `draft`: an answer to a card that was begun and not saved, or null.
  function show(cards, draft) {
    shown = cards.map(makeRow);
    const isLong = sentence(byId("original"), cards[0], cards[0].phrase);
    fillWhole(cards, isLong);
    byId("rows").replaceChildren(...shown.map((row) => row.element));
    // one paraphrase stays in sight beside the original; of several, each is at its scales
    byId("rendering").replaceChildren(...(shown.length === 1 ? [shown[0].rendering] : []));
    const drafts = shown.map(({ card }) => draft(card));
    shown.forEach((row, at) => enter(row, drafts[at] ?? row.card));
    byId("draft").hidden = !drafts.some(Boolean);
    form.hidden = texts.hidden = false;
    texts.classList.remove("short");
    const isCramped = matchMedia("(max-width: 40rem)").matches || texts.scrollHeight > texts.clientHeight;
    texts.classList.toggle("short", isLong && isCramped);
    texts.tabIndex = texts.scrollHeight > texts.clientHeight ? 0 : -1;
    const inSight = texts.parentElement;
    inSight.parentElement.style.setProperty("--sight", `${inSight.offsetHeight}px`);
    problem("");
  }

  // The whole sentences, to be opened over the scales; the phrases stay above them.
  function fillWhole(cards, isLong) {
    const phrases = cards.length === 1 ? [cards[0].phrase, cards[0].paraphrase] : [cards[0].phrase];
    byId("whole").replaceChildren(...phrases.map((phrase) => {
      const place = document.createElement("p");
      place.dir = "auto";
      sentence(place, cards[0], phrase);
      return place;
    }));
    const { before, phrase, after } = cards[0];
    words = `${before}${phrase}${after}`.split(/\s+/).filter(Boolean).length;
    byId("expand").hidden = !isLong;
    expand(false);
  }

  function expand(isOpen) {
    byId("whole").hidden = !isOpen;
    const button = byId("expand");
    button.setAttribute("aria-expanded", String(isOpen));
    button.textContent = isOpen ? gettext("Show less") : fill(gettext("Show all %(n)s words"), { n: words });
  }

  function makeRow(card, at, cards) {
    const element = template();
    const rendering = element.querySelector(".rendering");
    sentence(rendering.querySelector(".changed"), card, card.paraphrase);
    showDiff(rendering.querySelector(".diff"), card.phrase, card.paraphrase);
    if (cards.length > 1) {
      const title = fill(gettext("Paraphrase %(n)s of %(all)s"), { n: at + 1, all: cards.length });
      rendering.querySelector(".item-title").textContent = title;
    }
    for (const field of element.querySelectorAll("fieldset")) {
      // the best is one of all rows, and so is the worst
      for (const input of field.querySelectorAll("input")) input.name = `${field.dataset.scale}-${isBest(field) ? `of${input.value}` : at}`;
    }
    for (const field of element.querySelectorAll("fieldset:has(.words)")) makeMarks(field, card);
    const box = element.querySelector(".comment textarea");
    box.id = `comment-${at}`;
    element.querySelector(".comment label").htmlFor = box.id;
    return { card, element, box, rendering };
  }

  function enter({ element, box }, { values, comment }) {
    for (const field of element.querySelectorAll("fieldset")) setValue(field, values[field.dataset.scale]);
    box.value = comment ?? "";
    element.querySelector(".comment").open = Boolean(box.value);
  }

  const fields = () => shown.flatMap((row) => [...row.element.querySelectorAll("fieldset")].map((field) => ({ row, field })));

  const isBest = (field) => scaleOf(field).kind === "best";
  const scaleOf = (field) => scales.find((one) => one.name === field.dataset.scale);

  // Of best and worst a row without a choice is 0, once both are chosen somewhere.
  function choiceOf(field) {
    const chosen = fields().filter((one) => one.field.dataset.scale === field.dataset.scale)
      .flatMap((one) => [...one.field.querySelectorAll(":checked")]);
    if (shown.length > 1 && chosen.length < 2) return undefined;
    return Number(field.querySelector(":checked")?.value ?? 0);
  }

  // Arrow keys change a choice, too; only a tap or a click goes on to the next scale.
  let isTap = false;
  form.addEventListener("pointerup", () => { isTap = true; });
  form.addEventListener("keydown", () => { isTap = false; });
  form.addEventListener("change", () => {
    if (isTap) onward();
    isTap = false;
  });

  // In the table, up and down lead from row to row, on the same scale.
  form.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const { target } = event;
    if (!step || shown.length < 2 || target.type !== "radio" || !matchMedia("(min-width: 64rem)").matches) return;
    event.preventDefault();
    const { scale } = target.closest("fieldset").dataset;
    const column = fields().filter(({ field }) => field.dataset.scale === scale);
    const next = column[column.findIndex(({ field }) => field.contains(target)) + step];
    if (next) focusOn(next.field);
  });

  // A row cannot be both.
  form.addEventListener("change", ({ target }) => {
    const field = target.closest("fieldset");
    if (!field || !isBest(field)) return;
    for (const other of field.querySelectorAll(":checked")) if (other !== target) other.checked = false;
  });

  function valueOf(field) {
    const scale = scaleOf(field);
    if (scale.kind === "best") return choiceOf(field);
    if (scale.kind === "spans") return marksOf(field);
    if (scale.kind === "text") return field.querySelector(".written").value.trim() || undefined;
    const input = scale.kind === "number" ? field.querySelector("input") : field.querySelector(":checked");
    if (!input || input.value === "" || !input.checkValidity()) return undefined;
    return scale.kind === "nominal" ? input.value : Number(input.value);
  }

  const targetOf = (field) => field.querySelector(":checked") ?? field.querySelector("input, .written, .word[tabindex='0']");

  function focusOn(field) {
    const input = targetOf(field);
    if (!input) return;
    input.focus({ preventScroll: true });
    // whole scales where they fit; below the sentences in any case
    for (const target of [field, input]) target.scrollIntoView({ block: "nearest" });
  }

  // After a tap: on to the first scale without an answer, if it is not in view.
  function onward() {
    const next = fields().find(({ field }) => valueOf(field) === undefined);
    next?.field.scrollIntoView({ block: "nearest" });
  }

  // Every item from the top: its sentences, and how far one is.
  function begin() {
    if (!shown.length) return;
    window.scrollTo(0, 0);
    targetOf(fields()[0].field)?.focus({ preventScroll: true });
  }

  // What each card holds so far, whether or not it is whole.
  function begun() {
    return shown.map(({ card, element, box }) => ({
      card,
      comment: box.value,
      values: Object.fromEntries([...element.querySelectorAll("fieldset")]
        .map((field) => [field.dataset.scale, valueOf(field)]).filter(([, value]) => value !== undefined)),
    }));
  }

  function active() {
    const all = fields();
    return all.find(({ field }) => field.contains(document.activeElement))
      ?? all.find(({ field }) => valueOf(field) === undefined) ?? all[0];
  }

  // A digit is a row: the first one the best, the second one the worst.
  function choose(field, at) {
    const rows = fields().filter((one) => one.field.dataset.scale === field.dataset.scale);
    const hasBest = rows.some((one) => one.field.querySelector("[value='1']").checked);
    const radio = rows[at]?.field.querySelector(hasBest ? "[value='-1']" : "[value='1']");
    if (!radio) return undefined;
    radio.checked = true;
    radio.focus();
    radio.dispatchEvent(new Event("change", { bubbles: true }));
    return undefined;
  }

  // A digit sets the scale in hand and goes on to the next one.
  function digit(sign) {
    const { field } = active();
    if (isBest(field)) return choose(field, Number(sign) - 1);
    const radios = [...field.querySelectorAll("input[type=radio]")];
    if (!radios.length) return focusOn(field);
    const chosen = radios.find((radio) => radio.value === sign) ?? radios[Number(sign) - 1];
    if (!chosen || (sign === "0" && chosen.value !== "0")) return undefined;
    chosen.checked = true;
    chosen.focus();
    chosen.dispatchEvent(new Event("change", { bubbles: true }));
    const all = fields();
    const next = all[all.findIndex((one) => one.field === field) + 1];
    if (next) focusOn(next.field);
    return undefined;
  }

  function problem(text) {
    byId("problem").textContent = text;
    for (const { field } of fields()) field.classList.remove("missing");
  }

  function lacking({ row, field }) {
    const { title, kind } = scaleOf(field);
    if (kind === "best") return gettext("Choose the best and the worst paraphrase.");
    if (kind === "text") return fill(gettext("Write an answer: %(scale)s."), { scale: title });
    const scale = document.documentElement.lang === "en" ? title.toLowerCase() : title;
    if (shown.length === 1) return fill(gettext("Choose a %(scale)s score."), { scale });
    return fill(gettext("Choose a %(scale)s score for paraphrase %(n)s."), { scale, n: shown.indexOf(row) + 1 });
  }

  // The answers, or null with the first empty scale named and in focus.
  function answers() {
    problem("");
    const empty = fields().find(({ field }) => valueOf(field) === undefined);
    if (empty) {
      empty.field.classList.add("missing");
      focusOn(empty.field);
      byId("problem").textContent = lacking(empty);
      return null;
    }
    return begun().map(({ card, comment, values }) => ({ card, note: comment.trim(), values }));
  }

  function hide({ withTexts = true } = {}) {
    form.hidden = true;
    shown = [];
    if (withTexts) texts.hidden = true;
  }

  return {
    show, digit, answers, problem, hide, begin, begun,
    expand: () => expand(byId("whole").hidden),
    isOpenEnded: scales.some(({ kind }) => ["text", "spans"].includes(kind)), // no key is the last
    isComplete: () => fields().every(({ field }) => valueOf(field) !== undefined),
    scale(place) { const one = fields().filter(({ row }) => row === active().row)[place]; if (one) focusOn(one.field); },
    comment() { const row = active().row; row.element.querySelector(".comment").open = true; row.box.focus(); },
    leave: () => focusOn(active().field),
    toggleDiff() { for (const { rendering } of shown) { const place = rendering.querySelector(".diff"); place.hidden = !place.hidden; } },
    inHand: () => active()?.row.card,
    get isShown() { return shown.length > 0; },
  };
}
