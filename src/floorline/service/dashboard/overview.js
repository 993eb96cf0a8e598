// The overview: every campaign with its verdict.

import { get } from "./api.js";
import { creation } from "./create.js";
import { byId, el, say } from "./dom.js";
import { plural, sentence } from "./format.js";
import { enter } from "./key.js";
import { mood } from "./verdict.js";

const REFRESH_MS = 3000;

function card({ name, status, settings, problem }) {
  const state = status?.state ?? "unavailable";
  const words = status?.headline ?? `Its ledger cannot be used: ${problem}`;
  const about = [settings && plural(settings.arms.length, "arm"),
    status && plural(status.decisions, "decision"),
    status && `${plural(status.pending, "reward")} pending`].filter(Boolean);
  return el("li", {},
    el("h2", {}, el("a", { href: `/campaigns/${encodeURIComponent(name)}` }, name),
      el("span", { class: `chip ${state}` }, state)),
    el("p", { class: `words ${mood(status)}` }, words),
    status && el("p", {}, `${status.verdict}.`),
    status?.labels.length > 0 && el("p", {}, status.labels.map((label) => el("span", { class: "chip label" }, label))),
    (status?.problems ?? []).map((problem) => el("p", { class: "words warn" }, sentence(problem))),
    el("p", { class: "hint" }, about.join(" · ")));
}

/** Redraws the list where something has changed, so that the focus stays where it is. */
let shown = "";
async function refresh() {
  const { campaigns } = await get("/v1/campaigns");
  const text = JSON.stringify([campaigns, byId("archived").checked]);
  if (text === shown) return;
  shown = text;
  const archived = campaigns.filter(({ status }) => status?.archived);
  byId("archived-field").hidden = archived.length === 0;
  say(byId("archived-words"), `Show ${plural(archived.length, "archived campaign")}`);
  const focused = document.activeElement?.getAttribute("href");
  byId("campaigns").replaceChildren(
    ...campaigns.filter((one) => byId("archived").checked || !archived.includes(one)).map(card));
  byId("empty").hidden = campaigns.length > 0;
  if (focused) byId("campaigns").querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

async function watch() {
  for (;;) {
    let there = true;
    if (!document.hidden) await refresh().catch(() => { there = false; });
    say(byId("connection"), there ? "" : "The service does not answer. Trying again…");
    byId("connection").classList.toggle("gone", !there);
    byId("main").setAttribute("aria-busy", "false");
    await new Promise((done) => setTimeout(done, REFRESH_MS));
  }
}

async function start() {
  const scopes = await enter();
  byId("new").disabled = !scopes.has("admin");
  byId("hint").hidden = scopes.has("admin");
  say(byId("hint"), "This key can read campaigns but not open any: it lacks the scope admin.");
  creation(byId("new"), (name) => location.assign(`/campaigns/${encodeURIComponent(name)}`));
  byId("archived").addEventListener("change", () => refresh().catch(() => {}));
  watch();
}

start();
