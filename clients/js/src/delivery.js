// Send a batch of rewards, and sort them by the service's response to each.

import { ServiceError, parseReceipts, rewardsRequest } from "./messages.js";

/**
 * @typedef {import("./journal.js").Reward} Reward
 * @typedef {{ reward: Reward, error: ServiceError }} Refusal
 */

/** Timeout of a request that reports rewards. */
export const TIMEOUT_MS = 10_000;

/** Reasons for which the service refuses the same request every time. Others may come from a proxy,
 * or pass: no key yet, too many requests. */
const REFUSED_BATCH = new Set(["malformed", "invalid", "too-large", "not-json"]);

/** Reasons for which the service refuses the same reward every time. An unknown ticket is not one of
 * them: the service also says so while it cannot read a ledger, as after a failed restore. */
const REFUSED_REWARD = new Set(["invalid", "conflict"]);

/**
 * The rewards of a batch.
 * @typedef {object} Delivery
 * @property {Reward[]} taken By the service.
 * @property {Reward[]} retry To send again soon: the service, or one campaign of it, cannot take
 *   them now.
 * @property {Refusal[]} deferred To send again later: refused for a reason that may pass.
 * @property {Refusal[]} refused Not to send again.
 * @property {unknown} error Why there are rewards in `retry`.
 */

/**
 * Send the batch. One that the service refuses is halved until single rewards are refused.
 * @param {import("./transport.js").Transport} transport
 * @param {Reward[]} batch
 * @returns {Promise<Delivery>}
 */
export async function deliver(transport, batch) {
  /** @type {Delivery} */
  const delivery = { taken: [], retry: [], deferred: [], refused: [], error: null };
  const parts = [batch];
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      await deliverPart(transport, part, parts, delivery);
    } catch (error) {
      // Whatever the error is, no reward may be lost.
      delivery.error = error;
      delivery.retry.push(...part, ...parts.flat());
      break;
    }
  }
  return delivery;
}

/**
 * Send a part, and sort its rewards into `delivery`, or its halves into `parts`.
 * @param {import("./transport.js").Transport} transport
 * @param {Reward[]} part
 * @param {Reward[][]} parts
 * @param {Delivery} delivery
 */
async function deliverPart(transport, part, parts, delivery) {
  const { status, text } = await transport.post("/v1/rewards", rewardsRequest(part), TIMEOUT_MS);
  const tickets = part.map(({ ticket }) => ticket);
  let receipts;
  try {
    receipts = parseReceipts(status, text, tickets);
  } catch (error) {
    if (!(error instanceof ServiceError && REFUSED_BATCH.has(error.reason))) throw error;
    const half = Math.floor(part.length / 2);
    if (half > 0) parts.push(part.slice(half), part.slice(0, half));
    else delivery.refused.push({ reward: part[0], error });
    return;
  }
  part.forEach((reward, index) => sort(reward, receipts[index], delivery));
}

/**
 * @param {Reward} reward
 * @param {ServiceError | null} error
 * @param {Delivery} delivery
 */
function sort(reward, error, delivery) {
  if (error === null) {
    delivery.taken.push(reward);
  } else if (REFUSED_REWARD.has(error.reason)) {
    delivery.refused.push({ reward, error });
  } else if ((error.status ?? 500) >= 500) {
    delivery.retry.push(reward);
    delivery.error = error;
  } else {
    delivery.deferred.push({ reward, error });
  }
}
