// Round times for an axis, in the viewer's time zone, and their labels.

const DAY = 86_400;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
  DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 365 * DAY];

const ofDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const ofMinute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const ofSecond = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/**
 * Round times between two, in seconds since 1970, at most as many as wanted, as {at, label, date}:
 * the date where the day is another than at the one before.
 */
export function timeTicks(from, to, wanted) {
  const step = STEPS.find((size) => (to - from) / size <= wanted) ?? STEPS.at(-1);
  const label = step >= DAY ? ofDay : step >= 60 ? ofMinute : ofSecond;
  let before = null;
  return roundTimes(from, to, step).map((at) => {
    const then = new Date(at * 1000);
    const day = ofDay.format(then);
    const date = step >= DAY || day === before ? null : day;
    before = day;
    return { at, label: label.format(then), date };
  });
}

/** Whole steps after a local midnight: summer time moves them with the clock. */
function roundTimes(from, to, step) {
  const midnight = new Date(from * 1000);
  midnight.setHours(0, 0, 0, 0);
  const first = Math.ceil((from - midnight / 1000) / step);
  const found = [];
  for (let i = first; ; i += 1) {
    const then = new Date(midnight);
    if (step >= DAY) then.setDate(then.getDate() + (i * step) / DAY);
    else then.setSeconds(i * step);
    if (then / 1000 > to) return found;
    found.push(then / 1000);
  }
}
