// The charts of a campaign, fed from its series and status.

import { byId } from "./dom.js";
import { exactPercent } from "./format.js";
import { intervalChart } from "./intervals.js";
import { lineChart } from "./lines.js";
import { REASONS } from "./reasons.js";
import { stackedChart } from "./stacked.js";

const EMPTY = "No decisions yet.";

/** The colour of an arm; the default is grey. */
const lookOf = (arm) => (arm === 0 ? "c0" : `c${1 + ((arm - 1) % 8)}`);

/** All charts. `show` draws them anew. */
export function charts(settings) {
  const picture = lineChart(byId("picture"), EMPTY);
  const budget = lineChart(byId("budget"), EMPTY);
  const arms = intervalChart(byId("arms"));
  const byArm = stackedChart(byId("by-arm"), EMPTY);
  const byReason = stackedChart(byId("by-reason"), EMPTY);
  const share = exactPercent(1 - settings.max_loss);

  return {
    show(series, status) {
      const columns = series.isEmpty ? null : series.columns;
      picture.show(columns && pictureOf(columns, share));
      budget.show(columns && {
        label: "Guaranteed budget", decisions: columns.decisions,
        lines: [{ name: "guaranteed budget", values: columns.guaranteed_budget, look: "c3", filled: true }],
      });
      byArm.show(columns && {
        label: "Traffic by arm", decisions: columns.decisions,
        parts: settings.arms.map((name, i) => ({ name, counts: columns.plays[name], look: lookOf(i) })),
      });
      const reasons = Object.keys(REASONS).filter((reason) => reason in (columns?.reasons ?? {}));
      byReason.show(columns && {
        label: "Traffic by reason", decisions: columns.decisions,
        parts: reasons.map((word) => ({ ...REASONS[word], counts: columns.reasons[word] })),
      });
      const mean = settings.default_mean ?? status.arms[0].average;
      arms.show({
        arms: status.arms, floor: mean === null ? null : (1 - settings.max_loss) * mean,
        low: settings.low, high: settings.high, look: lookOf,
      });
    },
  };
}

function pictureOf(columns, share) {
  return {
    label: "Reward and floor", decisions: columns.decisions,
    lines: [
      { name: "reward, estimated", values: columns.reward, look: "c1" },
      { name: "the default alone", values: columns.default, look: "c0" },
      { name: `floor, ${share} of it`, values: columns.floor, look: "floor", dashed: true },
    ],
    band: { name: "reward, for sure", low: columns.reward_lower, high: columns.reward_upper, look: "c1" },
  };
}
