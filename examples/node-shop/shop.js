// A shop that tries a new checkout. What a visit pays is known days later, if it pays at all.

import { randomBytes } from "node:crypto";

import express from "express";
import { Client } from "floorline-client";
import { FileJournal } from "floorline-client/node";

const CAMPAIGN = "checkout";

const client = new Client({
  url: process.env.FLOORLINE_URL,
  defaults: { [CAMPAIGN]: "classic" },
  journal: new FileJournal(process.env.REWARDS ?? "rewards.jsonl"),
});

/** The ticket of each order. A real shop stores it with the order. */
const tickets = new Map();

const app = express();

app.get("/checkout", async (request, response) => {
  const visit = visitOf(request) ?? randomBytes(16).toString("hex");
  const { arm } = await client.decide(CAMPAIGN, { requestKey: visit });
  response.cookie("visit", visit).json({ checkout: arm });
});

app.post("/orders", async (request, response) => {
  const visit = visitOf(request);
  if (!visit) return response.sendStatus(400);
  const { ticket } = await client.decide(CAMPAIGN, { requestKey: visit }); // the same as before
  const order = randomBytes(4).toString("hex");
  tickets.set(order, ticket);
  response.json({ order });
});

app.post("/orders/:order/paid", (request, response) => {
  if (!tickets.has(request.params.order)) return response.sendStatus(404);
  const amount = Number(request.query.amount);
  response.json({ reported: client.reward(tickets.get(request.params.order), amount) });
});

function visitOf(request) {
  return /(?:^|; )visit=([0-9a-f]+)/.exec(request.headers.cookie ?? "")?.[1];
}

const server = app.listen(Number(process.env.PORT ?? 8003), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});

process.on("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  client.close(); // sends waiting rewards
});
