// The price of safety: what the floor has cost so far, and what that number is.

import { byId, el, refill } from "./dom.js";
import { amount, count, percent } from "./format.js";

/** Decisions that the floor turned to the default, and what they might have earned elsewhere. */
export function priceOf(status, defaultMean) {
  const forced = (status.reasons["budget-low"] ?? 0) + (status.reasons["no-rewards"] ?? 0);
  const known = status.arms.slice(1).filter((arm) => arm.average !== null);
  const best = known.reduce((top, arm) => (arm.average > (top?.average ?? -Infinity) ? arm : top), null);
  const mean = defaultMean ?? status.arms[0].average;
  const comparable = best !== null && mean !== null;
  return { forced, best, mean, given: comparable ? forced * Math.max(0, best.average - mean) : null };
}

export function showPrice(status, { default_mean: defaultMean, unit }) {
  const { forced, best, mean, given } = priceOf(status, defaultMean);
  const share = percent(status.decisions > 0 ? forced / status.decisions : 0);
  const held = status.reasons.holdback ?? 0;
  refill(byId("price"),
    el("p", { class: "price" }, `${count(forced)} decisions`),
    el("p", { class: "about" }, `${share} of all went to the default because the budget could not `
      + `pay for the challenger that was proposed. ${count(held)} more were held back to watch it.`),
    el("p", { class: "price" }, total(given, unit)),
    el("p", { class: "about" }, words(given, best, mean)));
}

function total(given, unit) {
  if (given === null) return "–";
  return given === 0 ? "no reward" : `about ${amount(given)} ${unit ?? "of reward"}`;
}

function words(given, best, mean) {
  if (given === null) return "What they cost can be estimated once rewards of a challenger are known.";
  const averages = `${best.name} has averaged ${amount(best.average)}, the default ${amount(mean)}`;
  if (given === 0) return `Nothing is given up by what is known: ${averages}.`;
  return `An estimate in hindsight, and no bound: ${averages}; had these decisions gone to `
    + `${best.name}, they would have earned about that much more.`;
}
