export type Journal = import("./journal.js").Journal;
export type Reward = import("./journal.js").Reward;
/**
 * An item for each reward, so that tabs of one site do not overwrite each other's. A reward may be
 * sent by several tabs; the service takes it once.
 *
 * Refused rewards, and items that are not rewards, are under `NAME:refused:`. Where the browser
 * allows no storage, nothing is kept.
 * @implements {Journal}
 */
export declare class LocalStorageJournal implements Journal {
    #private;
    /**
     * @param {string} [name] The prefix of its items' names.
     * @param {Storage | null} [storage]
     */
    constructor(name?: string, storage?: Storage | null);
    load(): {
        rewards: import("./journal.js").Reward[];
        refused: number;
        error: unknown;
    };
    /** @param {Reward} reward */
    add(reward: Reward): void;
    /** @param {Reward[]} rewards */
    remove(rewards: Reward[]): void;
    /**
     * @param {Reward} reward
     * @param {string} reason
     */
    refuse(reward: Reward, reason: string): void;
    close(): void;
}
