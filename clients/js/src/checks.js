// Checks of arguments.

const TICKET = /^[0-9a-f]{1,32}-[0-9]{1,18}-[0-9a-f]{1,64}$/;

/**
 * Return `value` if it is a finite number; throw otherwise.
 * @param {string} name
 * @param {unknown} value
 * @returns {number}
 */
export function finite(name, value) {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw new TypeError(`${name}: must be a finite number, not ${show(value)}`);
  }
  return value;
}

/**
 * Return `value` if it is above 0 and at most `high`; throw otherwise.
 * @param {string} name
 * @param {unknown} value
 * @param {number} high
 * @returns {number}
 */
export function positive(name, value, high) {
  const number = finite(name, value);
  if (number <= 0 || number > high) {
    throw new RangeError(`${name}: must be above 0 and at most ${high}, not ${number}`);
  }
  return number;
}

/**
 * Return `ticket` if it has the form of the service's tickets; throw otherwise.
 * @param {unknown} ticket
 * @returns {string}
 */
export function ticketId(ticket) {
  if (typeof ticket !== "string" || !TICKET.test(ticket)) {
    throw new TypeError(`ticket: must be one that the service gave, not ${show(ticket)}`);
  }
  return ticket;
}

/**
 * Return `metrics` if it is an object of finite numbers; throw otherwise.
 * @param {unknown} metrics
 * @returns {Record<string, number>}
 */
export function metricsOf(metrics) {
  if (typeof metrics !== "object" || metrics === null || Array.isArray(metrics)) {
    throw new TypeError(`metrics: must be names with numbers, not ${show(metrics)}`);
  }
  const checked = Object.entries(metrics).map(([name, value]) => {
    return [name, finite(`metrics.${name}`, value)];
  });
  return Object.fromEntries(checked);
}

/** @param {unknown} value */
function show(value) {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
