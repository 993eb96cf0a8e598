// The price of safety: what the floor has cost so far, and what that number is.

import { byId, el, refill } from "./dom.js";
import { count, inUnit, percent, plural } from "./format.js";

export function showPrice(status, { unit }) {
  const turned = status.arms.reduce((sum, arm) => sum + arm.turned_away, 0);
  const share = percent(status.decisions > 0 ? turned / status.decisions : 0);
  const held = status.reasons.holdback ?? 0;
  refill(byId("price"),
    el("p", { class: "price" }, plural(turned, "decision")),
    el("p", { class: "about" }, `${share} of all went to the default because the budget could not `
      + `pay for the challenger that was proposed. ${count(held)} more were the control group, by `
      + "which a change of the default is noticed."),
    el("p", { class: "price" }, total(status.price, unit)),
    el("p", { class: "about" }, words(status)));
}

function total(price, unit) {
  if (price === null) return "–";
  if (Math.abs(price) < 1e-9) return "nothing";
  return `about ${inUnit(Math.abs(price), unit ?? "of reward")} ${price > 0 ? "given up" : "saved"}`;
}

function words({ price }) {
  if (price === null) return "What they cost can be estimated once rewards are known.";
  return "An estimate in hindsight, and no bound: what the challengers that were proposed would have "
    + "earned in these decisions beyond the default, each at its own estimate.";
}
