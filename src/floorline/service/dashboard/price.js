// What the campaign won against the default alone, and what the floor cost, with what the numbers are.

import { byId, el, refill } from "./dom.js";
import { amount, count, inUnit, percent, plural } from "./format.js";

export function showPrice(status, { unit }) {
  if (status.same_rounds !== null) {
    refill(byId("price"), el("p", { class: "price" }, won(status.gain, unit, "the default in the same rounds")),
      el("p", { class: "about" }, `Surely between ${amount(status.gain.lower)} and ${inUnit(status.gain.upper, unit)}, `
        + "whatever the visitors and the seasons. Pending rewards are not counted yet."));
    return;
  }
  const turned = status.turned_away;
  const share = percent(status.decisions > 0 ? turned / status.decisions : 0);
  refill(byId("price"),
    el("p", { class: "price" }, won(status.gain, unit, "the default alone")),
    el("p", { class: "about" }, wonWords(status, unit)),
    el("p", { class: "price" }, paid(status.price, unit)),
    el("p", { class: "about" }, `An estimate, in hindsight, of what ${plural(turned, "decision")} (${share}) would `
      + `have earned ${status.price < 0 ? "less than" : "beyond"} the default. They went to the default because the `
      + `budget could not pay for the proposed challenger.${controlWords(status.reasons.holdback ?? 0)}`));
}

const words = (value, unit) => inUnit(Math.abs(value), unit ?? "of reward");

function controlWords(decisions) {
  if (decisions === 0) return "";
  return ` ${count(decisions)} more went to the control group, which shows whether the default changes.`;
}

function won(gain, unit, rival) {
  if (gain === null) return "–";
  return `about ${words(gain.estimate, unit)} ${gain.estimate < 0 ? "less" : "more"} than ${rival}`;
}

function wonWords({ gain, over_equal_split: over }, unit) {
  if (gain === null) return "This can be estimated once rewards are known.";
  const than = `About ${words(over, unit)} ${over < 0 ? "less" : "more"} than an equal split of the same traffic.`;
  return `Surely between ${amount(gain.lower)} and ${inUnit(gain.upper, unit)}. ${than}`;
}

function paid(price, unit) {
  if (price === null) return "–";
  return `about ${words(price, unit)} ${price < 0 ? "saved by" : "paid for"} the floor`;
}
