// Rewards: kept until the service has taken them, or refused them for good.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";

import { Client } from "floorline-client";
import { DeferredRewards } from "../src/deferred.js";
import { FileJournal } from "floorline-client/node";
import {
  NOWHERE,
  PATIENT_MS,
  URL_OF_SERVICE,
  bodyOf,
  call,
  linesOf,
  openCampaign,
  quiet,
  records,
  server,
  temporaryFile,
  ticketsOf,
} from "./helpers.js";

const UNKNOWN = "0-1-0";

test("rewards of an outage are sent by the next process", async (t) => {
  const file = temporaryFile(t);
  const campaign = await openCampaign();
  const made = await ticketsOf(campaign, 3);
  const log = quiet();
  const down = new Client({ url: NOWHERE, journal: new FileJournal(file), log });
  made.forEach((ticket, visit) => down.reward(ticket, visit / 4));
  assert.deepEqual(linesOf(file), made.map((ticket, visit) => [ticket, visit / 4]));
  assert.equal(await down.flush(300), false);
  await down.close(50);
  const up = new Client({ url: URL_OF_SERVICE, journal: new FileJournal(file), log });
  assert.equal(await up.flush(PATIENT_MS), true);
  await up.close();
  assert.deepEqual((await records(campaign)).map(({ reward }) => reward), [0, 0.25, 0.5]);
  assert.equal(fs.readFileSync(file, "utf8"), "");
  assert.match(log.lines.join("\n"), /rewards wait to be sent: ServiceError: unreachable/);
});

test("metrics are kept and sent with rewards", async (t) => {
  const file = temporaryFile(t);
  const guardrails = [{ name: "latency_ms", low: 0, high: 1000 }];
  const campaign = await openCampaign({ guardrails });
  const made = await ticketsOf(campaign, 4);
  // Lines of a client that knew no metrics.
  fs.writeFileSync(file, `["${made[0]}",0.25]\n["${made[1]}",0.5,${Date.now()}]\n`);
  const down = new Client({ url: NOWHERE, journal: new FileJournal(file), log: quiet() });
  down.reward(made[2], 1, { latency_ms: 310 });
  down.reward(made[3], 1, { misspelt: 1 });
  await down.close(0);
  assert.deepEqual(linesOf(file)[2], [made[2], 1, null, { latency_ms: 310 }]);
  const up = new Client({ url: URL_OF_SERVICE, journal: new FileJournal(file), log: quiet() });
  assert.equal(await up.flush(PATIENT_MS), true);
  await up.close();
  assert.deepEqual((await records(campaign)).map(({ reward }) => reward), [0.25, 0.5, 1, null]);
  const [latency] = (await call(`/v1/campaigns/${campaign}`)).status.guardrails;
  const seen = latency.arms.filter((arm) => arm.seen > 0);
  assert.deepEqual(seen.map((arm) => [arm.seen, arm.average]), [[1, 310]]);
  const [refused] = linesOf(`${file}.refused`);
  assert.deepEqual([refused.ticket, refused.metrics], [made[3], { misspelt: 1 }]);
});

test("an outage is waited out", async (t) => {
  const campaign = await openCampaign();
  const [ticket] = await ticketsOf(campaign, 1);
  let failures = 2;
  const url = await server(t, async (request, response) => {
    const body = JSON.stringify(await bodyOf(request));
    if (failures-- > 0) return response.writeHead(401).end("no key yet");
    const headers = { "Content-Type": "application/json" };
    const passed = await fetch(URL_OF_SERVICE + request.url, { method: "POST", headers, body });
    response.end(await passed.text());
  });
  const client = new Client({ url, log: quiet() });
  client.reward(ticket, 0.5);
  assert.equal(await client.flush(PATIENT_MS), true);
  assert.equal((await records(campaign))[0].reward, 0.5);
});

test("what the service refuses for good is set aside", async (t) => {
  const file = temporaryFile(t);
  const campaign = await openCampaign();
  const [good, outside, conflict] = await ticketsOf(campaign, 3);
  const log = quiet();
  const client = new Client({ url: URL_OF_SERVICE, journal: new FileJournal(file), log });
  client.reward(conflict, 0.5);
  assert.equal(await client.flush(PATIENT_MS), true);
  client.reward(good, 0.25);
  client.reward(outside, 7);
  client.reward(conflict, 0.75);
  assert.equal(await client.flush(PATIENT_MS), true);
  await client.close();
  assert.deepEqual((await records(campaign)).map(({ reward }) => reward), [0.25, null, 0.5]);
  assert.deepEqual(
    linesOf(`${file}.refused`).map(({ ticket, reward }) => [ticket, reward]),
    [[outside, 7], [conflict, 0.75]],
  );
  assert.equal(log.lines.filter((line) => line.includes("refused")).length, 2);
});

test("a reward of an unknown ticket is kept for a day", async (t) => {
  const file = temporaryFile(t);
  const old = Date.now() - 25 * 3600 * 1000;
  fs.writeFileSync(file, `${JSON.stringify(["0-2-0", 1, old])}\n`);
  const log = quiet();
  const client = new Client({ url: URL_OF_SERVICE, journal: new FileJournal(file), log });
  client.reward(UNKNOWN, 1);
  assert.equal(await client.flush(500), false);
  await client.close(PATIENT_MS);
  const [[ticket, reward, since]] = linesOf(file).slice(-1);
  assert.deepEqual([ticket, reward], [UNKNOWN, 1]);
  assert.ok(Math.abs(Date.now() - since) < 60_000);
  assert.deepEqual(linesOf(`${file}.refused`).map(({ ticket }) => ticket), ["0-2-0"]);
  assert.match(log.lines.join("\n"), /kept for 24 hours and sent again; the first is of 0-1-0/);
  const again = new FileJournal(file);
  const kept = again.load().rewards.find(({ ticket }) => ticket === UNKNOWN);
  assert.equal(kept.deferredSince, since);
  again.close();
});

test("any number of rewards can wait", async (t) => {
  const file = temporaryFile(t);
  const since = Date.now();
  const count = 200_000; // more than a call may have arguments
  const lines = Array.from({ length: count }, (_, visit) => `["1-${visit}-1",1,${since - visit}]\n`);
  fs.writeFileSync(file, lines.join(""));
  const log = quiet();
  const client = new Client({ url: NOWHERE, journal: new FileJournal(file), log });
  assert.equal(await client.flush(50), false);
  assert.equal(client.reward("1-1-1", 1), false);
  assert.deepEqual(log.lines.filter((line) => !line.includes("wait")), []);
  await client.close(0);
  const deferred = new DeferredRewards();
  for (const line of lines) {
    const [ticket, reward, deferredSince] = JSON.parse(line);
    deferred.add({ ticket, reward, deferredSince });
  }
  assert.equal(deferred.takeOldest().ticket, `1-${count - 1}-1`);
});

test("one may wait for ever", async (t) => {
  const url = await server(t, async (request, response) => {
    const { rewards } = await bodyOf(request);
    const results = rewards.map(({ ticket }) => ({ ticket, result: "accepted" }));
    response.end(JSON.stringify({ results }));
  });
  const client = new Client({ url, log: quiet() });
  client.reward("1-1-1", 1);
  assert.equal(await client.flush(Infinity), true);
  await client.close(Infinity);
});

test("a refused batch is halved until the refused reward is left", async (t) => {
  const sizes = [];
  const url = await server(t, async (request, response) => {
    const { rewards } = await bodyOf(request);
    sizes.push(rewards.length);
    if (rewards.some(({ reward }) => reward === 5)) {
      const problem = { type: "urn:floorline:problem:invalid", status: 422, detail: "no" };
      return response.writeHead(422).end(JSON.stringify(problem));
    }
    const results = rewards.map(({ ticket }) => ({ ticket, result: "accepted" }));
    response.end(JSON.stringify({ results }));
  });
  const log = quiet();
  const client = new Client({ url, log });
  for (let value = 0; value < 8; value++) client.reward("1-1-1", value);
  assert.equal(await client.flush(PATIENT_MS), true);
  assert.deepEqual(sizes, [8, 4, 4, 2, 1, 1, 2]);
  assert.deepEqual(log.lines, [
    "floorline: reward 5 of 1-1-1 refused: ServiceError: invalid: no",
  ]);
});

test("a full queue takes nothing more, unless a deferred reward can go", async (t) => {
  const log = quiet();
  const client = new Client({ url: NOWHERE, queueSize: 2, log });
  assert.deepEqual([1, 2, 3].map((value) => client.reward("1-1-1", value)), [true, true, false]);
  assert.match(log.lines[0], /reward 3 of 1-1-1 dropped: 2 rewards are waiting/);
  await client.close(50);
  assert.match(log.lines.at(-1), /2 rewards were not sent, and are lost/);

  const file = temporaryFile(t);
  const journal = new FileJournal(file);
  const full = new Client({ url: URL_OF_SERVICE, queueSize: 1, journal, log: quiet() });
  full.reward(UNKNOWN, 0.5);
  await full.flush(500);
  assert.equal(full.reward(UNKNOWN, 1), true);
  assert.match(linesOf(`${file}.refused`)[0].reason, /queue-full/);
  await full.close();
});
