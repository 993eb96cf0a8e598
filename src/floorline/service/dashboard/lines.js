// Lines and a band over decisions.

import { Chart, frame } from "./chart.js";
import { svg } from "./dom.js";
import { amount, count } from "./format.js";
import { extent, linear } from "./scale.js";
import { numbersOf, table } from "./table.js";

const ROWS = 12;

/** A chart of lines. `show` takes {decisions, lines, band, label}, each line {name, values, look}. */
export function lineChart(host, empty) {
  let data = null;
  let scale = null;
  const chart = new Chart(host, (width, height) => {
    if (data === null) chart.nothing(empty);
    else drawLines(chart, data, width, height, (used) => { scale = used; });
  });
  chart.follow((place) => (data === null ? null : nearest(data.decisions, scale(place))));
  host.append(numbersOf(data?.label, () => numbers(data)));
  return {
    show(shown) {
      data = shown;
      chart.redraw();
    },
  };
}

function drawLines(chart, data, width, height, useScale) {
  const { decisions, lines, band } = data;
  const values = [...lines.map((line) => line.values), ...(band ? [band.low, band.high] : [])];
  const space = frame(width, height, decisions.at(-1), extent(...values));
  useScale(linear(space.left, space.right, 0, Math.max(1, decisions.at(-1))));
  const { x, y } = space;
  const at = chart.focus ?? decisions.length - 1;
  const place = (column) => (i) => `${x(decisions[i]).toFixed(1)},${y(column[i]).toFixed(1)}`;
  const all = decisions.map((_, i) => i);
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
    const [first, last] = [x(decisions[known[0]]), x(decisions[known.at(-1)])];
    if (filled) {
      parts.push(svg("path", { class: `area ${look}`, d: `M${path}L${last},${y(0)}L${first},${y(0)}Z` }));
    }
    parts.push(svg("path", { class: `line ${look} ${dashed ? "dashed" : ""}`, d: `M${path}` }));
  }
  if (chart.focus !== null) {
    const here = x(decisions[at]);
    parts.push(svg("line", { class: "cross", x1: here, x2: here, y1: space.top, y2: space.bottom }));
  }
  chart.put(spoken(data), width, height, parts);
  chart.explain([
    ...lines.map(({ name, values: column, look, dashed }) => ({
      name, look, value: amount(column[at]), swatch: dashed ? "is-dashed" : "is-line",
    })),
    ...(band ? [{ name: band.name, look: band.look, swatch: "is-band",
      value: `${amount(band.low[at])} to ${amount(band.high[at])}` }] : []),
    { name: "at decision", swatch: "none", value: count(decisions[at]) },
  ]);
}

function spoken({ label, decisions, lines }) {
  const ends = lines.map(({ name, values }) => `${name} ${amount(values.at(-1))}`);
  return `${label}, after ${count(decisions.at(-1))} decisions: ${ends.join(", ")}.`;
}

function nearest(decisions, wanted) {
  let best = 0;
  decisions.forEach((value, i) => {
    if (Math.abs(value - wanted) < Math.abs(decisions[best] - wanted)) best = i;
  });
  return best;
}

function numbers(data) {
  if (data === null) return "Nothing yet.";
  const { label, decisions, lines, band } = data;
  const columns = [...lines, ...(band ? [
    { name: `${band.name}, low`, values: band.low }, { name: `${band.name}, high`, values: band.high },
  ] : [])];
  const names = ["Decisions", ...columns.map((column) => column.name)];
  const rows = spread(decisions.length).map((i) => [
    count(decisions[i]), ...columns.map((column) => amount(column.values[i])),
  ]);
  return table(label, names.map((name) => ({ name, number: true })), rows);
}

/** Some indices of a column, evenly spread, the last among them. */
export function spread(length, wanted = ROWS) {
  const step = Math.max(1, (length - 1) / (wanted - 1));
  const found = new Set();
  for (let at = length - 1; at > -0.5; at -= step) found.add(Math.round(at));
  return [...found].sort((a, b) => a - b);
}
