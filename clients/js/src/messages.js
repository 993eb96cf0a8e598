// Requests to the service and its responses.

import { messageOf } from "./journal.js";

/**
 * Which arm to play, and why.
 * @typedef {object} Decision
 * @property {string | null} ticket Report the reward with it; null if the client chose the default
 *   arm without the service.
 * @property {string} arm
 * @property {boolean} isDefault
 * @property {string | null} candidate The arm that was proposed.
 * @property {string} reason The service's reason. Without the service: `timeout`, `unreachable`, or
 *   the reason of the error that it returned, such as `unknown-campaign`.
 * @property {number | null} guaranteedBudget Lower bound on the budget after this decision; null
 *   without the service.
 * @property {number | null} probability How likely this arm was, given the candidate and the past;
 *   null where that is not known.
 * @property {number | null} propensity How likely this arm was, given the past, before the candidate
 *   was chosen; null where that is not known.
 */

/**
 * Options of a request for a decision.
 * @typedef {object} DecisionOptions
 * @property {string | null} [requestKey] Identifies the request; the same key always gets the same
 *   decision. Without one, every call is a new decision, however often it is retried.
 * @property {string | null} [candidate] An arm that your own bandit proposes, without looking at this
 *   request unless the campaign's floor is randomised.
 * @property {Record<string, unknown> | null} [context] What was known about the request: at most
 *   4 KB that is kept with the decision.
 * @property {Record<string, number> | null} [chances] How likely your bandit was to propose each arm;
 *   the decision then has a propensity.
 */

const PROBLEM_PREFIX = "urn:floorline:problem:";

/** How many rewards the service takes in one request. */
export const MAX_BATCH = 1000;

/** The service gave no response, or an error. `reason` is an identifier that stays the same. */
export class ServiceError extends Error {
  /**
   * @param {string} reason
   * @param {string} detail
   * @param {string | null} [defaultArm] The arm to play instead, if the response names it.
   * @param {number | null} [status] The HTTP status; null without a response of the service.
   */
  constructor(reason, detail, defaultArm = null, status = null) {
    super(`${reason}: ${detail}`);
    this.name = "ServiceError";
    this.reason = reason;
    this.detail = detail;
    this.defaultArm = defaultArm;
    this.status = status;
  }
}

/**
 * The body of a request for a decision. It always has a key, so that it can be retried.
 * @param {DecisionOptions} options
 */
export function decisionRequest({ requestKey, candidate, context, chances }) {
  const given = Object.entries({ candidate, context, chances }).filter(([, value]) => value != null);
  return JSON.stringify({ request_key: requestKey ?? newRequestKey(), ...Object.fromEntries(given) });
}

/**
 * A key that no other request has. It begins with the time in milliseconds: in the ledger's index
 * of keys, neighbours take a fraction of the time that random keys take. `crypto.randomUUID` is not
 * available in pages without TLS.
 */
function newRequestKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  return Date.now().toString(16).padStart(12, "0") + random.join("");
}

/**
 * The body that reports rewards.
 * @param {import("./journal.js").Reward[]} rewards
 */
export function rewardsRequest(rewards) {
  return JSON.stringify({ rewards: rewards.map(messageOf) });
}

/**
 * The decision in a response; an error response is thrown as ServiceError.
 * @param {number} status
 * @param {string} text
 * @returns {Decision}
 */
export function parseDecision(status, text) {
  const item = parseObject(status, text);
  const texts = [item.ticket, item.arm, item.reason].every((value) => typeof value === "string");
  if (!texts || typeof item.is_default !== "boolean") {
    throw notFloorline("the response is not a decision");
  }
  return {
    ticket: item.ticket,
    arm: item.arm,
    isDefault: item.is_default,
    candidate: item.candidate ?? null,
    reason: item.reason,
    guaranteedBudget: item.guaranteed_budget ?? null,
    probability: item.probability ?? null,
    propensity: item.propensity ?? null,
  };
}

/**
 * The service's response to the reward of each ticket: null if it has taken it, or the error.
 * @param {number} status
 * @param {string} text
 * @param {string[]} tickets
 * @returns {(ServiceError | null)[]}
 */
export function parseReceipts(status, text, tickets) {
  const { results } = parseObject(status, text);
  if (!Array.isArray(results) || results.length !== tickets.length) {
    throw notFloorline("the response has no receipt for each reward");
  }
  return results.map((receipt, index) => {
    if (receipt?.ticket !== tickets[index]) throw notFloorline("a receipt is of another reward");
    if (receipt.problem) return problemIn(receipt.problem) ?? notFloorline("an unknown problem");
    if (typeof receipt.result !== "string") throw notFloorline("a receipt has no result");
    return null;
  });
}

/**
 * The object in a successful response; any other response is thrown as ServiceError.
 * @param {number} status
 * @param {string} text
 * @returns {Record<string, any>}
 */
export function parseObject(status, text) {
  const item = parseJson(text);
  if (status !== 200 && status !== 201) {
    const detail = "the response is not a problem document";
    throw problemIn(item) ?? new ServiceError(`status-${status}`, detail, null, status);
  }
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    throw notFloorline("the response is not a JSON object");
  }
  return item;
}

/**
 * @param {string} text
 * @returns {any}
 */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The error in a problem document; null if it is not the service's own, but a proxy's.
 * @param {any} item
 */
function problemIn(item) {
  const { type, detail, default_arm: arm = null, status = null } = item ?? {};
  if (typeof type !== "string" || !type.startsWith(PROBLEM_PREFIX)) return null;
  if (typeof detail !== "string" || (arm !== null && typeof arm !== "string")) return null;
  if (status !== null && typeof status !== "number") return null;
  return new ServiceError(type.slice(PROBLEM_PREFIX.length), detail, arm, status);
}

/** @param {string} detail */
function notFloorline(detail) {
  return new ServiceError("not-floorline", detail);
}
