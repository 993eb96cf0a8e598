// Rewards in a browser's localStorage.

import { checkedReward, keyOf, messageOf } from "./journal.js";

/**
 * @typedef {import("./journal.js").Journal} Journal
 * @typedef {import("./journal.js").Reward} Reward
 */

/** How many refused rewards are kept: the storage is small, and the console has all of them. */
const MAX_REFUSED = 100;

/**
 * An item for each reward, so that tabs of one site do not overwrite each other's. A reward may be
 * sent by several tabs; the service takes it once.
 *
 * Refused rewards, and items that are not rewards, are under `NAME:refused:`. Where the browser
 * allows no storage, nothing is kept.
 * @implements {Journal}
 */
export class LocalStorageJournal {
  #prefix;
  #refusedPrefix;
  #storage;

  /**
   * @param {string} [name] The prefix of its items' names.
   * @param {Storage | null} [storage]
   */
  constructor(name = "floorline", storage = availableStorage()) {
    this.#prefix = `${name}:reward:`;
    this.#refusedPrefix = `${name}:refused:`;
    this.#storage = storage;
  }

  load() {
    const rewards = [];
    let refused = 0;
    let error;
    for (const key of this.#keys(this.#prefix)) {
      const value = this.#storage?.getItem(key) ?? "";
      try {
        rewards.push(parsed(key.slice(this.#prefix.length), value));
      } catch {
        try {
          this.#refuse({ line: key.slice(this.#prefix.length), value });
          this.#storage?.removeItem(key);
          refused++;
        } catch (full) {
          error = full; // it stays where it is
        }
      }
    }
    return { rewards, refused, error };
  }

  /** @param {Reward} reward */
  add(reward) {
    const since = reward.deferredSince === undefined ? "" : String(reward.deferredSince);
    this.#storage?.setItem(this.#prefix + keyOf(reward), since);
  }

  /** @param {Reward[]} rewards */
  remove(rewards) {
    for (const reward of rewards) this.#storage?.removeItem(this.#prefix + keyOf(reward));
  }

  /**
   * @param {Reward} reward
   * @param {string} reason
   */
  refuse(reward, reason) {
    this.#refuse({ ...messageOf(reward), reason });
  }

  close() {}

  /** @param {Record<string, unknown>} entry */
  #refuse(entry) {
    if (this.#keys(this.#refusedPrefix).length >= MAX_REFUSED) return;
    const unique = crypto.getRandomValues(new Uint32Array(1))[0];
    const value = JSON.stringify({ time: new Date().toISOString(), ...entry });
    this.#storage?.setItem(`${this.#refusedPrefix}${Date.now()}-${unique}`, value);
  }

  /** @param {string} prefix */
  #keys(prefix) {
    const storage = this.#storage;
    if (!storage) return [];
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
    return keys.filter((key) => key.startsWith(prefix));
  }
}

/** The page's storage; null where the browser denies it, as with cookies blocked. */
function availableStorage() {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
function parsed(key, value) {
  const [ticket, reward, ...rest] = key.split(":");
  if (!reward) throw new TypeError("a reward has a ticket and a value");
  const metrics = rest.length ? JSON.parse(rest.join(":")) : undefined;
  return checkedReward(ticket, Number(reward), value === "" ? undefined : Number(value), metrics);
}
