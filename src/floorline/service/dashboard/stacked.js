// Shares of the traffic over decisions, as stacked bars.

import { Chart, frame } from "./chart.js";
import { svg } from "./dom.js";
import { count, percent } from "./format.js";
import { spread } from "./lines.js";
import { linear } from "./scale.js";
import { numbersOf, table } from "./table.js";

const BARS = 49;

/** A chart of shares. `show` takes {decisions, parts, label}, each part {name, counts, look}. */
export function stackedChart(host, empty) {
  let data = null;
  let bars = [];
  let scale = null;
  const chart = new Chart(host, (width, height) => {
    if (data === null) {
      chart.nothing(empty);
      return;
    }
    const space = frame(width, height, data.decisions.at(-1), [0, 1], (share) => percent(share, 0));
    scale = linear(space.left, space.right, 0, data.decisions.at(-1));
    const drawn = bars.flatMap((bar, i) => drawBar(bar, data.parts, space, i === chart.focus));
    chart.put(spoken(data), width, height, [...space.parts, ...drawn]);
    const counts = chart.focus === null ? totals(data) : bars[chart.focus].counts;
    chart.explain(entries(data.parts, counts));
  });
  chart.follow((place) => {
    if (data === null) return null;
    const found = bars.findIndex((bar) => bar.to >= scale(place));
    return found < 0 ? bars.length - 1 : found;
  });
  host.append(numbersOf("", () => numbers(data)));
  return {
    show(shown) {
      data = shown;
      bars = shown === null ? [] : barsOf(shown);
      chart.redraw();
    },
  };
}

/** How many of each part there were between chosen points. */
function barsOf({ decisions, parts }) {
  let before = { at: 0, counts: parts.map(() => 0) };
  return spread(decisions.length, BARS).map((i) => {
    const now = { at: decisions[i], counts: parts.map((part) => part.counts[i]) };
    const bar = {
      from: before.at, to: now.at, counts: now.counts.map((value, p) => value - before.counts[p]),
    };
    before = now;
    return bar;
  }).filter((bar) => bar.to > bar.from);
}

function drawBar(bar, parts, { x, y }, focused) {
  const total = sum(bar.counts) || 1;
  const left = x(bar.from);
  const width = Math.max(0.5, x(bar.to) - left);
  let below = 0;
  return parts.map((part, p) => {
    const share = bar.counts[p] / total;
    const top = y(below + share);
    const height = y(below) - top;
    below += share;
    const look = `bar-part ${part.look} ${focused ? "" : "calm"}`;
    return svg("rect", { class: look, x: left, y: top, width, height });
  });
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

const totals = ({ parts }) => parts.map((part) => part.counts.at(-1));

function entries(parts, counts) {
  const total = sum(counts) || 1;
  return parts.map(({ name, look }, p) => ({ name, look, value: percent(counts[p] / total) }));
}

function spoken(data) {
  const counts = totals(data);
  const shares = entries(data.parts, counts).map(({ name, value }) => `${name} ${value}`);
  return `${data.label} of ${count(data.decisions.at(-1))} decisions: ${shares.join(", ")}.`;
}

function numbers(data) {
  if (data === null) return "Nothing yet.";
  const counts = totals(data);
  const columns = [{ name: "Which" }, { name: "Decisions", number: true }, { name: "Share", number: true }];
  const rows = entries(data.parts, counts).map(({ name, value }, p) => [name, count(counts[p]), value]);
  return table(data.label, columns, rows);
}
