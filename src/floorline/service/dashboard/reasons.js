// The reasons of decisions, in words and colours.

export const REASONS = {
  explore: { name: "exploring", look: "c1" },
  exploit: { name: "proved better", look: "c3" },
  "budget-low": { name: "budget too low", look: "c2" },
  "no-rewards": { name: "no rewards yet", look: "c7" },
  "default-is-best": { name: "default is best so far", look: "c0" },
  "default-unknown": { name: "default not known yet", look: "c8" },
  holdback: { name: "control group", look: "c4" },
  coin: { name: "the floor's coin", look: "c7" },
  paused: { name: "paused", look: "c6" },
  finished: { name: "finished: the winner", look: "c5" },
  retired: { name: "candidate was retired", look: "c2" },
  drift: { name: "default has changed", look: "floor" },
};
