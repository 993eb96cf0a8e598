// OpenFeature's own OFREP providers, against the real service.

import assert from "node:assert/strict";
import test from "node:test";

import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature as Server } from "@openfeature/server-sdk";
import { OpenFeature as Web } from "@openfeature/web-sdk";
import { Client } from "floorline-client";
import { rewardTracker } from "floorline-client/openfeature-server";
import { NOWHERE, URL_OF_SERVICE, call, openCampaign, quiet, records } from "./helpers.js";

test("the provider for servers decides, keeps the decision of a key, and reports", async () => {
  const campaign = await openCampaign({ floor: "randomised" });
  const client = new Client({ url: URL_OF_SERVICE, log: quiet() });
  const provider = new OFREPProvider({ baseUrl: URL_OF_SERVICE });
  await Server.setProviderAndWait(Object.assign(provider, { track: rewardTracker(client) }));
  const flags = Server.getClient();
  const since = new Date("2026-01-02T03:04:05Z");
  const ask = (targetingKey) => {
    return flags.getStringDetails(campaign, "other", { targetingKey, country: "NZ", since });
  };
  const found = [await ask("one"), await ask("one"), await ask("two"), await ask(undefined)];
  const recorded = await records(campaign);
  assert.deepEqual(
    recorded.map(({ arm, ticket }) => [arm, ticket]),
    found.slice(1).map(({ value, flagMetadata }) => [value, flagMetadata.ticket]),
  );
  const kept = { country: "NZ", since: since.toISOString() };
  assert.deepEqual(recorded.map(({ context }) => context), [kept, kept, kept]);
  assert.equal(found[0].flagMetadata.ticket, found[1].flagMetadata.ticket);
  assert.equal(found[0].reason, "DEFAULT");
  flags.track("order", {}, { value: 0.5, ticket: found[0].flagMetadata.ticket });
  assert.equal(await client.flush(), true);
  assert.equal((await records(campaign))[0].reward, 0.5);

  const long = await ask("x".repeat(201));
  assert.deepEqual([long.value, long.errorCode], ["other", "INVALID_CONTEXT"]);
  const large = await flags.getStringDetails(campaign, "other", { history: "x".repeat(5000) });
  assert.deepEqual([large.value, large.errorCode], ["other", "INVALID_CONTEXT"]);
  const missing = await flags.getStringDetails("nowhere", "mine");
  assert.deepEqual([missing.value, missing.errorCode], ["mine", "FLAG_NOT_FOUND"]);
  const other = await flags.getNumberDetails(campaign, 7);
  assert.deepEqual([other.value, other.errorCode], [7, "TYPE_MISMATCH"]);
  await call(`/v1/campaigns/${campaign}/stop`, { arm: "quiz" });
  const stopped = await ask("three");
  assert.deepEqual([stopped.value, stopped.reason], ["quiz", "STATIC"]);
  await Server.clearProviders();
  await client.close();
});

test("the provider for pages polls without new decisions", async () => {
  const campaign = await openCampaign();
  const statuses = [];
  let polled;
  const unchanged = new Promise((resolve) => (polled = resolve));
  const fetchImplementation = async (...request) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    if (statuses.length === 3) polled();
    return response;
  };
  const options = { baseUrl: URL_OF_SERVICE, pollInterval: 20, cacheMode: "disabled" };
  await Web.setContext({ targetingKey: "one", country: "NZ" });
  await Web.setProviderAndWait(new OFREPWebProvider({ ...options, fetchImplementation }));
  const flags = Web.getClient();
  const first = flags.getStringDetails(campaign, "other");
  await unchanged;
  assert.deepEqual(statuses.slice(0, 3), [200, 304, 304]);
  assert.deepEqual(flags.getStringDetails(campaign, "other"), first);
  assert.equal((await records(campaign)).length, 1);
  await Web.setContext({ targetingKey: "two", country: "FR" });
  const second = flags.getStringDetails(campaign, "other").flagMetadata.ticket;
  assert.deepEqual(
    (await records(campaign)).map(({ ticket, context }) => [ticket, context]),
    [[first.flagMetadata.ticket, { country: "NZ" }], [second, { country: "FR" }]],
  );
  assert.equal(flags.getStringDetails("nowhere", "mine").errorCode, "FLAG_NOT_FOUND");
  await Web.clearProviders();
});

test("without a targeting key a page gets its own values", async () => {
  await Web.setContext({});
  const options = { pollInterval: 0, cacheMode: "disabled" };
  for (const baseUrl of [URL_OF_SERVICE, NOWHERE]) {
    await assert.rejects(Web.setProviderAndWait(new OFREPWebProvider({ ...options, baseUrl })));
    assert.equal(Web.getClient().getStringValue("page", "mine"), "mine");
  }
  await Web.clearProviders();
});
