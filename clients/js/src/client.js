// The client: decisions with one deadline, and rewards in the background.

import { positive, ticketId } from "./checks.js";
import { DefaultArms } from "./fallback.js";
import { ServiceError, decisionRequest, parseDecision, parseObject } from "./messages.js";
import { RewardQueue } from "./rewards.js";
import { Transport } from "./transport.js";

/**
 * @typedef {import("./messages.js").Decision} Decision
 * @typedef {import("./messages.js").DecisionOptions} DecisionOptions
 * @typedef {Pick<Console, "info" | "warn" | "error">} Log
 */

/**
 * @typedef {object} ClientOptions
 * @property {string} [url] The service's URL.
 * @property {string} [key] An API key, if the service has keys. In a browser: one that is limited to
 *   one campaign and to the scopes `decide` and `reward`.
 * @property {Record<string, string>} [defaults] The default arm of each campaign. One that is left
 *   out is learned from the service's responses; until then, `decide` rejects without a response.
 * @property {number} [timeoutMs] Timeout after which `decide` plays the default arm. It includes
 *   everything: connecting, all attempts, and reading the response.
 * @property {import("./journal.js").Journal} [journal] Keeps unsent rewards beyond the end of the
 *   page or process: a `LocalStorageJournal`, or a `FileJournal` from `floorline-client/node`.
 * @property {number} [queueSize] How many rewards may wait to be sent.
 * @property {Log} [log] Where outages and refused rewards are logged; by default the console.
 */

/** Default timeout of a decision: a visitor is waiting. */
const DECISION_TIMEOUT_MS = 150;

/** Timeout of a request that no visitor is waiting for. */
const VOID_TIMEOUT_MS = 10_000;

/** Timeout for sending the waiting rewards when the client is flushed or closed. */
const FLUSH_TIMEOUT_MS = 5_000;

/** Asks a decision service, and plays the default arm when there is no response. */
export class Client {
  #transport;
  #timeoutMs;
  #defaults;
  #rewards;

  /** @param {ClientOptions} [options] */
  constructor({
    url = "http://127.0.0.1:8400",
    key,
    defaults = {},
    timeoutMs = DECISION_TIMEOUT_MS,
    journal,
    queueSize = 10_000,
    log = console,
  } = {}) {
    this.#transport = new Transport(url, key);
    this.#timeoutMs = positive("timeoutMs", timeoutMs, 3_600_000);
    this.#defaults = new DefaultArms(defaults, log);
    const size = positive("queueSize", queueSize, Number.MAX_SAFE_INTEGER);
    this.#rewards = new RewardQueue(this.#transport, size, journal ?? null, log);
  }

  /**
   * Decide which arm of the campaign to play now; the default arm without a response in time.
   *
   * Rejects with ServiceError if there is no response, and the default arm is not known.
   * @param {string} campaign
   * @param {DecisionOptions} [options]
   * @returns {Promise<Decision>}
   */
  async decide(campaign, options = {}) {
    try {
      return await this.ask(campaign, options);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return this.#defaults.fallbackDecision(campaign, error);
    }
  }

  /**
   * The service's decision: like `decide`, but every failure rejects with ServiceError.
   * @param {string} campaign
   * @param {DecisionOptions} [options]
   * @returns {Promise<Decision>}
   */
  async ask(campaign, options = {}) {
    const path = `/v1/campaigns/${encodeURIComponent(campaign)}/decisions`;
    const body = decisionRequest(options);
    const { status, text } = await this.#transport.post(path, body, this.#timeoutMs);
    return this.#defaults.learn(campaign, parseDecision(status, text));
  }

  /**
   * Report a reward, in the background; false if the queue is full.
   *
   * It is retried until the service has it. A decision without a ticket was made without the
   * service, which does not want its reward: nothing is sent, and false is returned.
   * @param {string | null | undefined} ticket
   * @param {number} value
   * @param {Record<string, number> | null} [metrics] Values of the campaign's guardrails, by name.
   *   With a name that the campaign does not have, the service refuses the reward.
   */
  reward(ticket, value, metrics) {
    return ticket != null && this.#rewards.put(ticket, value, metrics);
  }

  /**
   * Report that a decision reached nobody. Rejects with ServiceError if it may not be voided, or
   * there is no response.
   * @param {string} ticket
   */
  async void(ticket) {
    const path = `/v1/decisions/${ticketId(ticket)}/void`;
    const { status, text } = await this.#transport.post(path, "", VOID_TIMEOUT_MS);
    parseObject(status, text);
  }

  /**
   * Wait until every reward was taken or refused for good; false if some are still kept.
   * @param {number} [timeoutMs]
   */
  flush(timeoutMs = FLUSH_TIMEOUT_MS) {
    return this.#rewards.flush(timeoutMs);
  }

  /**
   * Send the waiting rewards, as far as the timeout allows. No reward can be reported afterwards.
   * @param {number} [timeoutMs]
   */
  close(timeoutMs = FLUSH_TIMEOUT_MS) {
    return this.#rewards.close(timeoutMs);
  }
}
