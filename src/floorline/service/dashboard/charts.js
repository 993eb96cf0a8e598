// The charts of a campaign, fed from its series and status.

import { byId } from "./dom.js";
import { exactPercent } from "./format.js";
import { intervalChart } from "./intervals.js";
import { lineChart } from "./lines.js";
import { REASONS, reasonName } from "./reasons.js";
import { stackedChart } from "./stacked.js";

const EMPTY = "No decisions yet.";

const COLOURS = 8; // beside the default's grey

/** The arms as parts of the traffic. Where there are many, those played least are one part. */
function armsOf(names, { plays, decisions }) {
  const parts = names.map((name) => ({ name, counts: plays[name] ?? decisions.map(() => 0) }));
  const [first, ...others] = parts;
  const byPlays = [...others].sort((a, b) => b.counts.at(-1) - a.counts.at(-1));
  const rest = others.length > COLOURS ? byPlays.slice(COLOURS - 1) : [];
  const shown = [first, ...others.filter((part) => !rest.includes(part))];
  if (rest.length > 0) shown.push({ name: `${rest.length} others`, counts: added(rest) });
  return shown.map((part, i) => ({ ...part, look: `c${i}` }));
}

const added = (parts) => parts[0].counts.map((_, i) => parts.reduce((sum, { counts }) => sum + counts[i], 0));

/** All charts. `show` redraws them. */
export function charts(settings) {
  const picture = lineChart(byId("picture"), EMPTY);
  const budget = lineChart(byId("budget"), EMPTY);
  const chance = lineChart(byId("chance"), EMPTY);
  const missed = lineChart(byId("missed"), EMPTY);
  const arms = intervalChart(byId("arms"));
  const byArm = stackedChart(byId("by-arm"), EMPTY);
  const byReason = stackedChart(byId("by-reason"), EMPTY);
  const share = exactPercent(1 - settings.max_loss);
  const { unit } = settings;

  return {
    show(series, status) {
      const columns = series.isEmpty ? null : series.columns;
      const tossed = status.same_rounds !== null;
      const names = status.arms.map(({ name }) => name); // of now: arms come and go
      const over = columns && { times: columns.time, decisions: columns.decisions };
      picture.show(over && { ...over, ...(tossed ? received : expected)(columns, share), unit });
      budget.show(over && { ...over, ...budgetOf(columns), unit });
      for (const card of document.querySelectorAll(".coin")) card.hidden = !tossed;
      if (tossed) {
        chance.show(over && { ...over, ...chanceOf(columns, names[0]) });
        missed.show(over && { ...over, ...missedOf(columns, names[0]), unit });
      }
      byArm.show(over && { ...over, label: "Traffic by arm", parts: armsOf(names, columns) });
      byReason.show(over && { ...over, label: "Traffic by reason", parts: reasonsOf(columns.reasons, tossed) });
      arms.show({
        arms: status.arms, retired: status.retired, floor: status.promised_mean,
        low: settings.low, high: settings.high, unit, bounded: !tossed,
        look: (arm) => (names.length > COLOURS + 1 ? `c${Math.min(arm, 1)}` : `c${arm}`),
      });
    },
  };
}

function reasonsOf(counts, tossed) {
  return Object.keys(REASONS).filter((reason) => reason in counts)
    .map((reason) => ({ look: REASONS[reason].look, name: reasonName(reason, tossed), counts: counts[reason] }));
}

function expected(columns, share) {
  return {
    label: "Reward and floor",
    lines: [
      { name: "reward, estimated", values: columns.reward, look: "c1" },
      { name: "the default alone", values: columns.default, look: "c0" },
      { name: `floor, ${share} of it`, values: columns.floor, look: "floor", dashed: true },
    ],
    band: { name: "guaranteed range of the reward", low: columns.reward_lower, high: columns.reward_upper, look: "c1" },
  };
}

function received(columns, share) {
  return {
    label: "Reward and floor",
    lines: [
      { name: "reward received", values: columns.reward, look: "c1" },
      { name: "the default in the same rounds, estimated", values: columns.default, look: "c0" },
      { name: `floor, ${share} of it`, values: columns.floor, look: "floor", dashed: true },
    ],
    band: { name: "guaranteed range of the floor", low: columns.floor_lower, high: columns.floor_upper, look: "floor" },
  };
}

function budgetOf(columns) {
  return {
    label: "Guaranteed budget",
    lines: [{ name: "guaranteed budget", values: columns.guaranteed_budget, look: "c3", filled: true }],
  };
}

function chanceOf(columns, name) {
  return {
    label: "Chance of the default", shares: true,
    lines: [{ name: `${name}, where another arm is proposed`, values: columns.default_probability, look: "c0" }],
  };
}

function missedOf(columns, name) {
  return {
    label: "In the challengers' rounds",
    lines: [
      { name: "challengers received", values: columns.challengers, look: "c1" },
      { name: `${name} would have received, at most`, values: columns.missed_upper, look: "floor", dashed: true },
      { name: `${name}, estimated`, values: columns.missed, look: "c0" },
    ],
  };
}
