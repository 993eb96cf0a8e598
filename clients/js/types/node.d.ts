export type Journal = import("./journal.js").Journal;
export type Reward = import("./journal.js").Reward;
/**
 * A JSON line for each reward, written but not synced to disk.
 *
 * Next to the file are `FILE.lock`, with the id of the process that uses it, and `FILE.refused`, with
 * what cannot be sent: lines that are not rewards, and rewards that the service has refused.
 * @implements {Journal}
 */
export declare class FileJournal implements Journal {
    #private;
    /**
     * Open the file, or create it. Throws if it cannot be used, or another client uses it.
     * @param {string} file
     */
    constructor(file: string);
    load(): {
        rewards: import("./journal.js").Reward[];
        refused: number;
        error: unknown;
    } | {
        error?: undefined;
        rewards: import("./journal.js").Reward[];
        refused: number;
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
