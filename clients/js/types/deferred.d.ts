export type Reward = import("./journal.js").Reward;
/** @typedef {import("./journal.js").Reward} Reward */
/** How long such a reward is retried: long enough to repair a service that does not know its
 * tickets because it cannot read a ledger. */
export declare const RETENTION_MS: number;
/** Rewards by the time of their next retry; the waits of each double. */
export declare class DeferredRewards {
    #private;
    get size(): number;
    /**
     * Add a reward that was refused just now; false if it has been deferred long enough.
     * @param {Reward} reward
     */
    add(reward: Reward): boolean;
    /** When the next reward is due, on the clock of `performance.now`; infinity if there is none. */
    get nextDue(): number;
    /**
     * Remove and return the rewards that are due at `now`.
     * @param {number} [now]
     */
    take(now?: number): import("./journal.js").Reward[];
    /** Remove and return the reward deferred first; undefined if there is none. */
    takeOldest(): import("./journal.js").Reward;
}
