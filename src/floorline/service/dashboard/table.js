// Tables, which also say in numbers what a chart shows.

import { el } from "./dom.js";

/** A table that can be scrolled sideways. Columns are {name, number}; rows are lists of cells. */
export function table(label, columns, rows, foot = null) {
  const cell = (tag) => (value, i) => el(tag, { class: columns[i].number && "number" }, value);
  return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" },
    el("table", {},
      el("thead", {}, el("tr", {}, columns.map(({ name, number }) =>
        el("th", { scope: "col", class: number && "number" }, name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell("td"))))),
      foot && el("tfoot", {}, el("tr", {}, foot.map(cell("td"))))));
}

/** A closed part that holds a table, made anew whenever it is opened. */
export function numbersOf(label, make) {
  const details = el("details", {}, el("summary", {}, "Numbers"));
  details.addEventListener("toggle", () => {
    if (details.open) details.replaceChildren(details.firstChild, make());
  });
  return details;
}
