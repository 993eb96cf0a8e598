// What both providers for OpenFeature share. The SDKs are imported for their types only.

/**
 * @typedef {import("@openfeature/core").ErrorCode} ErrorCode
 * @typedef {import("./messages.js").Decision} Decision
 * @typedef {import("./messages.js").ServiceError} ServiceError
 */
/**
 * @template T
 * @typedef {import("@openfeature/core").ResolutionDetails<T>} ResolutionDetails
 */

const CODES = new Map([
  ["unknown-campaign", "FLAG_NOT_FOUND"],
  ["invalid", "INVALID_CONTEXT"],
]);

/** The provider's name. */
export const METADATA = Object.freeze({ name: "Floorline" });

/**
 * The options of a request for a decision: the targeting key is the request key, and the other
 * attributes are kept with the decision.
 * @param {import("@openfeature/core").EvaluationContext} [evaluation]
 * @returns {import("./messages.js").DecisionOptions}
 */
export function optionsOf({ targetingKey, ...attributes } = {}) {
  const context = Object.keys(attributes).length ? attributes : null;
  return { requestKey: targetingKey || null, context };
}

/**
 * A decision as the value of a flag. The metadata has the ticket.
 * @param {Decision} decision
 * @returns {ResolutionDetails<string>}
 */
export function details({ arm, ticket, isDefault, reason, guaranteedBudget }) {
  /** @type {Record<string, string | number | boolean>} */
  const metadata = { is_default: isDefault, reason };
  if (ticket !== null) metadata.ticket = ticket;
  if (guaranteedBudget !== null) metadata.guaranteed_budget = guaranteedBudget;
  const why = isDefault ? "DEFAULT" : "SPLIT";
  return { value: arm, variant: arm, reason: why, flagMetadata: metadata };
}

/**
 * The caller's own value, because of an error of the service.
 * @param {string} value
 * @param {ServiceError} error
 */
export function failure(value, error) {
  return refusal(value, CODES.get(error.reason) ?? "GENERAL", error.message);
}

/**
 * The caller's own value: that of a campaign is always the name of an arm, a string.
 * @template T
 * @param {string} flagKey
 * @param {T} value
 */
export function mismatch(flagKey, value) {
  const message = `${flagKey} is a campaign: its value is a string, the name of an arm`;
  return refusal(value, "TYPE_MISMATCH", message);
}

/**
 * The caller's own value, with an error.
 * @template T
 * @param {T} value
 * @param {string} code
 * @param {string} errorMessage
 * @returns {ResolutionDetails<T>}
 */
export function refusal(value, code, errorMessage) {
  return { value, reason: "ERROR", errorCode: /** @type {ErrorCode} */ (code), errorMessage };
}

/**
 * The function `track` of a provider: it reports the event's value, or 1, as the reward of the
 * `ticket` among the event's details, with their `metrics`, if there are any. Events without a
 * ticket are ignored.
 *
 * It also gives the official OFREP providers, which have none, a way to report rewards:
 * `Object.assign(new OFREPProvider(options), { track: rewardTracker(client) })`.
 * @param {import("./client.js").Client} client
 * @param {import("./client.js").Log} [log]
 */
export function rewardTracker(client, log = console) {
  /**
   * @param {string} name
   * @param {unknown} context
   * @param {import("@openfeature/core").TrackingEventDetails} [event]
   */
  return (name, context, event = {}) => {
    const { ticket, value = 1, metrics } = event;
    if (ticket == null) return; // another kind of event, or the service made no decision
    try {
      client.reward(String(ticket), value, /** @type {any} checked there */ (metrics));
    } catch (error) {
      log.warn(`floorline: event ${name}: ${error}`);
    }
  };
}
