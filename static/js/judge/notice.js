// What the judge is told in place of an item, or above it. Never a passing message only.

import { fill, gettext, ngettext } from "../words.js";

const TEXTS = {
  offline: [gettext("You are offline"), gettext("You have answered all items on this device. Your answers are sent once you are online again.")],
  sending: [gettext("Sending …"), gettext("Your answers are being sent.")],
  nothing: [
    gettext("Nothing for you now"),
    gettext("All items are assigned for now. New ones appear when others return some."),
  ],
  finished: [gettext("All done"), gettext("Thank you. You have judged everything assigned to you.")],
  skipped: [gettext("Only skipped items remain"), gettext("You skipped some items that no one has judged yet.")],
  paused: [
    gettext("Paused"),
    gettext("This campaign, or your part in it, is paused. Everything you sent is stored."),
  ],
  closed: [gettext("This campaign is closed"), gettext("Thank you. Everything you sent is stored.")],
  draft: [gettext("Not open yet"), gettext("This campaign has not begun.")],
  blocked: [
    gettext("Please talk to the manager"),
    gettext("Your answers to some items with a known answer were too far off, so no more items are assigned. Your answers are stored."),
  ],
};

function cells(...texts) {
  const row = document.createElement("tr");
  for (const text of texts) row.append(Object.assign(document.createElement("td"), { textContent: text }));
  return row;
}

// On the chip; `brief`: what a narrow screen shows in its place.
export function say(text, kind = "", brief = text) {
  const chip = document.getElementById("chip");
  chip.textContent = chip.title = text;
  chip.className = `chip ${kind}`;
  chip.dataset.brief = brief;
}

export function makeNotice({ look, offerSkipped }) {
  const place = document.getElementById("notice");
  const told = document.getElementById("feedback");
  const actions = document.getElementById("notice-actions");
  const note = document.getElementById("note");
  let onward = null;

  function put(kind, title, text, buttons) {
    place.className = `notice ${kind}`;
    place.querySelector("h2").textContent = title;
    place.querySelector("p").textContent = text;
    actions.replaceChildren(...buttons.map(([label, act]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.addEventListener("click", () => { place.hidden = true; act(); });
      return button;
    }));
    place.hidden = false;
  }

  function finished({ done, active_ms: ms }) {
    const minutes = Math.max(1, Math.round(ms / 60000));
    const items = fill(ngettext("You judged %(n)s item.", "You judged %(n)s items.", done), { n: done });
    return `${items} ${fill(ngettext("That took %(n)s minute.", "That took %(n)s minutes.", minutes), { n: minutes })}`;
  }

  function words(status) {
    const [title, text] = TEXTS[status.state] ?? TEXTS.nothing;
    const parts = [text];
    if (status.state === "finished") parts.push(finished(status));
    if (status.contact && ["blocked", "paused"].includes(status.state)) parts.push(fill(gettext("Contact: %(contact)s."), { contact: status.contact }));
    if (status.code) parts.push(fill(gettext("Your code to hand in: %(code)s"), { code: status.code }));
    return [title, parts.join(" ")];
  }

  document.querySelector("[data-do=continue]").addEventListener("click", () => goOn());

  function goOn() {
    told.hidden = true;
    const next = onward;
    onward = null;
    next?.();
  }

  return {
    // In place of an item.
    show(status) {
      const buttons = ["sending", "offline"].includes(status.state) ? [] : [[gettext("Check for new items"), look]];
      if (status.state === "skipped") buttons.unshift([gettext("Show them"), offerSkipped]);
      if (status.back) buttons.unshift([gettext("Return to Prolific"), () => { location.assign(status.back); }]);
      put(status.state === "blocked" ? "bad" : "", ...words(status), buttons);
      if (!["sending", "offline"].includes(status.state)) place.focus();
    },
    // Above an item that may still be answered.
    standing(status) { if (TEXTS[status.state] && !["finished", "nothing", "skipped"].includes(status.state)) put("warn", ...words(status), []); },
    problem(text, again) { put("bad", gettext("Something went wrong"), text, [[gettext("Try again"), again]]); },
    warn(text) { note.textContent = text; note.hidden = false; },
    unwarn() { note.hidden = true; },
    refused(text, { again, discard }) {
      const choices = [[gettext("Try again"), again], [gettext("Discard that answer"), discard]];
      put("bad", gettext("An answer was refused"), text, choices);
    },
    hide() { if (!place.matches(".bad")) place.hidden = true; },
    // `values`: one's own answer; the sentences stay above.
    feedback({ passed, expected, why, again }, values, scales, next) {
      const asked = scales.filter(({ name }) => name in expected);
      document.getElementById("feedback-title").textContent = passed ? gettext("Correct") : gettext("Not quite");
      document.getElementById("feedback-rows").replaceChildren(...asked.map(({ name, title }) => cells(title, values?.[name] ?? gettext("no answer"), expected[name])));
      document.getElementById("feedback-why").textContent = why;
      document.getElementById("feedback-again").hidden = !again;
      told.className = `notice ${passed ? "good" : "warn"}`;
      told.hidden = false;
      onward = next;
      told.focus();
    },
    goOn,
    get isFeedback() { return !told.hidden; },
  };
}
