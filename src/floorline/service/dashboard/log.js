// The decision log: the newest first, a page at a time, and a search by ticket.

import { campaignPath, get } from "./api.js";
import { byId, el, say } from "./dom.js";
import { amount, named, time } from "./format.js";
import { explain } from "./explain.js";
import { reasonName } from "./reasons.js";
import { credentials } from "./session.js";
import { table } from "./table.js";

const PAGE = 12;
const REST = 2000; // milliseconds between two looks at the newest
const columnsIn = (unit) => [
  { name: "Time" }, { name: "Arm" }, { name: "Reason" }, { name: named("Reward", unit), number: true },
  { name: named("Budget after", unit), number: true }, { name: "Ticket" }, { name: "Why", keep: true },
];

/** The log of a campaign. `refresh` shows the newest, unless older ones are being read. */
export function decisionLog(campaign, { missing, unit, floor }) {
  const host = byId("log");
  let cursor = null; // null: at the newest
  let looked = 0;
  let due = null;

  async function show(at) {
    cursor = at;
    looked = Date.now();
    const from = at === null ? "" : `&cursor=${at}`;
    const path = `${campaignPath(campaign, "decisions")}?order=newest&limit=${PAGE}${from}`;
    const { decisions, next } = await get(path);
    const focused = host.contains(document.activeElement) ? document.activeElement.dataset.what : null;
    host.replaceChildren(...(decisions.length > 0 ? page(decisions, next) : nothing(campaign)));
    host.querySelector(`[data-what="${focused}"]`)?.focus();
  }

  const page = (decisions, next) => [
    table("Decisions", columnsIn(unit), decisions.map((made) => row(made, missing, floor, open))),
    el("div", { class: "pages" },
      el("button", { class: "small", "data-what": "newest", disabled: cursor === null,
        onclick: () => turnTo(null) }, "Newest"),
      el("button", { class: "small", "data-what": "older", disabled: next === null,
        onclick: () => turnTo(next) }, "Older")),
  ];

  const turnTo = (at) => show(at).catch((error) => say(byId("search-error"), error.message));

  async function open(ticket) {
    try {
      say(byId("search-error"), "");
      await explain(campaign, ticket, unit);
    } catch (error) {
      say(byId("search-error"), error.message);
    }
  }

  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const ticket = byId("ticket").value.trim();
    if (ticket) open(ticket);
  });

  return {
    refresh() {
      if (cursor !== null || due !== null) return;
      due = setTimeout(() => {
        due = null;
        if (cursor === null) show(null).catch(() => {}); // the stream says when nobody answers
      }, Math.max(0, looked + REST - Date.now()));
    },
  };
}

function nothing(campaign) {
  const address = location.origin + campaignPath(campaign, "decisions");
  const key = "Authorization" in credentials() ? ' -H "Authorization: Bearer $KEY"' : "";
  return [
    el("p", {}, "No decisions yet. They appear here as they are made. To ask for the first one:"),
    el("p", {}, el("code", {}, `curl -X POST${key} ${address}`)),
  ];
}

/** What became of a decision without a reward. */
function outcome(made, missing) {
  if (made.outcome !== "expired") return made.outcome;
  return missing === "zero" ? "0, none came" : "lost";
}

function row(made, missing, floor, open) {
  const reward = made.reward === null ? outcome(made, missing) : amount(made.reward);
  return [
    time(made.time), made.arm, reasonName(made.reason, floor === "randomised"),
    made.outcome === "late" ? `${reward} (late)` : reward, amount(made.guaranteed_budget),
    el("code", {}, made.ticket),
    el("button", { class: "small", "data-what": made.ticket,
      "aria-label": `Explain ${made.ticket}`, onclick: () => open(made.ticket) }, "Explain"),
  ];
}
