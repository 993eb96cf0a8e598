// A queue of rewards, which are retried until the service has taken them.

import { DeferredRewards, RETENTION_MS } from "./deferred.js";
import { TIMEOUT_MS, deliver } from "./delivery.js";
import { checkedReward } from "./journal.js";
import { MAX_BATCH, ServiceError, rewardsRequest } from "./messages.js";

/**
 * @typedef {import("./journal.js").Reward} Reward
 * @typedef {import("./journal.js").Journal} Journal
 */

/** How long rewards gather before they are sent together. */
const GATHER_MS = 100;

/** The first and the longest wait before a retry after a failure. */
const BACKOFF_MS = [200, 10_000];

/** The longest time that timers know, 25 days: with a longer one they end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Bytes of rewards sent when a page is left: browsers allow 64 KiB then. */
const MAX_LEAVING_BYTES = 60_000;

/** Sends rewards in the background, in batches, and retries until they are taken. */
export class RewardQueue {
  #transport;
  #size;
  #journal;
  #log;
  /** @type {Reward[]} */
  #waiting = [];
  #deferred = new DeferredRewards();
  #sending = false;
  #closing = false;
  #closed = false;
  #backoffMs = BACKOFF_MS[0];
  #readyAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {Set<() => void>} */
  #observers = new Set();

  /**
   * @param {import("./transport.js").Transport} transport
   * @param {number} size
   * @param {Journal | null} journal
   * @param {import("./client.js").Log} log
   */
  constructor(transport, size, journal, log) {
    this.#transport = transport;
    this.#size = size;
    this.#journal = journal;
    this.#log = log;
    this.#write((journal) => {
      const { rewards, refused, error } = journal.load();
      this.#waiting = rewards;
      if (refused) this.#log.warn(`floorline: ${refused} entries are not rewards, and set aside`);
      if (error) throw error;
    });
    this.#schedule();
    if (typeof document !== "undefined") addEventListener("pagehide", this.#leave);
  }

  /**
   * Add a reward; false if the queue is full.
   * @param {string} ticket
   * @param {number} value
   * @param {Record<string, number> | null} [metrics]
   */
  put(ticket, value, metrics) {
    const reward = checkedReward(ticket, value, null, metrics);
    if (this.#closing) throw new Error("client: must be open, and is closed");
    if (this.#waiting.length + this.#deferred.size >= this.#size && !this.#evict()) {
      this.#log.warn(`floorline: reward ${value} of ${ticket} dropped: ${this.#full}`);
      return false;
    }
    this.#write((journal) => journal.add(reward));
    if (!this.#waiting.length) {
      this.#readyAt = Math.max(this.#readyAt, performance.now() + GATHER_MS);
    }
    this.#waiting.push(reward);
    this.#schedule();
    return true;
  }

  /**
   * Wait until every reward is taken or refused; false if some are left after `timeoutMs`.
   * @param {number} timeoutMs
   */
  flush(timeoutMs) {
    this.#sendAllNow();
    return this.#until(() => !this.#waiting.length && !this.#deferred.size, timeoutMs);
  }

  /**
   * Send the waiting rewards, as far as time allows. The rest stays in the journal. Deferred rewards
   * are sent once more, and not waited for.
   * @param {number} timeoutMs
   */
  async close(timeoutMs) {
    if (this.#closing) return;
    this.#closing = true;
    this.#sendAllNow();
    await this.#until(() => !this.#waiting.length, timeoutMs);
    this.#closed = true;
    clearTimeout(this.#timer);
    if (typeof document !== "undefined") removeEventListener("pagehide", this.#leave);
    const left = this.#waiting.length + this.#deferred.size;
    if (this.#journal) this.#write((journal) => journal.close());
    else if (left) this.#log.error(`floorline: ${left} rewards were not sent, and are lost`);
  }

  get #full() {
    return `${this.#size} rewards are waiting`;
  }

  #sendAllNow() {
    this.#waiting = this.#waiting.concat(this.#deferred.take());
    this.#backoffMs = BACKOFF_MS[0];
    this.#readyAt = 0;
    this.#schedule();
  }

  /** Send the waiting rewards while the page is left; again if the page comes back. */
  #leave = () => {
    if (!this.#waiting.length) return;
    let leaving = this.#waiting.slice(0, MAX_BATCH);
    let body = rewardsRequest(leaving);
    while (new TextEncoder().encode(body).length > MAX_LEAVING_BYTES && leaving.length > 1) {
      leaving = leaving.slice(0, Math.ceil(leaving.length / 2));
      body = rewardsRequest(leaving);
    }
    this.#transport.post("/v1/rewards", body, TIMEOUT_MS, true).catch(() => {});
  };

  /** Set the timer for the next delivery. */
  #schedule() {
    if (this.#sending || this.#closed) return;
    clearTimeout(this.#timer);
    const due = this.#waiting.length ? this.#readyAt : this.#deferred.nextDue;
    if (due === Infinity) return;
    const wait = Math.max(0, due - performance.now());
    const timer = setTimeout(() => void this.#send(), wait);
    // Waiting for a service that is down does not keep a Node process alive.
    if (wait > GATHER_MS && typeof timer === "object") timer.unref();
    this.#timer = timer;
  }

  async #send() {
    this.#waiting = this.#waiting.concat(this.#deferred.take(performance.now()));
    const batch = this.#waiting.slice(0, MAX_BATCH);
    this.#sending = true;
    const delivery = await deliver(this.#transport, batch);
    this.#sending = false;
    if (this.#closed) return; // the journal still holds what was not taken
    this.#waiting.splice(0, batch.length);
    this.#waiting.push(...delivery.retry);
    this.#settle(delivery);
    if (delivery.retry.length) this.#backOff(delivery.error);
    else this.#backoffMs = BACKOFF_MS[0];
    this.#schedule();
    for (const observer of this.#observers) observer();
  }

  /** @param {unknown} error */
  #backOff(error) {
    if (this.#backoffMs === BACKOFF_MS[0]) {
      // Once per outage.
      this.#log.warn(`floorline: rewards wait to be sent: ${error}`);
    }
    this.#readyAt = performance.now() + (this.#closing ? BACKOFF_MS[0] : this.#backoffMs);
    this.#backoffMs = Math.min(2 * this.#backoffMs, BACKOFF_MS[1]);
  }

  /**
   * Defer or give up what is not to be sent again soon, and forget what was taken.
   * @param {import("./delivery.js").Delivery} delivery
   */
  #settle({ taken, deferred, refused }) {
    for (const { reward, error } of refused) this.#refuse(reward, error);
    const first = deferred.find(({ reward }) => reward.deferredSince === undefined);
    if (first) {
      const hours = RETENTION_MS / 3_600_000;
      const kept = `rewards are kept for ${hours} hours and sent again`;
      this.#log.warn(`floorline: ${kept}; the first is of ${first.reward.ticket}: ${first.error}`);
    }
    for (const { reward, error } of deferred) this.#defer(reward, error);
    if (taken.length) this.#write((journal) => journal.remove(taken));
  }

  /**
   * @param {Reward} reward
   * @param {ServiceError} error
   */
  #defer(reward, error) {
    if (reward.deferredSince === undefined) {
      reward = { ...reward, deferredSince: Date.now() };
      const noted = reward;
      this.#write((journal) => journal.add(noted));
    }
    if (!this.#deferred.add(reward)) this.#refuse(reward, error);
  }

  /** Give up the reward deferred longest to make room; false if none is deferred. */
  #evict() {
    const oldest = this.#deferred.takeOldest();
    if (oldest) this.#refuse(oldest, new ServiceError("queue-full", this.#full));
    return oldest !== undefined;
  }

  /**
   * Give up a reward, where the user can see it: in the log, and in the journal.
   * @param {Reward} reward
   * @param {ServiceError} error
   */
  #refuse(reward, error) {
    this.#write((journal) => journal.refuse(reward, error.message));
    this.#write((journal) => journal.remove([reward]));
    this.#log.warn(`floorline: reward ${reward.reward} of ${reward.ticket} refused: ${error}`);
  }

  /**
   * Change the journal, and continue when that fails: the rewards are still in memory.
   * @param {(journal: Journal) => void} change
   */
  #write(change) {
    if (!this.#journal) return;
    try {
      change(this.#journal);
    } catch (error) {
      this.#log.error(`floorline: the journal of rewards cannot be used: ${error}`);
    }
  }

  /**
   * Whether `condition` has become true after a delivery, within `timeoutMs`.
   * @param {() => boolean} condition
   * @param {number} timeoutMs
   * @returns {Promise<boolean>}
   */
  #until(condition, timeoutMs) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#observers.delete(check);
        resolve(condition());
      };
      const check = () => {
        if (condition()) end();
      };
      const timer = setTimeout(end, Math.min(timeoutMs, MAX_TIMER_MS));
      this.#observers.add(check);
      check();
    });
  }
}
