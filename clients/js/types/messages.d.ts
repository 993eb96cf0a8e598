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
     * the reason of the error that it returned, as `unknown-campaign`.
     */
    reason: string;
    /**
     * Lower bound on the budget after this decision; null
     * without the service.
     */
    guaranteedBudget: number | null;
    /**
     * How likely this arm was, given all before; null where that
     * is not known.
     */
    probability: number | null;
};
/** Rewards that the service takes in one request. */
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
 * @param {string | null | undefined} requestKey
 * @param {string | null | undefined} candidate
 */
export declare function decisionRequest(requestKey: string | null | undefined, candidate: string | null | undefined): string;
/**
 * The body that reports rewards.
 * @param {Iterable<{ ticket: string, reward: number }>} rewards
 */
export declare function rewardsRequest(rewards: Iterable<{
    ticket: string;
    reward: number;
}>): string;
/**
 * The decision in a response; an error response is thrown as ServiceError.
 * @param {number} status
 * @param {string} text
 * @returns {Decision}
 */
export declare function parseDecision(status: number, text: string): Decision;
/**
 * What the service says of each of `count` rewards: null if it has taken it, or the error.
 * @param {number} status
 * @param {string} text
 * @param {number} count
 * @returns {(ServiceError | null)[]}
 */
export declare function parseReceipts(status: number, text: string, count: number): (ServiceError | null)[];
/**
 * The object in a successful response; any other response is thrown as ServiceError.
 * @param {number} status
 * @param {string} text
 * @returns {Record<string, any>}
 */
export declare function parseObject(status: number, text: string): Record<string, any>;
