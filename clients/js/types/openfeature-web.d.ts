import { rewardTracker } from "./openfeature.js";
export { rewardTracker };
export type EvaluationContext = import("@openfeature/web-sdk").EvaluationContext;
export type Provider = import("@openfeature/web-sdk").Provider;
export type Decision = import("./messages.js").Decision;
/**
 * @typedef {import("@openfeature/web-sdk").EvaluationContext} EvaluationContext
 * @typedef {import("@openfeature/web-sdk").Provider} Provider
 * @typedef {import("./messages.js").Decision} Decision
 */
/**
 * Decides string flags: the flag is a campaign, and its value the name of an arm.
 *
 * Web pages evaluate flags without waiting, so each campaign is decided when the provider is set,
 * and again when the targeting key changes. List only campaigns that the page is sure to show: a
 * decision that nobody sees still counts. Without a targeting key, every page load is a new
 * decision; with one, the same key always gets the same decision. The other attributes of the
 * context are kept with the decision; leave out what must not be stored.
 * @implements {Provider}
 */
export declare class FloorlineWebProvider implements Provider {
    #private;
    track: (name: string, context: unknown, event?: import("@openfeature/core").TrackingEventDetails) => void;
    metadata: Readonly<{
        name: "Floorline";
    }>;
    /** @type {"client"} */
    runsOn: "client";
    /**
     * @param {import("./client.js").Client} client Closed with the provider.
     * @param {Iterable<string>} campaigns
     */
    constructor(client: import("./client.js").Client, campaigns: Iterable<string>);
    /**
     * Decide all campaigns. Called again meanwhile, the later call counts.
     * @param {EvaluationContext} [context]
     */
    initialize(context?: EvaluationContext): Promise<void>;
    /**
     * Decide again for another targeting key.
     * @param {EvaluationContext} before
     * @param {EvaluationContext} now
     */
    onContextChange(before: EvaluationContext, now: EvaluationContext): Promise<void>;
    /** Send the waiting rewards, and close the client. */
    onClose(): Promise<void>;
    /**
     * The arm that the service has decided on; `value` if it did not respond.
     * @param {string} flagKey
     * @param {string} value
     */
    resolveStringEvaluation(flagKey: string, value: string): import("./openfeature.js").ResolutionDetails<string>;
    /**
     * @param {string} flagKey
     * @param {boolean} value
     */
    resolveBooleanEvaluation(flagKey: string, value: boolean): import("./openfeature.js").ResolutionDetails<boolean>;
    /**
     * @param {string} flagKey
     * @param {number} value
     */
    resolveNumberEvaluation(flagKey: string, value: number): import("./openfeature.js").ResolutionDetails<number>;
    /**
     * @template {import("@openfeature/web-sdk").JsonValue} T
     * @param {string} flagKey
     * @param {T} value
     */
    resolveObjectEvaluation<T extends import("@openfeature/web-sdk").JsonValue>(flagKey: string, value: T): import("./openfeature.js").ResolutionDetails<T>;
}
