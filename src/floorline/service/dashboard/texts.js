// What the parts of a campaign's page show, which depends on what its floor promises.

import { byId, say } from "./dom.js";

const EXPECTED = {
  "picture-about": "Expected reward so far. The lines are estimates, from decisions whose time for a reward is "
    + "over; the reward surely lies in the band.",
  "budget-about": "The reward above the floor that is certain. Until the campaign is finished, no challenger is "
    + "played that could bring it below zero.",
  "arms-about": "The estimate and its interval. All intervals hold at all times simultaneously.",
  "price-title": "What was won, and what the floor cost",
};

const RECEIVED = {
  "picture-about": "Reward received so far, beside what the default would have received in the very same rounds: "
    + "estimated from the coins that it won. The floor surely lies in its band.",
  "budget-about": "The reward above the floor that is certain. Until the campaign is finished, no challenger is "
    + "played while it is below zero.",
  "arms-about": "The average over the decisions in which an arm was played. If a model chooses who sees what, it does "
    + "not compare the arms: each has different visitors.",
  "price-title": "What was won",
};

/** Show the texts that fit what is compared. */
export function showTexts({ same_rounds: same }) {
  for (const [id, text] of Object.entries(same === null ? EXPECTED : RECEIVED)) say(byId(id), text);
}
