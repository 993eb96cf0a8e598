// OpenFeature's own SDKs, through the providers, to the real service.

import assert from "node:assert/strict";
import test from "node:test";

import { OpenFeature as Server } from "@openfeature/server-sdk";
import { OpenFeature as Web } from "@openfeature/web-sdk";
import { Client } from "floorline-client";
import { FloorlineProvider } from "floorline-client/openfeature-server";
import { FloorlineWebProvider } from "floorline-client/openfeature-web";
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

function client(url = URL_OF_SERVICE) {
  return new Client({ url, timeoutMs: PATIENT_MS, log: quiet() });
}

test("on a server, an evaluation is a decision and an event its reward", async () => {
  const guardrails = [{ name: "latency_ms", low: 0, high: 1000 }];
  const campaign = await openCampaign({ guardrails });
  await Server.setProviderAndWait("server", new FloorlineProvider(client()));
  const flags = Server.getClient("server");
  const found = [];
  for (let visit = 0; visit < 12; visit++) {
    found.push(await flags.getStringDetails(campaign, "other"));
  }
  const metrics = { latency_ms: 310 };
  flags.track("order", {}, { value: 0.25, ticket: found[0].flagMetadata.ticket, metrics });
  flags.track("click", {}, { ticket: found[1].flagMetadata.ticket });
  flags.track("scroll");
  flags.track("click", {}, { ticket: "forged" });
  await Server.clearProviders(); // closes the client, which sends waiting rewards
  const recorded = await records(campaign);
  assert.deepEqual(found.map((one) => one.flagMetadata.ticket), recorded.map((one) => one.ticket));
  assert.deepEqual(found.map((one) => one.value), recorded.map((one) => one.arm));
  assert.deepEqual(recorded.slice(0, 3).map((one) => one.reward), [0.25, 1, null]);
  const [latency] = (await call(`/v1/campaigns/${campaign}`)).status.guardrails;
  assert.equal(latency.arms[0].average, 310);
  for (const one of found) {
    assert.equal(one.reason, one.value === "now" ? "DEFAULT" : "SPLIT");
    assert.equal(one.variant, one.value);
  }
});

test("on a server, a targeting key has one decision", async () => {
  const campaign = await openCampaign();
  await Server.setProviderAndWait("keys", new FloorlineProvider(client()));
  const flags = Server.getClient("keys");
  const ask = (targetingKey) => {
    return flags.getStringDetails(campaign, "now", { targetingKey, country: "NZ" });
  };
  const tickets = [];
  for (const key of ["one", "one", "two"]) tickets.push((await ask(key)).flagMetadata.ticket);
  assert.equal(tickets[0], tickets[1]);
  assert.notEqual(tickets[0], tickets[2]);
  const kept = (await records(campaign)).map(({ context }) => context);
  assert.deepEqual(kept, [{ country: "NZ" }, { country: "NZ" }]);
  const long = await ask("x".repeat(201));
  assert.deepEqual([long.value, long.errorCode], ["now", "INVALID_CONTEXT"]);
  await Server.clearProviders();
});

test("on a server, failures give the caller's value", async () => {
  const campaign = await openCampaign();
  await Server.setProviderAndWait("some", new FloorlineProvider(client()));
  await Server.setProviderAndWait("gone", new FloorlineProvider(client(NOWHERE)));
  const flags = Server.getClient("some");
  const missing = await flags.getStringDetails("nowhere", "mine");
  assert.deepEqual([missing.value, missing.errorCode], ["mine", "FLAG_NOT_FOUND"]);
  const gone = await Server.getClient("gone").getStringDetails("page", "mine");
  assert.deepEqual([gone.value, gone.errorCode, gone.reason], ["mine", "GENERAL", "ERROR"]);
  for (const [kind, mine] of [["Boolean", true], ["Number", 7], ["Object", { a: 1 }]]) {
    const other = await flags[`get${kind}Details`](campaign, mine);
    assert.deepEqual([other.value, other.errorCode], [mine, "TYPE_MISMATCH"]);
  }
  await Server.clearProviders();
});

test("on a page, a decision holds until the targeting key changes", async () => {
  const campaign = await openCampaign();
  await Web.setContext({ targetingKey: "one", country: "NZ" });
  await Web.setProviderAndWait("page", new FloorlineWebProvider(client(), [campaign]));
  const flags = Web.getClient("page");
  const ticket = () => flags.getStringDetails(campaign, "now").flagMetadata.ticket;
  const first = ticket();
  assert.equal(ticket(), first);
  await Web.setContext({ targetingKey: "one", basket: 3 });
  assert.equal(ticket(), first);
  await Web.setContext({ targetingKey: "two" });
  assert.notEqual(ticket(), first);
  const kept = (await records(campaign)).map(({ context }) => context);
  assert.deepEqual(kept, [{ country: "NZ" }, null]);
  flags.track("order", { value: 0.5, ticket: first });
  assert.equal(flags.getStringDetails("other", "mine").errorCode, "FLAG_NOT_FOUND");
  assert.equal(flags.getBooleanDetails(campaign, true).errorCode, "TYPE_MISMATCH");
  await Web.clearProviders();
  assert.equal((await records(campaign))[0].reward, 0.5);
});

test("on a page, a slow response does not replace that for a later targeting key", async (t) => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const url = await server(t, async (request, response) => {
    const { request_key: arm } = await bodyOf(request);
    if (arm === "slow") await held;
    response.end(JSON.stringify({ ticket: "1-1-1", arm, is_default: false, reason: "explore" }));
  });
  const provider = new FloorlineWebProvider(client(url), ["page"]);
  const slow = provider.initialize({ targetingKey: "slow" });
  await provider.onContextChange({ targetingKey: "slow" }, { targetingKey: "later" });
  release();
  await slow;
  assert.equal(provider.resolveStringEvaluation("page", "mine").value, "later");
});

test("on a page, a service that is gone gives the caller's value", async () => {
  await Web.setProviderAndWait("gone", new FloorlineWebProvider(client(NOWHERE), ["page"]));
  const found = Web.getClient("gone").getStringDetails("page", "mine");
  assert.deepEqual([found.value, found.errorCode], ["mine", "GENERAL"]);
  await Web.clearProviders();
});
