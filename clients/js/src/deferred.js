// Rewards that the service has refused for a reason that may pass, such as an unknown ticket.

/** @typedef {import("./journal.js").Reward} Reward */

/** How long such a reward is retried: long enough to repair a service that does not know its
 * tickets because it cannot read a ledger. */
export const RETENTION_MS = 24 * 3600 * 1000;

/** The shortest and the longest wait before a retry. */
const BACKOFF_MS = [1000, 600_000];

/** Rewards by the time of their next retry; the waits of each double. */
export class DeferredRewards {
  /** @type {{ due: number, reward: Reward }[]} */
  #items = [];

  get size() {
    return this.#items.length;
  }

  /**
   * Add a reward that was refused just now; false if it has been deferred long enough.
   * @param {Reward} reward
   */
  add(reward) {
    const age = Date.now() - (reward.deferredSince ?? 0);
    if (age >= RETENTION_MS) return false;
    const wait = Math.min(Math.max(age, BACKOFF_MS[0]), BACKOFF_MS[1]);
    this.#items.push({ due: performance.now() + wait, reward });
    return true;
  }

  /** When the next reward is due, on the clock of `performance.now`; infinity if there is none. */
  get nextDue() {
    return this.#items.reduce((least, { due }) => Math.min(least, due), Infinity);
  }

  /**
   * Remove and return the rewards that are due at `now`.
   * @param {number} [now]
   */
  take(now = Infinity) {
    const due = this.#items.filter((item) => item.due <= now);
    this.#items = this.#items.filter((item) => item.due > now);
    return due.map(({ reward }) => reward);
  }

  /** Remove and return the reward deferred first; undefined if there is none. */
  takeOldest() {
    const since = (/** @type {number} */ index) => this.#items[index].reward.deferredSince ?? 0;
    const first = this.#items.reduce((least, _, index) => {
      return since(index) < since(least) ? index : least;
    }, 0);
    return this.#items.splice(first, 1)[0]?.reward;
  }
}
