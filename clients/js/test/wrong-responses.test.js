// Servers that send what no service would: nothing hangs, nothing is thrown, no reward is lost.

import assert from "node:assert/strict";
import test from "node:test";
import v8 from "node:v8";
import vm from "node:vm";

import { Client } from "floorline-client";
import { PATIENT_MS, bodyOf, quiet, server } from "./helpers.js";

const DECISION = {
  ticket: "a-1-0",
  arm: "video",
  is_default: false,
  candidate: "video",
  reason: "explore",
  guaranteed_budget: 1,
  probability: 1,
};
const PROBLEM = { type: "urn:floorline:problem:stopped", detail: "it is", default_arm: "now" };

v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc");

function decide(url, timeoutMs = PATIENT_MS) {
  return new Client({ url, timeoutMs, defaults: { page: "now" }, log: quiet() }).decide("page");
}

for (const [status, wrong] of [
  [200, { ...DECISION, arm: ["video"] }],
  [200, { ...DECISION, ticket: 5 }],
  [200, { ...DECISION, reason: undefined }],
  [200, { ...DECISION, is_default: "no" }],
  [200, null],
  [409, { ...PROBLEM, default_arm: { a: 1 } }],
  [409, { ...PROBLEM, default_arm: 5 }],
  [409, { ...PROBLEM, detail: { toString: 1 } }],
  [409, { ...PROBLEM, status: "409" }],
  [409, "no"],
]) {
  const sent = JSON.stringify(wrong);
  test(`the default arm is played after ${status} ${sent}`, async (t) => {
    const url = await server(t, (request, response) => response.writeHead(status).end(sent));
    const { arm, ticket, isDefault } = await decide(url);
    assert.deepEqual({ arm, ticket, isDefault }, { arm: "now", ticket: null, isDefault: true });
  });
}

test("control: a right decision and a right problem are taken", async (t) => {
  const url = await server(t, (request, response) => response.end(JSON.stringify(DECISION)));
  assert.equal((await decide(url)).ticket, "a-1-0");
  const stopped = JSON.stringify({ ...PROBLEM, default_arm: "quiz" });
  const other = await server(t, (request, response) => response.writeHead(409).end(stopped));
  assert.equal((await decide(other)).arm, "quiz");
});

test("the deadline holds for half a response, whenever garbage is collected", async (t) => {
  const url = await server(t, (request, response) => response.writeHead(200).write("{"));
  const collecting = setInterval(collectGarbage, 20);
  t.after(() => clearInterval(collecting));
  assert.equal((await decide(url, 300)).reason, "timeout");
});

test("a response without end is given up before it fills the memory", async (t) => {
  const part = Buffer.alloc(1 << 20, " ");
  const url = await server(t, (request, response) => {
    const send = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on("drain", send);
    send();
  });
  assert.equal((await decide(url)).reason, "unreachable");
});

test("a timeout may be any fraction of a millisecond", async (t) => {
  const url = await server(t, () => {});
  assert.equal((await decide(url, 100 / 3)).reason, "timeout");
});

test("rewards are sent again until each has a receipt of its own", async (t) => {
  const accepted = (ticket) => ({ ticket, result: "accepted" });
  const wrong = [
    (tickets) => [...tickets].reverse().map(accepted),
    (tickets) => tickets.slice(1).map(accepted),
    (tickets) => tickets.map((ticket) => ({ ticket, problem: { ...PROBLEM, detail: {} } })),
  ];
  const sent = [];
  const url = await server(t, async (request, response) => {
    const tickets = (await bodyOf(request)).rewards.map(({ ticket }) => ticket);
    sent.push(tickets);
    const answer = wrong[sent.length - 1] ?? ((tickets) => tickets.map(accepted));
    response.end(JSON.stringify({ results: answer(tickets) }));
  });
  const client = new Client({ url, log: quiet() });
  const all = ["1-1-1", "1-2-1"];
  for (const ticket of all) client.reward(ticket, 1);
  assert.equal(await client.flush(PATIENT_MS), true);
  assert.deepEqual(sent, Array(wrong.length + 1).fill(all));
  await client.close();
});
