// Shares of the traffic over time, as stacked bars.

import { Chart, frame } from "./chart.js";
import { svg } from "./dom.js";
import { count, percent, plural } from "./format.js";
import { linear } from "./scale.js";
import { numbersOf, table } from "./table.js";

const BARS = 48;

/** Seconds within which decisions of a live campaign are known to have been made: updates come once a second. */
const RESOLUTION = 2;

/** A chart of shares. `show` takes {times, decisions, parts, label}, each part {name, counts, look}. */
export function stackedChart(host, empty) {
  let data = null;
  let bars = [];
  let scale = null;
  const chart = new Chart(host, (width, height) => {
    if (data === null) {
      chart.nothing(empty);
      return;
    }
    const space = frame(width, height, spanOf(data), [0, 1], (share) => percent(share, 0));
    scale = linear(space.left, space.right, ...spanOf(data));
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
  host.append(numbersOf(() => numbers(data)));
  return {
    show(shown) {
      data = shown;
      bars = shown === null ? [] : barsOf(shown);
      chart.redraw();
    },
  };
}

/** From the first moment to the last, a second later at least. */
const spanOf = ({ times }) => [times[0], Math.max(times[0] + 1, times.at(-1))];

/** How many of each part there were in each of the slices of time that have decisions. */
function barsOf(data) {
  const { times, decisions, parts } = data;
  const [from, to] = spanOf(data);
  const bars = [];
  let before = { decisions: 0, counts: parts.map(() => 0) };
  let next = 0;
  for (let slice = 1; slice <= BARS; slice += 1) {
    const end = slice === BARS ? Infinity : from + (slice * (to - from)) / BARS;
    const first = next;
    while (next < times.length && times[next] <= end) next += 1;
    if (next === 0 || decisions[next - 1] === before.decisions) continue;
    const counts = parts.map((part) => part.counts[next - 1]);
    const start = from + ((slice - 1) * (to - from)) / BARS;
    // Shorter slices than the time between two updates: its decisions lie anywhere in between.
    const isNear = bars.length > 0 && times[first] - times[first - 1] <= RESOLUTION;
    bars.push({
      from: isNear ? bars.at(-1).to : start, to: from + (slice * (to - from)) / BARS,
      counts: counts.map((value, p) => value - before.counts[p]),
    });
    before = { decisions: decisions[next - 1], counts };
  }
  return bars;
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
  return `${data.label} of ${plural(data.decisions.at(-1), "decision")}: ${shares.join(", ")}.`;
}

function numbers(data) {
  if (data === null) return "Nothing yet.";
  const counts = totals(data);
  const columns = [{ name: "Which" }, { name: "Decisions", number: true }, { name: "Share", number: true }];
  const rows = entries(data.parts, counts).map(({ name, value }, p) => [name, count(counts[p]), value]);
  return table(data.label, columns, rows);
}
