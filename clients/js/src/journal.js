// What keeps rewards until they are sent, so that they survive the end of the page or process.

import { finite, metricsOf, ticketId } from "./checks.js";

/**
 * What one decision has earned.
 * @typedef {object} Reward
 * @property {string} ticket
 * @property {number} reward
 * @property {number} [deferredSince] When the service first refused it for a reason that may pass,
 *   as an unknown ticket: milliseconds since 1970.
 * @property {Record<string, number>} [metrics] Values of the campaign's guardrails, by name.
 */

/**
 * Rewards on a lasting medium: a `FileJournal`, a `LocalStorageJournal`, or one of your own. Any
 * method may throw; the rewards are then still in memory.
 * @typedef {object} Journal
 * @property {() => { rewards: Reward[], refused: number }} load The rewards that it holds, and how
 *   many entries were set aside because they are not rewards.
 * @property {(reward: Reward) => void} add Add a reward, or what has become known of one.
 * @property {(rewards: Reward[]) => void} remove Forget rewards: the service takes none twice.
 * @property {(reward: Reward, reason: string) => void} refuse Set aside a reward that will not be
 *   sent again, where the user can find it.
 * @property {() => void} close Let another client use it.
 */

/**
 * The reward with these fields; throws if they are none.
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
 * What tells one reward from another.
 * @param {Reward} reward
 */
export function keyOf({ ticket, reward, metrics }) {
  return `${ticket}:${reward}${metrics ? `:${JSON.stringify(metrics)}` : ""}`;
}

/**
 * The reward as the service takes it.
 * @param {Reward} reward
 */
export function messageOf({ ticket, reward, metrics }) {
  return { ticket, reward, metrics };
}
