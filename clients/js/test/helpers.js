// What the tests share: the real service, which pytest has started, and servers that fail.

import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";

import { Client } from "floorline-client";

export const URL_OF_SERVICE = process.env.FLOORLINE_URL ?? "http://127.0.0.1:8400";

/** Long: this machine may be busy. */
export const PATIENT_MS = 20_000;

/** A port where nothing listens. */
export const NOWHERE = "http://127.0.0.1:9";

let opened = 0;

/** The name of a new campaign. */
export async function openCampaign(settings = {}) {
  const name = `js-${process.pid}-${++opened}`;
  const arms = ["now", "video", "quiz"];
  await call("/v1/campaigns", { name, arms, max_loss: 0.5, missing: "unknown", ...settings });
  return name;
}

/** The tickets of new decisions of a campaign. */
export async function ticketsOf(campaign, count) {
  const client = new Client({ url: URL_OF_SERVICE, timeoutMs: PATIENT_MS });
  const decisions = [];
  for (let visit = 0; visit < count; visit++) decisions.push(await client.ask(campaign));
  await client.close();
  return decisions.map(({ ticket }) => ticket);
}

/** The service's response to a request of ours, not of the client. */
export async function call(path, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(URL_OF_SERVICE + path, options);
  const item = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(item));
  return item;
}

/** The decisions in the ledger of a campaign. */
export async function records(campaign) {
  return (await call(`/v1/campaigns/${campaign}/decisions?limit=1000`)).decisions;
}

/** A server that answers as `handle` says, closed with the test. */
export async function server(t, handle) {
  const listening = http.createServer(handle);
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  t.after(() => listening.closeAllConnections() ?? listening.close());
  return `http://127.0.0.1:${listening.address().port}`;
}

/** The body of a request to such a server. */
export async function bodyOf(request) {
  let text = "";
  for await (const part of request) text += part;
  return JSON.parse(text);
}

/** A file in a new folder that is removed with the test. */
export function temporaryFile(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "floorline-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return path.join(folder, "rewards.jsonl");
}

/** What the JSON lines of a file say. */
export function linesOf(file) {
  return fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** A log that keeps its lines. */
export function quiet() {
  const lines = [];
  const add = (line) => lines.push(line);
  return { lines, info: add, warn: add, error: add };
}
