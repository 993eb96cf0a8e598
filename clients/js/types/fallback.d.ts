export type Decision = import("./messages.js").Decision;
export type ServiceError = import("./messages.js").ServiceError;
/**
 * @typedef {import("./messages.js").Decision} Decision
 * @typedef {import("./messages.js").ServiceError} ServiceError
 */
/** The default arm of each campaign: given, or learned from the service's responses. */
export declare class DefaultArms {
    #private;
    /**
     * @param {Record<string, string>} given
     * @param {import("./client.js").Log} log
     */
    constructor(given: Record<string, string>, log: import("./client.js").Log);
    /**
     * Return the decision, remembering its arm if that is the default.
     * @param {string} campaign
     * @param {Decision} decision
     */
    learn(campaign: string, decision: Decision): import("./messages.js").Decision;
    /**
     * The decision to play the default arm because of `error`, which is thrown if that arm is not
     * known. For a finished or stopped campaign it is the arm that the campaign serves.
     * @param {string} campaign
     * @param {ServiceError} error
     * @returns {Decision}
     */
    fallbackDecision(campaign: string, error: ServiceError): Decision;
}
