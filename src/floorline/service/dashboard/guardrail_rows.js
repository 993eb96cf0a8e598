// The guardrails of a new campaign: one row of fields for each.

import { byId, el } from "./dom.js";

const MAX_ROWS = 10;
const NUMBERS = { low: "Lowest value", high: "Highest value", limit: "Limit, if any" };

/** Let the button add rows. */
export function guardrailRows() {
  const rows = byId("guardrail-rows");
  const add = byId("add-guardrail");
  let made = 0;
  const limitButton = () => { add.disabled = rows.children.length === MAX_ROWS; };
  add.addEventListener("click", () => {
    made += 1;
    const row = rowOf(made, () => {
      row.remove();
      limitButton();
      add.focus();
    });
    rows.append(row);
    limitButton();
    row.querySelector("input").focus();
  });
}

function rowOf(number, remove) {
  const id = (part) => `guardrail-${number}-${part}`;
  const field = (part, label, control) =>
    el("div", { class: "field" }, el("label", { for: id(part) }, label), control);
  const input = (part, attributes) =>
    el("input", { id: id(part), name: "guardrails", "data-part": part, autocomplete: "off", ...attributes });
  return el("div", { class: "guardrail", role: "group", "aria-label": `Guardrail ${number}` },
    el("div", { class: "fields" },
      field("name", "Metric", input("name", { maxlength: "40", spellcheck: "false" })),
      ...Object.entries(NUMBERS).map(([part, label]) =>
        field(part, label, input(part, { type: "number", inputmode: "decimal", step: "any" }))),
      field("worse", "Beyond the limit is", el("select", { id: id("worse"), name: "guardrails", "data-part": "worse" },
        el("option", { value: "above" }, "above it"), el("option", { value: "below" }, "below it")))),
    el("button", { type: "button", class: "small", onclick: remove, "aria-label": `Remove guardrail ${number}` },
      "Remove"));
}

/** The field of a row that the service's words are about, or undefined: they have its place, or its metric. */
export function guardrailField(detail) {
  const rows = [...byId("guardrail-rows").children];
  const [, place, metric, part] = detail.match(/^guardrails(?:\[(\d+)\]|\.(.+))\.(\w+):/) ?? [];
  const row = rows[place] ?? rows.find((one) => one.querySelector("[data-part=name]").value.trim() === metric);
  return row?.querySelector(`[data-part=${part}]`);
}

/** What the rows say, as the service takes it; a number that is not given is left out. */
export function guardrailsOf() {
  return [...byId("guardrail-rows").children].map((row) => {
    const parts = [...row.querySelectorAll("[data-part]")].map((field) => [field.dataset.part, field.value.trim()]);
    return Object.fromEntries(parts.filter(([part, text]) => text !== "" || !(part in NUMBERS))
      .map(([part, text]) => [part, part in NUMBERS ? Number(text) : text]));
  });
}
