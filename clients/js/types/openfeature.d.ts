export type ErrorCode = import("@openfeature/core").ErrorCode;
export type Decision = import("./messages.js").Decision;
export type ServiceError = import("./messages.js").ServiceError;
export type ResolutionDetails<T> = import("@openfeature/core").ResolutionDetails<T>;
/** The provider's name. */
export declare const METADATA: Readonly<{
    name: "Floorline";
}>;
/**
 * The options of a request for a decision: the targeting key is the request key, and the other
 * attributes are kept with the decision.
 * @param {import("@openfeature/core").EvaluationContext} [evaluation]
 * @returns {import("./messages.js").DecisionOptions}
 */
export declare function optionsOf({ targetingKey, ...attributes }?: import("@openfeature/core").EvaluationContext): import("./messages.js").DecisionOptions;
/**
 * A decision as the value of a flag. The metadata has the ticket.
 * @param {Decision} decision
 * @returns {ResolutionDetails<string>}
 */
export declare function details({ arm, ticket, isDefault, reason, guaranteedBudget }: Decision): ResolutionDetails<string>;
/**
 * The caller's own value, because of an error of the service.
 * @param {string} value
 * @param {ServiceError} error
 */
export declare function failure(value: string, error: ServiceError): ResolutionDetails<string>;
/**
 * The caller's own value: that of a campaign is always the name of an arm, a string.
 * @template T
 * @param {string} flagKey
 * @param {T} value
 */
export declare function mismatch<T>(flagKey: string, value: T): ResolutionDetails<T>;
/**
 * The caller's own value, with an error.
 * @template T
 * @param {T} value
 * @param {string} code
 * @param {string} errorMessage
 * @returns {ResolutionDetails<T>}
 */
export declare function refusal<T>(value: T, code: string, errorMessage: string): ResolutionDetails<T>;
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
export declare function rewardTracker(client: import("./client.js").Client, log?: import("./client.js").Log): (name: string, context: unknown, event?: import("@openfeature/core").TrackingEventDetails) => void;
