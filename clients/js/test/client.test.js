// Decisions: from the real service, and without one.

import assert from "node:assert/strict";
import test from "node:test";

import { Client, ServiceError } from "floorline-client";
import {
  NOWHERE,
  PATIENT_MS,
  URL_OF_SERVICE,
  bodyOf,
  call,
  openCampaign,
  quiet,
  records,
  server,
} from "./helpers.js";

function patient(options = {}) {
  return new Client({ url: URL_OF_SERVICE, timeoutMs: PATIENT_MS, log: quiet(), ...options });
}

test("decisions and rewards reach the ledger", async () => {
  const campaign = await openCampaign();
  const client = patient();
  const decisions = [];
  for (let visit = 0; visit < 8; visit++) decisions.push(await client.decide(campaign));
  decisions.forEach(({ ticket }, visit) => assert.ok(client.reward(ticket, visit / 8)));
  assert.equal(await client.flush(PATIENT_MS), true);
  const recorded = await records(campaign);
  assert.deepEqual(
    recorded.map(({ ticket, arm, reason, reward }) => ({ ticket, arm, reason, reward })),
    decisions.map(({ ticket, arm, reason }, visit) => ({ ticket, arm, reason, reward: visit / 8 })),
  );
  for (const { arm, isDefault, guaranteedBudget } of decisions) {
    assert.equal(isDefault, arm === "now");
    assert.equal(typeof guaranteedBudget, "number");
  }
  await client.close();
});

test("a request key has one decision, and no key a new one each time", async () => {
  const campaign = await openCampaign();
  const client = patient();
  const decide = async (options) => (await client.decide(campaign, options)).ticket;
  const first = await decide({ requestKey: "visit-1" });
  assert.equal(await decide({ requestKey: "visit-1" }), first);
  assert.notEqual(await decide({ requestKey: "visit-2" }), first);
  assert.notEqual(await decide(), await decide());
});

test("a candidate is proposed", async () => {
  const campaign = await openCampaign();
  const chances = { now: 0.5, video: 0.25, quiz: 0.25 };
  const options = { candidate: "quiz", context: { country: "NZ" }, chances };
  const { candidate, arm, propensity } = await patient().decide(campaign, options);
  assert.equal(candidate, "quiz");
  const [recorded] = await records(campaign);
  assert.deepEqual(recorded.context, { country: "NZ" });
  assert.deepEqual([arm, typeof propensity], [recorded.arm, "number"]);
});

test("without a service the default arm is played, and logged once", async () => {
  const log = quiet();
  const client = new Client({ url: NOWHERE, defaults: { page: "now" }, log });
  for (let visit = 0; visit < 3; visit++) {
    const decision = await client.decide("page");
    assert.deepEqual(decision, {
      ticket: null,
      arm: "now",
      isDefault: true,
      candidate: null,
      reason: "unreachable",
      guaranteedBudget: null,
      probability: null,
      propensity: null,
    });
    assert.equal(client.reward(decision.ticket, 1), false);
  }
  assert.equal(log.lines.length, 1);
  assert.match(log.lines[0], /campaign page: playing now: unreachable/);
});

test("an unknown default arm rejects", async () => {
  const client = new Client({ url: NOWHERE, log: quiet() });
  await assert.rejects(client.decide("page"), (error) => {
    return error instanceof ServiceError && error.reason === "unreachable";
  });
});

test("a stopped campaign serves its arm", async () => {
  const campaign = await openCampaign();
  await call(`/v1/campaigns/${campaign}/stop`, { arm: "quiz" });
  const { arm, ticket, reason } = await patient().decide(campaign);
  assert.deepEqual({ arm, ticket, reason }, { arm: "quiz", ticket: null, reason: "stopped" });
});

test("one deadline holds for a response that comes byte by byte", async (t) => {
  const url = await server(t, (request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  });
  const client = new Client({ url, defaults: { page: "now" }, timeoutMs: 150, log: quiet() });
  const started = performance.now();
  const { arm, reason } = await client.decide("page");
  assert.deepEqual({ arm, reason }, { arm: "now", reason: "timeout" });
  assert.ok(performance.now() - started < 5_000);
});

test("attempts share one deadline and one key", async (t) => {
  const keys = [];
  const url = await server(t, async (request, response) => {
    keys.push((await bodyOf(request)).request_key);
    response.writeHead(503).end("a proxy");
  });
  const client = new Client({ url, defaults: { page: "now" }, timeoutMs: PATIENT_MS, log: quiet() });
  assert.equal((await client.decide("page")).reason, "status-503");
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
});

test("keys of the client are unique and in the order of time", async (t) => {
  const keys = [];
  const url = await server(t, async (request, response) => {
    keys.push((await bodyOf(request)).request_key);
    response.writeHead(404).end();
  });
  const client = new Client({ url, defaults: { page: "now" }, timeoutMs: PATIENT_MS, log: quiet() });
  const times = [1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_001, 1_900_000_000_000];
  for (const now of times) {
    t.mock.method(Date, "now", () => now);
    await client.decide("page");
    t.mock.restoreAll();
  }
  assert.ok(keys.every((key) => /^[0-9a-f]{32}$/.test(key)));
  assert.deepEqual(keys.map((key) => parseInt(key.slice(0, 12), 16)), times);
  assert.equal(new Set(keys).size, times.length);
});

test("a response that is not a decision plays the default arm", async (t) => {
  const url = await server(t, (request, response) => response.end("<h1>Welcome</h1>"));
  const client = new Client({ url, defaults: { page: "now" }, timeoutMs: PATIENT_MS, log: quiet() });
  assert.equal((await client.decide("page")).reason, "not-floorline");
});

test("a decision that reached nobody is voided", async () => {
  const campaign = await openCampaign({ voids: true });
  const client = patient();
  const { ticket } = await client.decide(campaign);
  await client.void(ticket);
  assert.equal((await records(campaign))[0].outcome, "voided");
  await assert.rejects(client.void("1-1-1"), ServiceError);
});

test("arguments that make no sense are refused", async () => {
  assert.throws(() => new Client({ url: "127.0.0.1:8400" }), /url: must be like/);
  assert.throws(() => new Client({ key: "fl_1\n" }), /key: must be printable/);
  assert.throws(() => new Client({ timeoutMs: 0 }), /timeoutMs: must be above 0/);
  const client = patient();
  assert.throws(() => client.reward("forged", 1), /ticket: must be one that the service gave/);
  assert.throws(() => client.reward("1-1-1", NaN), /reward: must be a finite number, not NaN/);
  assert.throws(() => client.reward("1-1-1", 1, [5]), /metrics: must be names with numbers/);
  const metrics = { load: "low" };
  assert.throws(() => client.reward("1-1-1", 1, metrics), /metrics.load: .* number, not "low"/);
  await client.close();
  assert.throws(() => client.reward("1-1-1", 1), /must be open/);
});
