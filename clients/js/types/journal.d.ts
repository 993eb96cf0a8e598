export type Reward = {
    ticket: string;
    reward: number;
    /**
     * When the service first refused it for a reason that may pass,
     * such as an unknown ticket: milliseconds since 1970.
     */
    deferredSince?: number;
    /**
     * Values of the campaign's guardrails, by name.
     */
    metrics?: Record<string, number>;
};
export type Journal = {
    /**
     * The rewards that
     * it holds, how many entries were set aside because they are not rewards, and what went wrong
     * with that: the rewards are sent all the same.
     */
    load: () => {
        rewards: Reward[];
        refused: number;
        error?: unknown;
    };
    /**
     * Add a reward, or update one.
     */
    add: (reward: Reward) => void;
    /**
     * Forget rewards: the service takes none twice.
     */
    remove: (rewards: Reward[]) => void;
    /**
     * Set aside a reward that will not be
     * sent again, where the user can find it.
     */
    refuse: (reward: Reward, reason: string) => void;
    /**
     * Let another client use it.
     */
    close: () => void;
};
/**
 * What one decision has earned.
 * @typedef {object} Reward
 * @property {string} ticket
 * @property {number} reward
 * @property {number} [deferredSince] When the service first refused it for a reason that may pass,
 *   such as an unknown ticket: milliseconds since 1970.
 * @property {Record<string, number>} [metrics] Values of the campaign's guardrails, by name.
 */
/**
 * Persistent storage for rewards: a `FileJournal`, a `LocalStorageJournal`, or your own. Any method
 * may throw; the rewards are then still in memory.
 * @typedef {object} Journal
 * @property {() => { rewards: Reward[], refused: number, error?: unknown }} load The rewards that
 *   it holds, how many entries were set aside because they are not rewards, and what went wrong
 *   with that: the rewards are sent all the same.
 * @property {(reward: Reward) => void} add Add a reward, or update one.
 * @property {(rewards: Reward[]) => void} remove Forget rewards: the service takes none twice.
 * @property {(reward: Reward, reason: string) => void} refuse Set aside a reward that will not be
 *   sent again, where the user can find it.
 * @property {() => void} close Let another client use it.
 */
/**
 * Return the reward with these fields; throw if they are not a reward.
 * @param {unknown} ticket
 * @param {unknown} reward
 * @param {unknown} [deferredSince]
 * @param {unknown} [metrics]
 * @returns {Reward}
 */
export declare function checkedReward(ticket: unknown, reward: unknown, deferredSince?: unknown, metrics?: unknown): Reward;
/**
 * Return a key that tells one reward from another.
 * @param {Reward} reward
 */
export declare function keyOf({ ticket, reward, metrics }: Reward): string;
/**
 * Return the reward as the service expects it.
 * @param {Reward} reward
 */
export declare function messageOf({ ticket, reward, metrics }: Reward): {
    ticket: string;
    reward: number;
    metrics: Record<string, number> | undefined;
};
