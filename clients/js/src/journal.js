// Storage for rewards until they are sent, so that they survive the end of the page or process.

import { finite, metricsOf, ticketId } from "./checks.js";

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
export function checkedReward(ticket, reward, deferredSince, metrics) {
  /** @type {Reward} */
  const checked = { ticket: ticketId(ticket), reward: finite("reward", reward) };
  if (deferredSince != null) checked.deferredSince = finite("time", deferredSince);
  if (metrics != null) checked.metrics = metricsOf(metrics);
  return checked;
}

/**
 * Return a key that tells one reward from another.
 * @param {Reward} reward
 */
export function keyOf({ ticket, reward, metrics }) {
  return `${ticket}:${reward}${metrics ? `:${JSON.stringify(metrics)}` : ""}`;
}

/**
 * Return the reward as the service expects it.
 * @param {Reward} reward
 */
export function messageOf({ ticket, reward, metrics }) {
  return { ticket, reward, metrics };
}
