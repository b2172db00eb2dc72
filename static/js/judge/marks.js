// Words of both sentences to mark: by click, tap or drag, and by keys.

const MARK = /^(source|paraphrase):(\d+)-(\d+)$/;
const SEGMENTER = "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity: "word" }) : null;
const EVENT = { bubbles: true };

// Words, and what is between them: [text, whether it can be marked]. Punctuation goes
// with the word it touches.
function pieces(text) {
  const parts = SEGMENTER ? [...SEGMENTER.segment(text)] : (text.match(/\s+|\S+/g) ?? []).map((segment) => ({ segment, isWordLike: /\S/.test(segment) }));
  const found = [];
  let isOpen = false; // the last piece takes what follows: it is punctuation before a word
  for (const { segment, isWordLike } of parts) {
    const isText = /\S/.test(segment);
    const last = found.at(-1);
    if (last?.[1] && isText && (isOpen || !isWordLike)) last[0] += segment;
    else {
      found.push([segment, isText]);
      isOpen = isText;
    }
    if (isWordLike || !isText) isOpen = false;
  }
  return found;
}

const length = (text) => [...text].length; // characters, as the server counts them

function fillSide(place, text) {
  let at = 0;
  place.replaceChildren(...pieces(text).map(([piece, isWord]) => {
    const start = at;
    at += length(piece);
    const node = document.createElement("span");
    node.textContent = piece;
    Object.assign(node.dataset, { start, end: at });
    if (isWord) {
      node.className = "word";
      node.tabIndex = -1;
      node.setAttribute("role", "checkbox");
      node.setAttribute("aria-checked", "false");
    }
    return node;
  }));
}

/** @param {Element} field @returns {HTMLElement[]} */
const wordsOf = (field) => /** @type {HTMLElement[]} */ ([...field.querySelectorAll(".word")]);
const isOn = (word) => word.getAttribute("aria-checked") === "true";
const turn = (word, on) => word.setAttribute("aria-checked", String(on));

// What is marked, neighbours together, with the spaces between them: "source:0-5 …"
function read(field) {
  const marks = [];
  for (const place of field.querySelectorAll(".words")) {
    let open = null;
    for (const node of place.children) {
      const { start, end } = node.dataset;
      if (!node.matches(".word")) continue;
      if (!isOn(node)) open = null;
      else if (open) open.end = end;
      else marks.push(open = { side: place.dataset.side, start, end });
    }
  }
  return marks.map(({ side, start, end }) => `${side}:${start}-${end}`).join(" ");
}

/** What is marked, as it is stored. @param {Element} field */
export const marksOf = (field) => read(field);

/** Mark what is stored. @param {Element} field @param {string | undefined} value */
export function setMarks(field, value) {
  const marks = (value ?? "").split(" ").map((part) => MARK.exec(part)).filter(Boolean);
  for (const word of wordsOf(field)) {
    const { side } = word.parentElement.dataset;
    const [start, end] = [Number(word.dataset.start), Number(word.dataset.end)];
    turn(word, marks.some(([, of, from, to]) => of === side && Number(from) < end && start < Number(to)));
  }
}

const changed = (field) => {
  field.dispatchEvent(new Event("input", EVENT));
  field.dispatchEvent(new Event("change", EVENT));
};

function focusWord(field, word) {
  for (const one of wordsOf(field)) one.tabIndex = one === word ? 0 : -1;
  word?.focus({ preventScroll: true });
  word?.scrollIntoView({ block: "nearest" });
}

function onKey(field, event) {
  const all = wordsOf(field);
  const at = all.indexOf(event.target);
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const isRight = getComputedStyle(event.target.parentElement).direction === "rtl";
  const step = { ArrowLeft: isRight ? 1 : -1, ArrowRight: isRight ? -1 : 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
  const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : at + (step ?? 0);
  if (event.key === " ") {
    event.preventDefault();
    turn(event.target, !isOn(event.target));
    changed(field);
  } else if (to !== at && all[to]) {
    event.preventDefault();
    if (event.shiftKey) {
      turn(event.target, true);
      turn(all[to], true);
      changed(field);
    }
    focusWord(field, all[to]);
  }
}

// A press turns a word; dragged on, all words up to the pointer become like it.
function listenToPointer(field) {
  let drag = null;
  const wordAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest(".word");
  field.addEventListener("pointerdown", (event) => {
    const word = event.target.closest(".word");
    if (!word || event.button) return;
    if (event.pointerType !== "touch") event.preventDefault(); // no selection of text
    drag = { from: word, on: !isOn(word), before: wordsOf(field).map(isOn), last: word };
    if (event.pointerType !== "touch") paint(word);
  });
  function paint(to) {
    const all = wordsOf(field);
    const [a, b] = [all.indexOf(drag.from), all.indexOf(to)].sort((x, y) => x - y);
    all.forEach((word, at) => turn(word, at >= a && at <= b ? drag.on : drag.before[at]));
    drag.last = to;
  }
  field.addEventListener("pointermove", (event) => {
    const word = drag && event.pointerType !== "touch" && wordAt(event);
    if (word && field.contains(word) && word !== drag.last) paint(word);
  });
  const end = (event) => {
    if (!drag) return;
    if (event.pointerType === "touch") {
      if (wordAt(event) !== drag.from) { drag = null; return; } // it scrolled
      paint(drag.from);
    }
    focusWord(field, drag.last);
    drag = null;
    changed(field);
  };
  field.addEventListener("pointerup", end);
  field.addEventListener("pointercancel", () => {
    if (drag) wordsOf(field).forEach((word, at) => turn(word, drag.before[at]));
    drag = null;
  });
}

/** What is marked, as words in quotes. @param {string | undefined} value @param {any} card */
export function markedText(value, { before, phrase, after, paraphrase }) {
  const texts = { source: [...before, ...phrase, ...after], paraphrase: [...before, ...paraphrase, ...after] };
  const marks = (value ?? "").split(" ").map((part) => MARK.exec(part)).filter(Boolean);
  return marks.map(([, side, from, to]) => `“${texts[side].slice(Number(from), Number(to)).join("")}”`).join(", ");
}

/** The words of a card in a field that marks them. @param {Element} field @param {any} card */
export function makeMarks(field, { before, phrase, after, paraphrase }) {
  fillSide(field.querySelector("[data-side=source]"), before + phrase + after);
  fillSide(field.querySelector("[data-side=paraphrase]"), before + paraphrase + after);
  const first = wordsOf(field)[0];
  if (first) first.tabIndex = 0;
  field.addEventListener("keydown", (event) => onKey(field, event));
  listenToPointer(field);
}
