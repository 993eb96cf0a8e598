// Tables, which also say in numbers what a chart shows.

import { el } from "./dom.js";

/** A table that can be scrolled sideways. Columns are {name, number, keep}, kept in view; rows are lists of cells. */
export function table(label, columns, rows, foot = null) {
  const look = ({ number, keep }) => (number && "number") || (keep && "keep");
  const cell = (value, i) => el("td", { class: look(columns[i]), "data-label": columns[i].name }, value);
  return el("div", { class: "scroll", role: "region", "aria-label": `Table: ${label}`, tabindex: "0" },
    el("table", {},
      el("thead", {}, el("tr", {}, columns.map((column) =>
        el("th", { scope: "col", class: look(column) }, column.name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell)))),
      foot && el("tfoot", {}, el("tr", {}, foot.map(cell)))));
}

/** A closed part that holds a table, made again whenever it is opened. */
export function numbersOf(make) {
  const details = el("details", {}, el("summary", {}, "Numbers"));
  details.addEventListener("toggle", () => {
    if (details.open) details.replaceChildren(details.firstChild, make());
  });
  return details;
}
