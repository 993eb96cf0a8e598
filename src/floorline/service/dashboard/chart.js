// What all charts share: the frame with its axes, redrawn to fit, a legend and a table.

import { el, refill, svg } from "./dom.js";
import { amount, count } from "./format.js";
import { linear, ticks } from "./scale.js";

const MARGIN = { top: 8, right: 10, bottom: 24, left: 52 };

/** A chart in `host`. `draw(canvas)` draws what `show` was last given. */
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

/** The axes: scales of decisions and of values, and what to draw for them. */
export function frame(width, height, decisions, [low, high], format = amount) {
  const right = width - MARGIN.right;
  const bottom = height - MARGIN.bottom;
  const x = linear(0, Math.max(1, decisions), MARGIN.left, right);
  const y = linear(low, high === low ? low + 1 : high, bottom, MARGIN.top);
  const across = ticks(0, Math.max(1, decisions), width / 130).filter((at) => x(at) < right - 96);
  const parts = [
    ...ticks(low, high, (bottom - MARGIN.top) / 48).flatMap((value) => [
      svg("line", { class: value === 0 ? "zero" : "rule", x1: MARGIN.left, x2: right,
        y1: y(value), y2: y(value) }),
      svg("text", { x: MARGIN.left - 8, y: y(value) + 4, "text-anchor": "end" }, format(value)),
    ]),
    ...across.map((at) =>
      svg("text", { x: x(at), y: height - 6, "text-anchor": "middle" }, count(at))),
    svg("text", { x: right, y: height - 6, "text-anchor": "end" }, "decisions"),
  ];
  return { x, y, top: MARGIN.top, bottom, left: MARGIN.left, right, parts };
}
