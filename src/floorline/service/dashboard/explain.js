// One decision explained: why, and the arithmetic of its budget.

import { campaignPath, get } from "./api.js";
import { el } from "./dom.js";
import { amount, count, exactPercent, inUnit, named, time } from "./format.js";
import { reasonName } from "./reasons.js";
import { table } from "./table.js";

/** Opens a dialog with the explanation. Throws what the service refuses. */
export async function explain(campaign, ticket, unit) {
  const found = await get(campaignPath(campaign, "decisions", encodeURIComponent(ticket)));
  const dialog = el("dialog", { "aria-labelledby": "explain-title" },
    el("h2", { id: "explain-title", tabindex: "-1", autofocus: true }, `Why ${found.decision.arm}?`),
    el("p", {}, found.words), ...facts(found, unit), ...arithmetic(found, unit),
    el("div", { class: "buttons" },
      el("button", { class: "primary", onclick: () => dialog.close() }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function facts({ decision }, unit) {
  const reward = decision.reward === null ? "" : `, reward ${inUnit(decision.reward, unit)}`;
  return [
    el("p", { class: "hint" }, "Ticket ", el("code", {}, decision.ticket), `, ${time(decision.time)}`),
    el("p", { class: "hint" }, `Reason: ${reasonName(decision.reason, decision.coin !== null)}; ${decision.outcome}${reward}`),
  ];
}

function arithmetic(found, unit) {
  if (found.terms.length === 0) return [...inWords(found), ...instead(found, unit)];
  const share = exactPercent(1 - found.max_loss);
  const columns = [
    { name: "Arm" }, { name: "Plays", number: true }, { name: "Weight", number: true },
    { name: named("Mean at worst", unit), number: true }, { name: named("Adds", unit), number: true },
  ];
  const rows = found.terms.map((term, i) => [
    i === 0 ? `${term.arm} (default)` : term.arm, count(term.plays), amount(term.weight), amount(term.mean), amount(term.sum),
  ]);
  const foot = ["Guaranteed budget", "", "", "", amount(found.guaranteed_budget)];
  const rule = `Each arm adds its weight times the end of its interval that is worst. It weighs its plays, less `
    + `${share} of the decisions in which it was the default. With this one, there are ${count(found.decisions)}.`;
  return [
    el("h3", {}, "The arithmetic"), el("p", { class: "about" }, rule),
    table("The arithmetic", columns, rows, foot), ...instead(found, unit),
  ];
}

/** For floors that do not count arm by arm. */
function inWords({ arithmetic: [introduction, ...lines] }) {
  return [
    el("h3", {}, "The arithmetic"), el("p", { class: "about" }, introduction),
    el("ul", {}, ...lines.map((line) => el("li", {}, line))),
  ];
}

function instead({ decision, candidate_budget: budget }, unit) {
  if (budget === null || decision.candidate === null || decision.coin !== null) return [];
  const end = budget < 0 ? "below zero, so it was not played" : "which the floor would have allowed";
  return [el("p", {}, `With ${decision.candidate} instead, ${inUnit(budget, unit)} would have been `
    + `guaranteed: ${end}.`)];
}
