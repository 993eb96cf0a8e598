export type Decision = {
    /**
     * Report the reward with it; null if the client chose the default
     * arm without the service.
     */
    ticket: string | null;
    arm: string;
    isDefault: boolean;
    /**
     * The arm that was proposed.
     */
    candidate: string | null;
    /**
     * The service's reason. Without the service: `timeout`, `unreachable`, or
     * the reason of the error that it returned, such as `unknown-campaign`.
     */
    reason: string;
    /**
     * Lower bound on the budget after this decision; null
     * without the service.
     */
    guaranteedBudget: number | null;
    /**
     * How likely this arm was, given the candidate and the past;
     * null where that is not known.
     */
    probability: number | null;
    /**
     * How likely this arm was, given the past, before the candidate
     * was chosen; null where that is not known.
     */
    propensity: number | null;
};
export type DecisionOptions = {
    /**
     * Identifies the request; the same key always gets the same
     * decision. Without one, every call is a new decision, however often it is retried.
     */
    requestKey?: string | null;
    /**
     * An arm that your own bandit proposes, without looking at this
     * request unless the campaign's floor is randomised.
     */
    candidate?: string | null;
    /**
     * What was known about the request: at most
     * 4 KB that is kept with the decision.
     */
    context?: Record<string, unknown> | null;
    /**
     * How likely your bandit was to propose each arm;
     * the decision then has a propensity.
     */
    chances?: Record<string, number> | null;
};
/** How many rewards the service takes in one request. */
export declare const MAX_BATCH = 1000;
/** The service gave no response, or an error. `reason` is an identifier that stays the same. */
export declare class ServiceError extends Error {
    reason: string;
    detail: string;
    defaultArm: string | null;
    status: number | null;
    /**
     * @param {string} reason
     * @param {string} detail
     * @param {string | null} [defaultArm] The arm to play instead, if the response names it.
     * @param {number | null} [status] The HTTP status; null without a response of the service.
     */
    constructor(reason: string, detail: string, defaultArm?: string | null, status?: number | null);
}
/**
 * The body of a request for a decision. It always has a key, so that it can be retried.
 * @param {DecisionOptions} options
 */
export declare function decisionRequest({ requestKey, candidate, context, chances }: DecisionOptions): string;
/**
 * The body that reports rewards.
 * @param {import("./journal.js").Reward[]} rewards
 */
export declare function rewardsRequest(rewards: import("./journal.js").Reward[]): string;
/**
 * The decision in a response; an error response is thrown as ServiceError.
 * @param {number} status
 * @param {string} text
 * @returns {Decision}
 */
export declare function parseDecision(status: number, text: string): Decision;
/**
 * The service's response to the reward of each ticket: null if it has taken it, or the error.
 * @param {number} status
 * @param {string} text
 * @param {string[]} tickets
 * @returns {(ServiceError | null)[]}
 */
export declare function parseReceipts(status: number, text: string, tickets: string[]): (ServiceError | null)[];
/**
 * The object in a successful response; any other response is thrown as ServiceError.
 * @param {number} status
 * @param {string} text
 * @returns {Record<string, any>}
 */
export declare function parseObject(status: number, text: string): Record<string, any>;
