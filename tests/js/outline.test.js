import assert from "node:assert/strict";
import { test } from "node:test";

import { agreed } from "../../static/js/editor/agreed.js";
import { aligned } from "../../static/js/editor/levelling.js";
import { Model } from "../../static/js/editor/model.js";

// every part of the pairs whose places rise on both sides, the longest: by trying them all
function most(pairs) {
  let best = 0;
  for (let bits = 0; bits < 1 << pairs.length; bits++) {
    const chosen = pairs.filter((_, i) => bits & (1 << i)).sort((x, y) => x[0] - y[0]);
    if (chosen.every(([, t], i) => !i || chosen[i - 1][1] < t)) best = Math.max(best, chosen.length);
  }
  return best;
}

function* orders(n, taken = []) {
  if (taken.length === n) { yield taken; return; }
  for (let i = -1; i < n; i++) if (i < 0 || !taken.includes(i)) yield* orders(n, [...taken, i]);
}

test("rows keep their order, none is lost, and as many partners as can be are level", () => {
  const [a, b] = [["s0", "s1", "s2", "s3"], ["t0", "t1", "t2", "t3"]];
  for (const order of orders(4)) {
    const rows = aligned(a, b, (key) => b[order[a.indexOf(key)]]);
    assert.deepEqual(rows.map(([s]) => s).filter(Boolean), a);
    assert.deepEqual(rows.map(([, t]) => t).filter(Boolean), b);
    const level = rows.filter(([s, t]) => s && t);
    assert.ok(level.every(([s, t]) => b[order[a.indexOf(s)]] === t));
    assert.equal(level.length, most(order.map((t, s) => [s, t]).filter(([, t]) => t >= 0)));
  }
});

// "the nurse opened a window" on both sides, the words of the target as given
function pair(...words) {
  const side = (said) => ({
    words: said, heads: [], parse: "p",
    nodes: [["n0", "S", "", -1, 0, 5], ["n1", "NP", "", 0, 0, 2], ["w0", "DT", said[0], 1, 0, 1], ["w1", "NN", said[1], 1, 1, 2],
      ["n4", "VP", "", 0, 2, 5], ["w2", "VBD", said[2], 4, 2, 3], ["n6", "NP", "", 4, 3, 5], ["w3", "DT", said[3], 6, 3, 4], ["w4", "NN", said[4], 6, 4, 5]],
  });
  const model = new Model({ trees: { s: side(["the", "nurse", "opened", "a", "window"]), t: side(words) }, suggestions: [], notes: [], layer: null });
  const link = (...refs) => refs.forEach((ref) => model.play({ op: "add", s: `s:${ref}`, t: `t:${ref}` }));
  return { model, link };
}

test("the same words agree once the phrases are linked, other words once all below is decided", () => {
  const { model, link } = pair("the", "nurse", "shut", "one", "window");
  assert.deepEqual(agreed(model), []);
  link("n1", "n4", "n6");
  assert.deepEqual(agreed(model), [["s:n1", "t:n1"]]);
  link("w3", "w4");
  assert.deepEqual(agreed(model), [["s:n1", "t:n1"], ["s:n6", "t:n6"]]);
  link("w2");
  assert.deepEqual(agreed(model), [["s:n1", "t:n1"], ["s:n4", "t:n4"]]);
});

test("a phrase with a link that leads out of its partner is not agreed", () => {
  const { model, link } = pair("the", "nurse", "opened", "a", "window");
  link("n1", "n6");
  model.play({ op: "add", s: "s:w0", t: "t:w3" });
  assert.deepEqual(agreed(model), []);
});
