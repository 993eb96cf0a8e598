// Lines and a band over time.

import { Chart, frame } from "./chart.js";
import { svg } from "./dom.js";
import { amount, count, inUnit, named, percent, plural, time } from "./format.js";
import { extent, linear } from "./scale.js";
import { numbersOf, table } from "./table.js";

const ROWS = 12;

/**
 * A chart of lines. `show` takes {times, decisions, lines, band, unit, label}, each line {name, values, look}.
 * Shares have `shares: true` in place of a unit.
 */
export function lineChart(host, empty) {
  let data = null;
  let scale = null;
  const chart = new Chart(host, (width, height) => {
    if (data === null) chart.nothing(empty);
    else drawLines(chart, data, width, height, (used) => { scale = used; });
  });
  chart.follow((place) => (data === null ? null : nearest(data.times, scale(place))));
  host.append(numbersOf(() => numbers(data)));
  return {
    show(shown) {
      data = shown;
      chart.redraw();
    },
  };
}

function drawLines(chart, data, width, height, useScale) {
  const { times, decisions, lines, band, shares } = data;
  const words = wordsFor(data);
  // An early band reaches far beyond all lines, and would leave no room to see them.
  const ends = band ? [[band.low.at(-1), band.high.at(-1)]] : [];
  const range = extent(...lines.map((line) => line.values), ...ends, shares ? [1] : []);
  const span = [times[0], times.at(-1)];
  const space = frame(width, height, span, range, shares ? (share) => percent(share, 0) : undefined);
  useScale(linear(space.left, space.right, span[0], Math.max(span[0] + 1, span[1])));
  const { x } = space;
  const y = (value) => space.y(Math.min(Math.max(value, range[0]), range[1]));
  const at = chart.focus ?? times.length - 1;
  const place = (column) => (i) => `${x(times[i]).toFixed(1)},${y(column[i]).toFixed(1)}`;
  const all = times.map((_, i) => i);
  const parts = [...space.parts];
  if (band) {
    const known = all.filter((i) => Number.isFinite(band.low[i]) && Number.isFinite(band.high[i]));
    const outline = [...known.map(place(band.high)), ...known.reverse().map(place(band.low))];
    parts.push(svg("path", { class: `band ${band.look}`, d: `M${outline.join("L")}Z` }));
  }
  for (const { values: column, look, dashed, filled } of lines) {
    const known = all.filter((i) => Number.isFinite(column[i]));
    if (known.length === 0) continue; // nothing can be estimated yet
    const path = known.map(place(column)).join("L");
    const [first, last] = [x(times[known[0]]), x(times[known.at(-1)])];
    if (filled) {
      parts.push(svg("path", { class: `area ${look}`, d: `M${path}L${last},${y(0)}L${first},${y(0)}Z` }));
    }
    parts.push(svg("path", { class: `line ${look} ${dashed ? "dashed" : ""}`, d: `M${path}` }));
  }
  if (chart.focus !== null) {
    const here = x(times[at]);
    parts.push(svg("line", { class: "cross", x1: here, x2: here, y1: space.top, y2: space.bottom }));
  }
  chart.put(spoken(data), width, height, parts);
  chart.explain([
    ...lines.map(({ name, values: column, look, dashed }) => ({
      name, look, value: words(column[at]), swatch: dashed ? "is-dashed" : "is-line",
    })),
    ...(band ? [{ name: band.name, look: band.look, swatch: "is-band",
      value: `${amount(band.low[at])} to ${words(band.high[at])}` }] : []),
    { name: `${time(times[at])}, after`, swatch: "none", value: plural(decisions[at], "decision") },
  ]);
}

/** How the values of a chart are written. */
const wordsFor = ({ shares, unit }) => (shares ? (share) => percent(share) : (value) => inUnit(value, unit));

function spoken(data) {
  const { label, decisions, lines } = data;
  const ends = lines.map(({ name, values }) => `${name} ${wordsFor(data)(values.at(-1))}`);
  return `${label}, after ${plural(decisions.at(-1), "decision")}: ${ends.join(", ")}.`;
}

function nearest(times, wanted) {
  let best = 0;
  times.forEach((value, i) => {
    if (Math.abs(value - wanted) < Math.abs(times[best] - wanted)) best = i;
  });
  return best;
}

function numbers(data) {
  if (data === null) return "Nothing yet.";
  const { label, times, decisions, lines, band, unit, shares } = data;
  const columns = [...lines, ...(band ? [
    { name: `${band.name}, low`, values: band.low }, { name: `${band.name}, high`, values: band.high },
  ] : [])];
  const names = ["Decisions", ...columns.map((column) => named(column.name, unit))];
  const rows = spread(decisions.length).map((i) => [
    time(times[i]), count(decisions[i]), ...columns.map((column) => (shares ? percent : amount)(column.values[i])),
  ]);
  return table(label, [{ name: "Time" }, ...names.map((name) => ({ name, number: true }))], rows);
}

/** Some indices of a column, evenly spread, the last among them. */
function spread(length, wanted = ROWS) {
  const step = Math.max(1, (length - 1) / (wanted - 1));
  const found = new Set();
  for (let at = length - 1; at > -0.5; at -= step) found.add(Math.round(at));
  return [...found].sort((a, b) => a - b);
}
