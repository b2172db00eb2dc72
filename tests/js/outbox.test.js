import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

globalThis.document = { cookie: "csrftoken=t" };
const { makeOutbox } = await import("../../static/js/judge/outbox.js");

let sent, answers;
globalThis.fetch = async (url, { body }) => {
  sent.push(JSON.parse(body));
  const answer = answers.shift() ?? { status: 200, body: { saved: { revision: 1 } } };
  return new Response(JSON.stringify(answer.body), { status: answer.status });
};

function memory() {
  const rows = new Map();
  return {
    rows, all: async () => [...rows.values()],
    put: async (row) => { rows.set(row.uuid, row); }, drop: async (uuid) => { rows.delete(uuid); },
  };
}

function outbox(store = memory()) {
  const said = [];
  const tell = (name) => (...rest) => said.push([name, ...rest]);
  const on = { saved: tell("saved"), conflict: tell("conflict"), refused: tell("refused"), signedOut: tell("signedOut"), change: () => undefined };
  return { made: makeOutbox({ store, url: "/answers/", wish: () => ({ want: 0 }), on }), said, store };
}

const answer = (judgment) => ({ verb: "save", judgment, seen: 0, values: { meaning: 3 }, shown: "text" });
const until = async (fits) => { while (!fits()) await new Promise((resolve) => { setTimeout(resolve, 2); }); };

beforeEach(() => { sent = []; answers = []; });

test("an answer is in the store until the server has it", async () => {
  const { made, store } = outbox();
  const adding = made.add(answer("a"));
  assert.equal(made.size, 1);
  await adding;
  await until(() => made.size === 0);
  assert.equal(store.rows.size, 0);
  assert.equal(sent[0].shown, undefined); // what is for the screen is not sent
});

test("the revision that the server gave is what the next answer builds on", async () => {
  const { made } = outbox();
  answers = [{ status: 200, body: { saved: { revision: 4 } } }];
  await made.add(answer("a"));
  await until(() => made.size === 0);
  await made.add(answer("a"));
  await until(() => sent.length === 2);
  assert.equal(sent[1].seen, 4);
});

test("a conflict waits for the judge, and what is behind it goes on", async () => {
  const { made, said } = outbox();
  answers = [{ status: 409, body: { error: { code: "stale_edit", facts: { revision: 2 } } } }];
  await made.add(answer("a"));
  await made.add(answer("b"));
  await until(() => sent.length === 2 && made.size === 1);
  assert.deepEqual(said.map(([name]) => name), ["conflict", "saved"]);
  assert.ok(made.holds("a"));
  const [, message] = said[0];
  await made.insist(message, 2);
  await until(() => made.size === 0);
  assert.equal(sent[2].seen, 2);
  assert.notEqual(sent[2].uuid, sent[0].uuid);
});

test("signed out, nothing is lost and nothing is sent twice", async () => {
  const { made, said, store } = outbox();
  answers = [{ status: 401, body: {} }];
  await made.add(answer("a"));
  await until(() => said.length === 1);
  assert.equal(store.rows.size, 1);
  made.pump();
  await until(() => made.size === 0);
  assert.equal(sent[0].uuid, sent[1].uuid);
});
