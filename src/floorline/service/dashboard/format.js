// Numbers and times as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const precise = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const exact = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });
const moment = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" };
const thisYear = new Intl.DateTimeFormat("en-GB", moment);
const anyYear = new Intl.DateTimeFormat("en-GB", { year: "numeric", ...moment });

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

export const count = (value) => (isNumber(value) ? whole.format(value) : "–");

/** A clause as a sentence of its own. */
export const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}`;

/** A number of things: 1 arm, 2 arms. */
export const plural = (value, name) => `${count(value)} ${name}${value === 1 ? "" : "s"}`;

/** Four digits, or all before the point. The service writes infinity as null. */
export function amount(value) {
  if (!isNumber(value)) return "–";
  const format = Math.abs(value) >= 1000 ? whole : precise;
  return format.format(Math.abs(value) < 1e-9 ? 0 : value).replace("-", "−");
}

/** An amount with its unit, if it has one. */
export const inUnit = (value, unit) => (unit && isNumber(value) ? `${amount(value)} ${unit}` : amount(value));

/** What a column or an axis shows, with its unit, if it has one. */
export const named = (name, unit) => (unit ? `${name} (${unit})` : name);

/** An amount as short as an axis needs it: 1.5M, 250K, 9,500. */
export const brief = (value) =>
  (Math.abs(value) >= 100_000 ? short.format(value).replace("-", "−") : amount(value));

/** A share in percent, rounded to the nearest. */
export const percent = (share, digits = 1) =>
  surePercent(isNumber(share) ? share + 0.005 / 10 ** digits : share, digits);

/** A share in percent, never rounded up: what is sure must stay sure. */
export function surePercent(share, digits = 1) {
  if (!isNumber(share)) return "–";
  const scale = 10 ** digits;
  return `${(Math.floor(share * 100 * scale + 1e-6) / scale).toFixed(digits)}%`;
}

/** A share in percent with as many digits as it has, up to six. */
export const exactPercent = (share) => `${exact.format(share * 100)}%`;

/** The value of a setting. */
export function setting(value) {
  if (value === null) return "not given";
  if (Array.isArray(value)) return value.map(setting).join(", ") || "none";
  if (typeof value !== "object") return String(value);
  const given = Object.entries(value).filter(([, part]) => part !== null);
  return given.map(([name, part]) => `${name}=${setting(part)}`).join(" ");
}

/** Seconds since 1970 as a local date and time, with the year unless it is this one. */
export function time(seconds) {
  const then = new Date(seconds * 1000);
  return (then.getFullYear() === new Date().getFullYear() ? thisYear : anyYear).format(then);
}

/** How long something took, in the largest unit that fits. */
export function duration(seconds) {
  const units = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
  const [size, name] = units.find(([unit]) => seconds >= unit) ?? units[3];
  const number = Math.max(0, Math.round(seconds / size));
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}
