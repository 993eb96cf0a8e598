import { ServiceError } from "./messages.js";
export type Reward = import("./journal.js").Reward;
export type Refusal = {
    reward: Reward;
    error: ServiceError;
};
/**
 * @typedef {import("./journal.js").Reward} Reward
 * @typedef {{ reward: Reward, error: ServiceError }} Refusal
 */
/** Timeout of a request that reports rewards. */
export declare const TIMEOUT_MS = 10000;
export type Delivery = {
    /**
     * By the service.
     */
    taken: Reward[];
    /**
     * To send again soon: the service, or one campaign of it, cannot take
     * them now.
     */
    retry: Reward[];
    /**
     * To send again later: refused for a reason that may pass.
     */
    deferred: Refusal[];
    /**
     * Not to send again.
     */
    refused: Refusal[];
    /**
     * Why there are rewards in `retry`.
     */
    error: unknown;
};
/**
 * The rewards of a batch.
 * @typedef {object} Delivery
 * @property {Reward[]} taken By the service.
 * @property {Reward[]} retry To send again soon: the service, or one campaign of it, cannot take
 *   them now.
 * @property {Refusal[]} deferred To send again later: refused for a reason that may pass.
 * @property {Refusal[]} refused Not to send again.
 * @property {unknown} error Why there are rewards in `retry`.
 */
/**
 * Send the batch. One that the service refuses is halved until single rewards are refused.
 * @param {import("./transport.js").Transport} transport
 * @param {Reward[]} batch
 * @returns {Promise<Delivery>}
 */
export declare function deliver(transport: import("./transport.js").Transport, batch: Reward[]): Promise<Delivery>;
