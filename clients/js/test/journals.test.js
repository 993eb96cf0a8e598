// Journals: rewards in a file and in a browser's storage.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";

import { Client, LocalStorageJournal } from "floorline-client";
import { FileJournal } from "floorline-client/node";
import {
  PATIENT_MS,
  URL_OF_SERVICE,
  linesOf,
  openCampaign,
  quiet,
  records,
  temporaryFile,
  ticketsOf,
} from "./helpers.js";

test("lines that are not rewards are set aside", async (t) => {
  const file = temporaryFile(t);
  const [ticket] = await ticketsOf(await openCampaign(), 1);
  const bad = ["{", '["forged", 1]', `["${ticket}", "1"]`, `["${ticket}", 1, 2, 3]`, `["${ticket}", 0.`];
  fs.writeFileSync(file, [`["${ticket}", 0.5]`, ...bad].join("\n"));
  const journal = new FileJournal(file);
  assert.deepEqual(journal.load(), { rewards: [{ ticket, reward: 0.5 }], refused: 5 });
  assert.deepEqual(linesOf(`${file}.refused`).map(({ line }) => line), bad);
  journal.add({ ticket, reward: 0.75 });
  assert.deepEqual(linesOf(file), [[ticket, 0.5], [ticket, 0.75]]);
  journal.close();
});

test("rewards of the last process are sent even if the disk is full", async (t) => {
  const file = temporaryFile(t);
  const campaign = await openCampaign();
  const [ticket] = await ticketsOf(campaign, 1);
  fs.writeFileSync(file, `["${ticket}", 0.5]\n["${ticket}", 0.`);
  fs.mkdirSync(`${file}.new`); // so that the file cannot be rewritten
  const log = quiet();
  const client = new Client({ url: URL_OF_SERVICE, journal: new FileJournal(file), log });
  assert.equal(await client.flush(PATIENT_MS), true);
  assert.equal((await records(campaign))[0].reward, 0.5);
  assert.match(log.lines[0], /the journal of rewards cannot be used: Error: EISDIR/);
  await client.close();
});

test("a file has one client", (t) => {
  const file = temporaryFile(t);
  const journal = new FileJournal(file);
  assert.throws(() => new FileJournal(file), /is used by another client/);
  journal.close();
  fs.writeFileSync(`${file}.lock`, "1"); // runs, and is not ours
  assert.throws(() => new FileJournal(file), /of process 1/);
  fs.writeFileSync(`${file}.lock`, String(2 ** 30)); // of a process that was killed
  new FileJournal(file).close();
});

/** What a browser's storage does, in memory. */
class MemoryStorage extends Map {
  get length() {
    return this.size;
  }
  key = (index) => [...this.keys()][index] ?? null;
  getItem = (key) => this.get(key) ?? null;
  setItem = (key, value) => this.set(key, String(value));
  removeItem = (key) => this.delete(key);
}

test("tabs of a site do not lose each other's rewards", async () => {
  const storage = new MemoryStorage([["other", "1"], ["floorline:reward:forged:1", ""]]);
  const [one, two] = [1, 2].map(() => new LocalStorageJournal("floorline", storage));
  one.add({ ticket: "1-1-1", reward: 0.5 });
  two.add({ ticket: "1-2-1", reward: 1, deferredSince: 5 });
  const measured = { ticket: "1-3-1", reward: 1, metrics: { "a:b": 0.5 } };
  two.add(measured);
  one.remove([{ ticket: "1-1-1", reward: 0.5 }]);
  assert.deepEqual(one.load(), {
    rewards: [{ ticket: "1-2-1", reward: 1, deferredSince: 5 }, measured],
    refused: 1,
    error: undefined,
  });
  assert.equal(one.load().refused, 0);
  const refused = [...storage.keys()].filter((key) => key.startsWith("floorline:refused:"));
  assert.match(storage.get(refused[0]), /forged:1/);
  storage.set("floorline:reward:forged:2", "");
  storage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  const { rewards, refused: none, error } = one.load();
  assert.deepEqual([rewards.length, none, String(error)], [2, 0, "Error: QuotaExceededError"]);
  const denied = new LocalStorageJournal("floorline", null);
  denied.add({ ticket: "1-1-1", reward: 1 });
  assert.deepEqual(denied.load(), { rewards: [], refused: 0, error: undefined });
});
