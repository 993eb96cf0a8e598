export type Decision = import("./messages.js").Decision;
export type DecisionOptions = import("./messages.js").DecisionOptions;
export type Log = Pick<Console, "info" | "warn" | "error">;
export type ClientOptions = {
    /**
     * The service's URL.
     */
    url?: string;
    /**
     * An API key, if the service has keys. In a browser: one that is limited to
     * one campaign and to the scopes `decide` and `reward`.
     */
    key?: string;
    /**
     * The default arm of each campaign. One that is left
     * out is learned from the service's responses; until then, `decide` rejects without a response.
     */
    defaults?: Record<string, string>;
    /**
     * Timeout after which `decide` plays the default arm. It includes
     * everything: connecting, all attempts, and reading the response.
     */
    timeoutMs?: number;
    /**
     * Keeps unsent rewards beyond the end of the
     * page or process: a `LocalStorageJournal`, or a `FileJournal` from `floorline-client/node`.
     */
    journal?: import("./journal.js").Journal;
    /**
     * How many rewards may wait to be sent.
     */
    queueSize?: number;
    /**
     * Where outages and refused rewards are logged; by default the console.
     */
    log?: Log;
};
/** Asks a decision service, and plays the default arm when there is no response. */
export declare class Client {
    #private;
    /** @param {ClientOptions} [options] */
    constructor({ url, key, defaults, timeoutMs, journal, queueSize, log, }?: ClientOptions);
    /**
     * Decide which arm of the campaign to play now; the default arm without a response in time.
     *
     * Rejects with ServiceError if there is no response, and the default arm is not known.
     * @param {string} campaign
     * @param {DecisionOptions} [options]
     * @returns {Promise<Decision>}
     */
    decide(campaign: string, options?: DecisionOptions): Promise<Decision>;
    /**
     * The service's decision: like `decide`, but every failure rejects with ServiceError.
     * @param {string} campaign
     * @param {DecisionOptions} [options]
     * @returns {Promise<Decision>}
     */
    ask(campaign: string, options?: DecisionOptions): Promise<Decision>;
    /**
     * Report a reward, in the background; false if the queue is full.
     *
     * It is retried until the service has it. A decision without a ticket was made without the
     * service, which does not want its reward: nothing is sent, and false is returned.
     * @param {string | null | undefined} ticket
     * @param {number} value
     * @param {Record<string, number> | null} [metrics] Values of the campaign's guardrails, by name.
     *   With a name that the campaign does not have, the service refuses the reward.
     */
    reward(ticket: string | null | undefined, value: number, metrics?: Record<string, number> | null): boolean;
    /**
     * Report that a decision reached nobody. Rejects with ServiceError if it may not be voided, or
     * there is no response.
     * @param {string} ticket
     */
    void(ticket: string): Promise<void>;
    /**
     * Wait until every reward was taken or refused for good; false if some are still kept.
     * @param {number} [timeoutMs]
     */
    flush(timeoutMs?: number): Promise<boolean>;
    /**
     * Send the waiting rewards, as far as the timeout allows. No reward can be reported afterwards.
     * @param {number} [timeoutMs]
     */
    close(timeoutMs?: number): Promise<void>;
}
