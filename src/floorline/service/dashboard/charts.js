// The charts of a campaign, fed from its series and status.

import { byId } from "./dom.js";
import { exactPercent } from "./format.js";
import { intervalChart } from "./intervals.js";
import { lineChart } from "./lines.js";
import { REASONS } from "./reasons.js";
import { stackedChart } from "./stacked.js";

const EMPTY = "No decisions yet.";

const COLOURS = 8; // beside the default's grey

/** The arms as parts of the traffic. Where there are many, those played least are one part. */
function armsOf(names, plays) {
  const parts = names.map((name) => ({ name, counts: plays[name] }));
  const [first, ...others] = parts;
  const byPlays = [...others].sort((a, b) => b.counts.at(-1) - a.counts.at(-1));
  const rest = others.length > COLOURS ? byPlays.slice(COLOURS - 1) : [];
  const shown = [first, ...others.filter((part) => !rest.includes(part))];
  if (rest.length > 0) shown.push({ name: `${rest.length} others`, counts: added(rest) });
  return shown.map((part, i) => ({ ...part, look: `c${i}` }));
}

const added = (parts) => parts[0].counts.map((_, i) => parts.reduce((sum, { counts }) => sum + counts[i], 0));

/** All charts. `show` draws them anew. */
export function charts(settings) {
  const picture = lineChart(byId("picture"), EMPTY);
  const budget = lineChart(byId("budget"), EMPTY);
  const arms = intervalChart(byId("arms"));
  const byArm = stackedChart(byId("by-arm"), EMPTY);
  const byReason = stackedChart(byId("by-reason"), EMPTY);
  const share = exactPercent(1 - settings.max_loss);
  const { unit } = settings;

  return {
    show(series, status) {
      const columns = series.isEmpty ? null : series.columns;
      picture.show(columns && pictureOf(columns, share, unit));
      budget.show(columns && {
        label: "Guaranteed budget", unit, times: columns.time, decisions: columns.decisions,
        lines: [{ name: "guaranteed budget", values: columns.guaranteed_budget, look: "c3", filled: true }],
      });
      byArm.show(columns && {
        label: "Traffic by arm", times: columns.time, decisions: columns.decisions,
        parts: armsOf(settings.arms, columns.plays),
      });
      const reasons = Object.keys(REASONS).filter((reason) => reason in (columns?.reasons ?? {}));
      byReason.show(columns && {
        label: "Traffic by reason", times: columns.time, decisions: columns.decisions,
        parts: reasons.map((word) => ({ ...REASONS[word], counts: columns.reasons[word] })),
      });
      const mean = settings.default_mean ?? status.arms[0].average;
      arms.show({
        arms: status.arms, floor: mean === null ? null : (1 - settings.max_loss) * mean,
        low: settings.low, high: settings.high, unit,
        look: (arm) => (settings.arms.length > COLOURS + 1 ? `c${Math.min(arm, 1)}` : `c${arm}`),
      });
    },
  };
}

function pictureOf(columns, share, unit) {
  return {
    label: "Reward and floor", unit, times: columns.time, decisions: columns.decisions,
    lines: [
      { name: "reward, estimated", values: columns.reward, look: "c1" },
      { name: "the default alone", values: columns.default, look: "c0" },
      { name: `floor, ${share} of it`, values: columns.floor, look: "floor", dashed: true },
    ],
    band: { name: "guaranteed range of the reward", low: columns.reward_lower, high: columns.reward_upper, look: "c1" },
  };
}
