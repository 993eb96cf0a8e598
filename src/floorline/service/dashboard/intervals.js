// Each arm's average and interval: dot and whiskers, with the floor as a marker.

import { Chart } from "./chart.js";
import { svg } from "./dom.js";
import { amount, brief, count, inUnit, named, plural } from "./format.js";
import { linear, ticks } from "./scale.js";
import { numbersOf, table } from "./table.js";

const ROW = 46;
const AXIS = 26;
const SIDE = 12;

/**
 * A chart of intervals. `show` takes {arms, retired, floor, low, high, unit, look, bounded}, the arms as a status
 * has them. Not `bounded`: nothing is known of the means but the averages.
 */
export function intervalChart(host) {
  let data = null;
  const chart = new Chart(host, (width) => {
    if (data !== null) drawIntervals(chart, data, width);
  });
  host.append(numbersOf(() => numbers(data)));
  return {
    show(shown) {
      data = shown;
      chart.redraw();
    },
  };
}

function drawIntervals(chart, { arms, retired, floor, low, high, unit, look, bounded }, width) {
  const height = arms.length * ROW + AXIS;
  const ends = bounded ? arms.flatMap((arm) => [arm.lower, arm.upper ?? high])
    : [low, ...arms.map((arm) => arm.average ?? low)];
  const least = Math.max(low, Math.min(...ends, floor ?? high));
  const reached = Math.min(high, Math.max(...ends));
  const most = reached > least ? reached : high;
  const room = (most - least) * 0.04;
  const x = linear(Math.max(low, least - room), most + room, SIDE, width - SIDE);
  const bottom = arms.length * ROW;
  const parts = ticks(least, most, width / 90).flatMap((value) => [
    svg("line", { class: "rule", x1: x(value), x2: x(value), y1: 0, y2: bottom }),
    svg("text", { x: x(value), y: height - 6, "text-anchor": "middle" }, brief(value)),
  ]);
  const labels = arms.map((arm, i) => ({
    name: svg("text", { class: "strong", x: SIDE - 6, y: i * ROW + 18 }, arm.name + roleOf(arm, i, retired)),
    plays: svg("text", { x: width - SIDE + 6, y: i * ROW + 18, "text-anchor": "end" }, plural(arm.plays, "decision")),
  }));
  arms.forEach((arm, i) => {
    const y = i * ROW + 32;
    parts.push(labels[i].name, labels[i].plays);
    if (bounded) {
      const [left, right] = [x(arm.lower), x(arm.upper ?? high)];
      parts.push(svg("line", { class: `whisker ${look(i)}`, x1: left, x2: right, y1: y, y2: y }));
    }
    if (arm.average !== null) {
      parts.push(svg("circle", { class: `dot ${look(i)}`, cx: x(arm.average), cy: y, r: 7 }));
    }
  });
  if (floor !== null) {
    parts.push(svg("line", { class: "marker floor dashed", x1: x(floor), x2: x(floor), y1: 0, y2: bottom }));
  }
  chart.put(spoken(arms, floor, unit, bounded), width, height, parts);
  for (const { name, plays } of labels) shorten(name, width - 2 * SIDE - plays.getComputedTextLength());
  chart.explain(floor === null ? [] : [
    { name: "promised share of the default's estimate", look: "floor", swatch: "is-dashed", value: inUnit(floor, unit) },
  ]);
}

/** Leave out the middle of a text that is longer than `room`: names that are alike often differ at an end. */
function shorten(text, room) {
  const length = text.getComputedTextLength();
  if (length <= room) return;
  const letters = [...text.textContent];
  let kept = Math.floor((letters.length * room) / length);
  do {
    const before = Math.max(1, kept >> 1);
    text.textContent = `${letters.slice(0, before).join("")}…${letters.slice(letters.length - before).join("")}`;
    kept -= 1;
  } while (kept > 2 && text.getComputedTextLength() > room);
}

const roleOf = ({ name }, i, retired) => (i === 0 ? " (default)" : retired.includes(name) ? " (retired)" : "");

function spoken(arms, floor, unit, bounded) {
  if (!bounded) return `Average reward. ${arms.map((arm) => `${arm.name}: ${inUnit(arm.average, unit)}`).join("; ")}.`;
  const words = arms.map((arm) =>
    `${arm.name}: estimate ${amount(arm.average)}, between ${amount(arm.lower)} and ${inUnit(arm.upper, unit)}`);
  return `Mean reward. ${words.join("; ")}. Floor ${inUnit(floor, unit)}.`;
}

function numbers(data) {
  if (data === null) return "Nothing yet.";
  const names = ["Decisions", "Rewards known", "Pending", "Silent", "Voided",
    ...["Estimate", ...(data.bounded ? ["Lower", "Upper"] : [])].map((name) => named(name, data.unit))];
  const columns = [{ name: "Arm" }, ...names.map((name) => ({ name, number: true }))];
  const rows = data.arms.map((arm) => [
    arm.name, count(arm.plays), count(arm.seen), count(arm.pending), count(arm.lost),
    count(arm.voided), amount(arm.average), ...(data.bounded ? [amount(arm.lower), amount(arm.upper)] : []),
  ]);
  return table("What is known of each arm", columns, rows);
}
