// The verdict in words, and the numbers that matter most.

import { byId, el, refill, say } from "./dom.js";
import { count, exactPercent, inUnit, percent, sentence, surePercent } from "./format.js";

/** `good`, `warn` or `bad`: what a verdict means for the reader. */
export function mood(status) {
  if (status === null) return "bad";
  return status.holds && status.alarm === null && status.problems.length === 0 ? "good" : "warn";
}

const MORE = {
  running: "What is guaranteed takes every mean at the worst that the rewards so far allow, and pending rewards at their "
    + "worst. It needs a default that does not change, and candidates that do not depend on the visitor.",
  tossed: "What is guaranteed takes what the default would have received in the challengers' rounds at its upper "
    + "bound, and pending rewards at their worst.",
  below: "Nothing is broken: each decision was affordable given what was known then.",
  paused: "Paused: everyone gets the default. Rewards are still accepted.",
  finished: "There is no control group and no promise any more. Decisions and rewards are still recorded.",
  stopped: "No more decisions are made. Rewards are still accepted.",
  drift: "Everyone gets the default until a new epoch is started. What is called sure or guaranteed here needs a "
    + "default that does not change.",
};

export function showVerdict(status) {
  const box = byId("verdict");
  box.className = `verdict ${mood(status)}`;
  say(byId("verdict-words"), status.headline);
  say(byId("floor-words"), `${earned(status)}${status.verdict}.`);
  say(byId("verdict-more"), more(status));
  refill(byId("problems"), ...status.problems.map((problem) => el("li", {}, sentence(problem))));
  const [introduction, ...lines] = status.arithmetic;
  say(byId("arithmetic-words"), introduction);
  refill(byId("arithmetic"), ...lines.map((line) => el("li", {}, line)));
  say(byId("state"), status.state);
  byId("state").className = `chip ${status.state}`;
}

/** What was earned, by estimate, before what is sure. */
function earned({ estimated_share: share, same_rounds: same }) {
  if (share === null || same !== null) return ""; // the headline has it
  const change = Math.abs(100 * (share - 1));
  const word = share < 1 ? "less" : "more";
  return change < 0.05 ? "So far about as much was earned as the default alone would have. "
    : `So far about ${change.toFixed(1)}% ${word} was earned than the default alone would have. `;
}

function more(status) {
  if (status.state !== "running") return MORE[status.state];
  if (status.decisions === 0) return "No decision has been made yet.";
  if (status.alarm !== null) return ""; // the verdict says what to do
  if (!status.holds) return MORE.below;
  return status.same_rounds === null ? MORE.running : MORE.tossed;
}

export function showTiles(status, unit) {
  const share = status.decisions > 0 ? status.on_challengers / status.decisions : 0;
  const epoch = status.epoch > 1 ? `in epoch ${status.epoch}` : "since it was opened";
  const tiles = [
    ["Decisions", count(status.decisions), epoch],
    ["Guaranteed reward", `${surePercent(status.guaranteed_share)}`,
      `of the default's, ${exactPercent(status.promised_share)} promised`],
    ["Guaranteed budget", inUnit(status.guaranteed_budget, unit), "of reward above the floor"],
    ["On challengers", percent(share), "of all decisions"],
  ];
  refill(byId("tiles"), ...tiles.map(([name, value, note]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value), el("dd", { class: "note" }, note))));
}
