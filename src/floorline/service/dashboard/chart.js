// What all charts share: the frame with its axes, redrawn to fit, a legend and a table.

import { el, refill, svg } from "./dom.js";
import { brief } from "./format.js";
import { linear, ticks } from "./scale.js";
import { timeTicks } from "./times.js";

const MARGIN = { top: 8, right: 16, bottom: 40, left: 20 };
const DIGIT = 7.5; // the width of one, in pixels

/** A chart in `host`. `draw(width, height)` redraws it, to fit. */
export class Chart {
  constructor(host, draw) {
    this.legend = el("ul", { class: "legend" });
    this.plot = el("div", { class: "plot" });
    this.picture = svg("svg", { role: "img" });
    this.focus = null; // the point under the pointer
    this.draw = draw;
    host.replaceChildren(this.legend, this.plot);
    new ResizeObserver(() => this.redraw()).observe(this.plot);
  }

  redraw() {
    const width = this.plot.clientWidth;
    if (width > 0) this.draw(width, this.plot.clientHeight);
  }

  /** Put the drawing in its place. A screen reader hears the label. */
  put(label, width, height, parts) {
    this.picture.setAttribute("aria-label", label);
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.replaceChildren(...parts);
    if (!this.picture.isConnected) this.plot.replaceChildren(this.picture);
  }

  /** Say that there is nothing to show yet. */
  nothing(words) {
    this.legend.replaceChildren();
    this.plot.replaceChildren(el("p", { class: "nothing" }, words));
  }

  /** Entries are {name, value, look, swatch}. */
  explain(entries) {
    refill(this.legend, ...entries.map(({ name, value, look, swatch }) =>
      el("li", { class: look }, swatch !== "none" && el("span", { class: `swatch ${swatch ?? ""}` }), name,
        value !== undefined && el("b", {}, value))));
  }

  /** Let the pointer choose a point: `nearest` gives its index for a place on the screen. */
  follow(nearest) {
    this.plot.addEventListener("pointermove", (event) => {
      this.focus = nearest(event.clientX - this.plot.getBoundingClientRect().left);
      this.redraw();
    });
    this.plot.addEventListener("pointerleave", () => {
      this.focus = null;
      this.redraw();
    });
  }
}

/** The axes: scales of time, in seconds since 1970, and of values, and what to draw for them. */
export function frame(width, height, [from, to], [low, high], format = brief) {
  const bottom = height - MARGIN.bottom;
  const up = ticks(low, high, (bottom - MARGIN.top) / 48).map((value) => [value, format(value)]);
  const left = MARGIN.left + DIGIT * Math.max(...up.map(([, label]) => label.length));
  const right = width - MARGIN.right;
  const x = linear(from, Math.max(from + 1, to), left, right);
  const y = linear(low, high === low ? low + 1 : high, bottom, MARGIN.top);
  const across = timeTicks(from, Math.max(from + 1, to), (right - left) / 75)
    .filter(({ at, label }) => x(at) + (DIGIT * label.length) / 2 <= width);
  const parts = [
    ...up.flatMap(([value, label]) => [
      svg("line", { class: value === 0 ? "zero" : "rule", x1: left, x2: right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, label),
    ]),
    ...across.flatMap(({ at, label, date }) => [
      svg("line", { class: "rule", x1: x(at), x2: x(at), y1: bottom, y2: bottom + 5 }),
      svg("text", { x: x(at), y: bottom + 19, "text-anchor": "middle" }, label),
      date && svg("text", { x: x(at), y: bottom + 34, "text-anchor": "middle" }, date),
    ].filter(Boolean)),
  ];
  return { x, y, top: MARGIN.top, bottom, left, right, parts };
}
