// One item, or all paraphrases of a phrase in the grid, as a form with native radios.

import { showDiff } from "./judge_diff.js";

const template = () => document.getElementById("row").content.firstElementChild.cloneNode(true);

function sentence(place, card, phrase) {
  const target = document.createElement("span");
  target.className = "target";
  target.textContent = `⟦${phrase}⟧`;
  place.replaceChildren(card.before, target, card.after);
}

export function makeCard(scales) {
  const form = document.getElementById("card");
  const rows = document.getElementById("rows");
  let shown = [];

  function show(cards) {
    shown = cards.map(makeRow);
    sentence(document.getElementById("original"), cards[0], cards[0].phrase);
    rows.replaceChildren(...shown.map((row) => row.element));
    form.hidden = false;
    problem("");
  }

  function makeRow(card, at, cards) {
    const element = template();
    sentence(element.querySelector(".changed"), card, card.paraphrase);
    showDiff(element.querySelector(".diff"), card.phrase, card.paraphrase);
    if (cards.length > 1) element.querySelector(".item-title").textContent = `Paraphrase ${at + 1} of ${cards.length}`;
    for (const field of element.querySelectorAll("fieldset")) {
      for (const input of field.querySelectorAll("input")) {
        input.name = `${field.dataset.scale}-${at}`;
        const value = card.values[field.dataset.scale];
        if (value === undefined) continue;
        if (input.type === "radio") input.checked = String(value) === input.value;
        else input.value = value;
      }
    }
    const box = element.querySelector("textarea");
    box.value = card.comment ?? "";
    box.id = `comment-${at}`;
    element.querySelector(".comment label").htmlFor = box.id;
    if (box.value) element.querySelector(".comment").open = true;
    return { card, element, box };
  }

  const fields = () => shown.flatMap((row) => [...row.element.querySelectorAll("fieldset")].map((field) => ({ row, field })));

  function valueOf(field) {
    const scale = scales.find((one) => one.name === field.dataset.scale);
    const input = scale.kind === "number" ? field.querySelector("input") : field.querySelector(":checked");
    if (!input || input.value === "" || !input.checkValidity()) return undefined;
    return scale.kind === "nominal" ? input.value : Number(input.value);
  }

  function focusOn(field) {
    const input = field.querySelector(":checked") ?? field.querySelector("input");
    input.focus();
    field.scrollIntoView({ block: "nearest" });
  }

  function active() {
    const all = fields();
    return all.find(({ field }) => field.contains(document.activeElement))
      ?? all.find(({ field }) => valueOf(field) === undefined) ?? all[0];
  }

  // A digit sets the scale in hand and goes on to the next one.
  function digit(sign) {
    const { field } = active();
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
    document.getElementById("problem").textContent = text;
    for (const { field } of fields()) field.classList.remove("missing");
  }

  // The answers, or null with the first empty scale named and in focus.
  function answers() {
    problem("");
    const empty = fields().find(({ field }) => valueOf(field) === undefined);
    if (empty) {
      const scale = scales.find((one) => one.name === empty.field.dataset.scale);
      const where = shown.length > 1 ? ` for paraphrase ${shown.indexOf(empty.row) + 1}` : "";
      empty.field.classList.add("missing");
      focusOn(empty.field);
      document.getElementById("problem").textContent = `Choose a ${scale.title.toLowerCase()} score${where}.`;
      return null;
    }
    return shown.map(({ card, element, box }) => ({
      card,
      note: box.value.trim(),
      values: Object.fromEntries([...element.querySelectorAll("fieldset")]
        .map((field) => [field.dataset.scale, valueOf(field)])),
    }));
  }

  return {
    show, digit, answers, problem,
    hide() { form.hidden = true; shown = []; },
    isComplete: () => fields().every(({ field }) => valueOf(field) !== undefined),
    begin: () => { if (shown.length) focusOn(fields()[0].field); },
    scale(place) { const one = fields().filter(({ row }) => row === active().row)[place]; if (one) focusOn(one.field); },
    comment() { const row = active().row; row.element.querySelector(".comment").open = true; row.box.focus(); },
    leave: () => focusOn(active().field),
    toggleDiff() { for (const { element } of shown) { const place = element.querySelector(".diff"); place.hidden = !place.hidden; } },
    inHand: () => active()?.row.card,
    get isShown() { return shown.length > 0; },
  };
}
