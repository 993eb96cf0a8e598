// The reasons of decisions, in words and colours.

export const REASONS = {
  explore: { name: "exploring", look: "c1" },
  exploit: { name: "proved better", look: "c3" },
  "budget-low": { name: "budget too low", look: "c2" },
  "no-rewards": { name: "no rewards yet", look: "c7" },
  "default-is-best": { name: "default is best so far", look: "c0" },
  "default-unknown": { name: "default not known yet", look: "c8" },
  holdback: { name: "control group", look: "c4" },
  coin: { name: "the floor's coin", look: "c3" },
  paused: { name: "paused", look: "c6" },
  finished: { name: "finished: the winner", look: "c5" },
  retired: { name: "candidate was retired", look: "c2" },
  drift: { name: "default has changed", look: "floor" },
};

/** Where a coin decides between the default and any other candidate. */
const BY_COIN = {
  explore: "challenger, by the coin",
  holdback: "default, at its least chance",
  coin: "default, by the coin",
  "default-is-best": "default, as proposed",
  "default-unknown": "default, as proposed at first",
};

/** A reason in words, for a campaign whose floor tosses coins or not. */
export const reasonName = (reason, tossed) =>
  ((tossed && BY_COIN[reason]) || REASONS[reason]?.name) ?? reason;
