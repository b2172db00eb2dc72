// How far one is: the count, the bar, how long the rest may take, the goal of the day; and
// when a break would do good.

import { fill, gettext, ngettext } from "../words.js";

const GAP_MS = 5 * 60_000; // so long without an answer is a break
const STRETCH_MS = 45 * 60_000;
const HOURS_FROM = 90; // minutes

const byId = (id) => document.getElementById(id);

/** @param {number} minutes */
export function roughly(minutes) {
  if (minutes >= HOURS_FROM) {
    const hours = Math.round(minutes / 60);
    return fill(ngettext("about %(n)s hour left", "about %(n)s hours left", hours), { n: hours });
  }
  const n = minutes > 10 ? 5 * Math.round(minutes / 5) : Math.max(1, Math.round(minutes));
  return fill(ngettext("about %(n)s minute left", "about %(n)s minutes left", n), { n });
}

export const midnight = () => new Date(new Date().setHours(0, 0, 0, 0)).toISOString();

/** Answers of this local day, with `n` more: `today` is what was known before. */
export const counted = (today, n) => ({ day: midnight(), n: (today?.day === midnight() ? today.n : 0) + n });

// `pace_s`: seconds an item, once enough of one's own are known.
function paceWords({ done, expected, pace_s: seconds, today }, goal) {
  const parts = [];
  if (seconds && expected > done) parts.push(roughly((expected - done) * seconds / 60));
  const { n } = counted(today, 0);
  if (goal && n >= goal) parts.push(fill(gettext("daily goal reached: %(n)s items"), { n }));
  else if (goal) parts.push(fill(gettext("%(n)s of %(goal)s today"), { n, goal }));
  return parts.join(" · ");
}

export function makeProgress() {
  const heading = byId("count").textContent; // where no item is in view

  function bar({ done, expected, training }, isTraining) {
    const line = byId("progress");
    [line.max, line.value] = isTraining ? [training[1], training[0]] : [Math.max(expected, done, 1), done];
  }

  function title({ done, expected, training }, isTraining) {
    if (!isTraining) return fill(gettext("Item %(n)s of %(all)s"), { n: done + 1, all: Math.max(expected, done + 1) });
    return fill(gettext("Training %(n)s of %(all)s"), { n: Math.min(training[0] + 1, training[1]), all: training[1] });
  }

  return {
    // `back`: how many before the last one is looked at, or 0. Training has no pace.
    show(status, { isTraining, back, goal }) {
      byId("count").textContent = back ? fill(gettext("Going back: %(n)s before the last"), { n: back }) : title(status, isTraining);
      byId("pace").textContent = isTraining ? "" : paceWords(status, goal);
      bar(status, isTraining);
    },
    empty(status, goal) {
      byId("count").textContent = heading;
      byId("pace").textContent = paceWords({ ...status, pace_s: null }, goal);
      bar(status, false);
    },
  };
}

/**
 * A stretch of work on this device, over reloads.
 * @param {string} user @param {Pick<Storage, "getItem" | "setItem">} storage
 */
export function makeStretch(user, storage = localStorage) {
  const key = `gemel-stretch ${user}`;

  function read() {
    try { return JSON.parse(storage.getItem(key) ?? "null"); } catch { return null; }
  }

  return {
    /** An answer was given; whether to suggest a break now, once in a stretch. */
    isLong(now = Date.now()) {
      let stretch = read();
      if (!(now - stretch?.last < GAP_MS)) stretch = { since: now, isTold: false };
      const isDue = !stretch.isTold && now - stretch.since >= STRETCH_MS;
      try { storage.setItem(key, JSON.stringify({ ...stretch, last: now, isTold: stretch.isTold || isDue })); } catch { return false; }
      return isDue;
    },
  };
}
