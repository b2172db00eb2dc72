import assert from "node:assert/strict";
import { test } from "node:test";

const { counted, makeStretch, midnight, roughly } = await import("../../static/js/judge/progress.js");

const MINUTE = 60_000;

function storage() {
  const rows = new Map();
  return { getItem: (key) => rows.get(key) ?? null, setItem: (key, value) => { rows.set(key, value); } };
}

test("the time that is left is rough", () => {
  assert.deepEqual([0.2, 3.4, 12, 22, 89, 95, 300].map(roughly), [
    "about 1 minute left", "about 3 minutes left", "about 10 minutes left", "about 20 minutes left",
    "about 90 minutes left", "about 2 hours left", "about 5 hours left",
  ]);
});

test("a break is suggested once, after 45 minutes without one", () => {
  const stretch = makeStretch("bob", storage());
  const at = [];
  for (let minute = 0; minute <= 120; minute += 1) if (stretch.isLong(minute * MINUTE)) at.push(minute);
  assert.deepEqual(at, [45]);
});

test("a break begins a new stretch, over a reload too", () => {
  const kept = storage();
  const work = (from, to) => {
    const stretch = makeStretch("bob", kept);
    const at = [];
    for (let minute = from; minute <= to; minute += 1) if (stretch.isLong(minute * MINUTE)) at.push(minute);
    return at;
  };
  assert.deepEqual(work(0, 30), []);
  assert.deepEqual(work(31, 46), [45]); // the page was loaded again
  assert.deepEqual(work(60, 104), []); // a break of 14 minutes
  assert.deepEqual(work(105, 105), [105]);
  assert.equal(makeStretch("eve", kept).isLong(106 * MINUTE), false);
});

test("answers of another day do not count today", () => {
  assert.deepEqual(counted({ day: "2020-01-01T00:00:00.000Z", n: 9 }, 2), { day: midnight(), n: 2 });
  assert.deepEqual(counted({ day: midnight(), n: 9 }, 2), { day: midnight(), n: 11 });
  assert.equal(counted(undefined, 0).n, 0);
});
