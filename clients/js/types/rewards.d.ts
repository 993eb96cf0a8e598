export type Reward = import("./journal.js").Reward;
export type Journal = import("./journal.js").Journal;
/** Sends rewards in the background, in batches, and retries until they are taken. */
export declare class RewardQueue {
    #private;
    /**
     * @param {import("./transport.js").Transport} transport
     * @param {number} size
     * @param {Journal | null} journal
     * @param {import("./client.js").Log} log
     */
    constructor(transport: import("./transport.js").Transport, size: number, journal: Journal | null, log: import("./client.js").Log);
    /**
     * Add a reward; false if the queue is full.
     * @param {string} ticket
     * @param {number} value
     * @param {Record<string, number> | null} [metrics]
     */
    put(ticket: string, value: number, metrics?: Record<string, number> | null): boolean;
    /**
     * Wait until every reward is taken or refused; false if some are left after `timeoutMs`.
     * @param {number} timeoutMs
     */
    flush(timeoutMs: number): Promise<boolean>;
    /**
     * Send the waiting rewards, as far as time allows. The rest stays in the journal. Deferred rewards
     * are sent once more, and not waited for.
     * @param {number} timeoutMs
     */
    close(timeoutMs: number): Promise<void>;
}
