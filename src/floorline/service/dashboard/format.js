// Numbers and times as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const precise = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const ofDay = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
const today = new Intl.DateTimeFormat("en-GB", ofDay);
const earlier = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...ofDay });

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

export const count = (value) => (isNumber(value) ? whole.format(value) : "–");

/** A number of things: 1 arm, 2 arms. */
export const plural = (value, name) => `${count(value)} ${name}${value === 1 ? "" : "s"}`;

/** Four digits, or all before the point. The service writes infinity as null. */
export function amount(value) {
  if (!isNumber(value)) return "–";
  const format = Math.abs(value) >= 1000 ? whole : precise;
  return format.format(Math.abs(value) < 1e-9 ? 0 : value).replace("-", "−");
}

/** A share in percent, never rounded up: what is sure must stay sure. */
export function percent(share, digits = 1) {
  if (!isNumber(share)) return "–";
  const scale = 10 ** digits;
  return `${(Math.floor(share * 100 * scale + 1e-4) / scale).toFixed(digits)}%`;
}

/** A share in percent with as many digits as it has. */
export const exactPercent = (share) => `${precise.format(share * 100)}%`;

/** Seconds since 1970 as a local time, with the day unless it is today. */
export function time(seconds) {
  const then = new Date(seconds * 1000);
  return (then.toDateString() === new Date().toDateString() ? today : earlier).format(then);
}

/** How long something took, in the largest unit that fits. */
export function duration(seconds) {
  const units = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
  const [size, name] = units.find(([unit]) => seconds >= unit) ?? units[3];
  const number = Math.max(0, Math.round(seconds / size));
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}
