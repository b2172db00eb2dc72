import assert from "node:assert/strict";
import { test } from "node:test";

import { Model } from "../../static/js/editor/model.js";
import { pair } from "./pair.js";

const cells = (model) => model.links.map(({ s, t }) => `${s} ${t}`);

test("a link takes the place of the others at its nodes", () => {
  const model = new Model(pair());
  model.play({ op: "link", s: "s:w2", t: "t:w1" });
  model.play({ op: "link", s: "s:w2", t: "t:w0" });
  assert.deepEqual(cells(model), ["s:w2 t:w0"]);
  assert.equal(model.state("t:w1"), "undecided");
});

test("a link beside others leaves them", () => {
  const model = new Model(pair());
  model.play({ op: "link", s: "s:w2", t: "t:w1" });
  model.play({ op: "add", s: "s:w1", t: "t:w1" });
  assert.deepEqual(cells(model), ["s:w1 t:w1", "s:w2 t:w1"]);
});

test("a null takes the links of its nodes away", () => {
  const model = new Model(pair());
  model.play({ op: "link", s: "s:w2", t: "t:w1" });
  model.play({ op: "null", keys: ["s:w2"] });
  assert.deepEqual(cells(model), []);
  assert.equal(model.state("s:w2"), "null");
});

test("going back to a mark restores links, nulls and brackets", () => {
  const model = new Model(pair());
  model.play({ op: "link", s: "s:w2", t: "t:w1" });
  const before = model.face(), mark = model.mark();
  for (const step of [
    { op: "null", keys: ["s:w2", "t:w0"] },
    { op: "must-bracket", side: "s", key: "0-2" },
    { op: "reject", s: "s:n1", t: "t:w0", layer: "proposal", note: "" },
  ]) model.play(step);
  assert.notEqual(model.face(), before);
  model.back(mark);
  assert.equal(model.face(), before);
});

test("suggestions are offered where nothing is decided, the surest first", () => {
  const model = new Model(pair());
  assert.deepEqual(model.offered.map(({ s }) => s), ["s:w2", "s:n1"]);
  model.play({ op: "null", keys: ["t:w1"] });
  assert.deepEqual(model.offered.map(({ s }) => s), ["s:n1"]);
});

test("what is sent has refs without their sides, and only what the step has", () => {
  const sent = Model.wire({ op: "accept", links: [["s:w2", "t:w1", "sure", false], ["s:n1", "t:w0", "sure", true]] });
  assert.deepEqual(sent, { op: "accept", links: [["w2", "w1", "sure"], ["n1", "w0", "sure", "crossing"]] });
  assert.deepEqual(Model.wire({ op: "null", keys: ["s:w0", "s:w1", "t:w0"] }), { op: "null", s: "w0 w1", t: "w0" });
});

test("two people touch the same nodes where a step and an event name one both", () => {
  const mine = Model.touched({ op: "link", s: "s:w2", t: "t:w1" });
  const theirs = Model.touchedByEvent({ before: {}, after: { null_target: { w1: true } } });
  assert.ok([...theirs].some((key) => mine.has(key)));
});
