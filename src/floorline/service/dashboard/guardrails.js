// Further metrics of each arm, with their limits.

import { byId, refill } from "./dom.js";
import { amount, count } from "./format.js";
import { table } from "./table.js";

const COLUMNS = [
  { name: "Metric" }, { name: "Arm" }, { name: "Reported", number: true }, { name: "Mean", number: true },
  { name: "Lower", number: true }, { name: "Upper", number: true }, { name: "Limit", number: true }, { name: "State" },
];

export function showGuardrails({ guardrails, retired }) {
  byId("guardrails").hidden = guardrails.length === 0;
  const rows = guardrails.flatMap(({ name, limit, worse, arms }) => arms.map((one) => [
    name, one.arm, count(one.seen), amount(one.average), amount(one.lower), amount(one.upper),
    limit === null ? "none" : `not ${worse} ${amount(limit)}`, stateOf(one, limit, worse, retired),
  ]));
  refill(byId("metrics"), table("Guardrails", COLUMNS, rows));
}

function stateOf({ arm, lower, upper }, limit, worse, retired) {
  if (retired.includes(arm)) return "retired";
  if (limit === null) return "";
  const [good, bad] = worse === "above" ? [upper <= limit, lower > limit] : [lower >= limit, upper < limit];
  if (bad) return "surely beyond it";
  return good ? "surely within it" : "not known yet";
}
