import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const kept = new Map();
globalThis.localStorage = {
  getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text), removeItem: (key) => kept.delete(key),
};
globalThis.document = { cookie: "csrftoken=t" };
globalThis.addEventListener = () => undefined;
const { Queue } = await import("../../static/js/editor/queue.js");

let sent, answers;
globalThis.fetch = async (url, { body }) => {
  sent.push(JSON.parse(body));
  const answer = answers.shift();
  if (answer === undefined) throw new TypeError("no network");
  return new Response(JSON.stringify(answer.body ?? {}), { status: answer.status ?? 200 });
};

function queue(on = {}) {
  const said = { saved: [], refused: [] };
  const made = new Queue("pair", {
    start: async () => undefined, url: () => "/ops/", status: () => undefined,
    saved: (snapshot, idle) => said.saved.push(idle), refused: (error, step) => said.refused.push(step?.op ?? null),
    conflict: async (facts, steps) => steps, ...on,
  });
  return { made, said };
}

beforeEach(() => { kept.clear(); sent = []; answers = []; });

test("steps go one after the other, each on the revision the one before left", async () => {
  const { made, said } = queue();
  answers = [{}, {}];
  made.push({ op: "null", keys: ["s:w0"] }, 3);
  made.push({ op: "undo" }, 3);
  assert.equal(JSON.parse(kept.get("gemel-steps-pair")).length, 2);
  await made.flush();
  assert.deepEqual(sent.map(({ op, base_rev: base }) => [op, base]), [["null", 3], ["undo", 4]]);
  assert.deepEqual(said.saved, [false, true]);
  assert.equal(kept.size, 0);
});

test("without network a step stays, with its uuid, and survives a reload", async () => {
  const { made } = queue();
  made.push({ op: "null", keys: ["s:w0"] }, 0);
  await made.flush();
  clearTimeout(made.timer);
  const { made: reloaded } = queue();
  answers = [{}];
  await reloaded.flush();
  assert.equal(sent[0].uuid, sent[1].uuid);
  assert.ok(reloaded.idle);
});

test("a refused step is told and dropped, later steps are sent", async () => {
  const { made, said } = queue();
  answers = [{ status: 400, body: { error: { message: "No.", code: "bad_request" } } }, {}];
  made.push({ op: "link", s: "s:w0", t: "t:w0" }, 0);
  made.push({ op: "null", keys: ["s:w1"] }, 0);
  await made.flush();
  while (!made.idle) await new Promise((resolve) => { setTimeout(resolve, 5); });
  assert.deepEqual(said.refused, ["link"]);
  assert.deepEqual(sent.map(({ op }) => op), ["link", "null"]);
});

test("after a conflict the steps that are kept go on from the server's revision", async () => {
  const { made } = queue({ conflict: async (facts, steps) => steps.slice(1) });
  answers = [{ status: 409, body: { error: { code: "stale_edit", facts: { revision: 7 } } } }, {}];
  made.push({ op: "null", keys: ["s:w0"] }, 2);
  made.push({ op: "null", keys: ["s:w1"] }, 2);
  await made.flush();
  while (!made.idle) await new Promise((resolve) => { setTimeout(resolve, 5); });
  assert.deepEqual(sent.map(({ s, base_rev: base }) => [s, base]), [["w0", 2], ["w1", 7]]);
});
