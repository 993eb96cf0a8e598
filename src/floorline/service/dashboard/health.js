// Reward health: what is pending and for how long, what was lost, late or sent twice.

import { byId, el, refill } from "./dom.js";
import { count, duration, percent } from "./format.js";

const AGES = ["under a minute", "1 to 10 minutes", "10 to 60 minutes", "1 to 24 hours", "over a day"];

/** What a window that ended without a reward means, by `missing`. */
const SILENT = { zero: "No reward, counted as 0", random: "Lost, left out", unknown: "Lost" };

export function showHealth(status, missing) {
  const share = status.decisions > 0 ? percent(status.lost / status.decisions) : "0.0%";
  const numbers = [
    ["Rewards reported", count(status.reported)],
    [`${SILENT[missing]}, ${share}`, count(status.lost)],
    ["Late, not used", count(status.late)],
    ["Sent twice", count(status.duplicates)],
    ...(status.refused > 0 ? [["Outside the range, refused", count(status.refused)]] : []),
    ...(status.clipped > 0 ? [["Above the range, clipped", count(status.clipped)]] : []),
  ];
  const most = Math.max(1, ...status.pending_by_age);
  refill(byId("health"),
    el("dl", { class: "numbers" }, numbers.map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("h3", {}, `Pending: ${count(status.pending)}${oldest(status)}`),
    el("ul", { class: "meters" }, status.pending_by_age.map((number, i) => meter(AGES[i], number, most))));
}

function oldest({ oldest_pending: since, time }) {
  return since === null ? "" : `, the oldest for ${duration(time - since)}`;
}

function meter(name, number, most) {
  const filled = el("span");
  filled.style.width = `${(100 * number) / most}%`;
  return el("li", {}, el("span", {}, name),
    el("span", { class: "meter", "aria-hidden": "true" }, filled),
    el("span", { class: "number" }, count(number)));
}
