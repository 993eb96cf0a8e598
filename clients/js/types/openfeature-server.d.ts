import { rewardTracker } from "./openfeature.js";
export { rewardTracker };
export type EvaluationContext = import("@openfeature/server-sdk").EvaluationContext;
export type Provider = import("@openfeature/server-sdk").Provider;
/**
 * @typedef {import("@openfeature/server-sdk").EvaluationContext} EvaluationContext
 * @typedef {import("@openfeature/server-sdk").Provider} Provider
 */
/**
 * Decides string flags: the flag is a campaign, and its value the name of an arm.
 *
 * Without a targeting key, every evaluation is a new decision. With one, the same key always gets
 * the same decision. For a new decision at each visit, use a key that identifies the visit. The
 * other attributes of the context are kept with the decision; leave out what must not be stored.
 * @implements {Provider}
 */
export declare class FloorlineProvider implements Provider {
    #private;
    track: (name: string, context: unknown, event?: import("@openfeature/core").TrackingEventDetails) => void;
    metadata: Readonly<{
        name: "Floorline";
    }>;
    /** @type {"server"} */
    runsOn: "server";
    /** @param {import("./client.js").Client} client Closed with the provider. */
    constructor(client: import("./client.js").Client);
    /** Send the waiting rewards, and close the client. */
    onClose(): Promise<void>;
    /**
     * The arm that the service decides on; `value` if it does not respond.
     * @param {string} flagKey
     * @param {string} value
     * @param {EvaluationContext} context
     */
    resolveStringEvaluation(flagKey: string, value: string, context: EvaluationContext): Promise<import("./openfeature.js").ResolutionDetails<string>>;
    /**
     * @param {string} flagKey
     * @param {boolean} value
     */
    resolveBooleanEvaluation(flagKey: string, value: boolean): Promise<import("./openfeature.js").ResolutionDetails<boolean>>;
    /**
     * @param {string} flagKey
     * @param {number} value
     */
    resolveNumberEvaluation(flagKey: string, value: number): Promise<import("./openfeature.js").ResolutionDetails<number>>;
    /**
     * @template {import("@openfeature/server-sdk").JsonValue} T
     * @param {string} flagKey
     * @param {T} value
     */
    resolveObjectEvaluation<T extends import("@openfeature/server-sdk").JsonValue>(flagKey: string, value: T): Promise<import("./openfeature.js").ResolutionDetails<T>>;
}
