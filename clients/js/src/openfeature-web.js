// A provider for OpenFeature's SDK for web pages: a campaign is a string flag.

import {
  METADATA,
  details,
  failure,
  mismatch,
  optionsOf,
  refusal,
  rewardTracker,
} from "./openfeature.js";
import { ServiceError } from "./messages.js";

export { rewardTracker };

/**
 * @typedef {import("@openfeature/web-sdk").EvaluationContext} EvaluationContext
 * @typedef {import("@openfeature/web-sdk").Provider} Provider
 * @typedef {import("./messages.js").Decision} Decision
 */

/**
 * Decides string flags: the flag is a campaign, and its value the name of an arm.
 *
 * Web pages evaluate flags without waiting, so each campaign is decided when the provider is set,
 * and again when the targeting key changes. List only campaigns that the page is sure to show: a
 * decision that nobody sees still counts. Without a targeting key, every page load is a new
 * decision; with one, the same key always gets the same decision. The other attributes of the
 * context are kept with the decision; leave out what must not be stored.
 * @implements {Provider}
 */
export class FloorlineWebProvider {
  metadata = METADATA;
  /** @type {"client"} */
  runsOn = "client";
  #client;
  #campaigns;
  /** @type {Map<string, Decision | ServiceError>} */
  #decisions = new Map();
  #round = 0;

  /**
   * @param {import("./client.js").Client} client Closed with the provider.
   * @param {Iterable<string>} campaigns
   */
  constructor(client, campaigns) {
    this.#client = client;
    this.#campaigns = [...campaigns];
    this.track = rewardTracker(client);
  }

  /**
   * Decide all campaigns. Called again meanwhile, the later call counts.
   * @param {EvaluationContext} [context]
   */
  async initialize(context) {
    const round = ++this.#round;
    const options = optionsOf(context);
    const decided = await Promise.all(
      this.#campaigns.map(async (campaign) => {
        try {
          return await this.#client.ask(campaign, options);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          return error;
        }
      }),
    );
    if (round !== this.#round) return; // of a visitor who has changed since
    this.#decisions = new Map(this.#campaigns.map((campaign, index) => [campaign, decided[index]]));
  }

  /**
   * Decide again for another targeting key.
   * @param {EvaluationContext} before
   * @param {EvaluationContext} now
   */
  async onContextChange(before, now) {
    if (before.targetingKey !== now.targetingKey) await this.initialize(now);
  }

  /** Send the waiting rewards, and close the client. */
  onClose() {
    return this.#client.close();
  }

  /**
   * The arm that the service has decided on; `value` if it did not respond.
   * @param {string} flagKey
   * @param {string} value
   */
  resolveStringEvaluation(flagKey, value) {
    const decision = this.#decisions.get(flagKey);
    if (decision instanceof ServiceError) return failure(value, decision);
    if (decision) return details(decision);
    const message = `${flagKey} is not among the campaigns of the provider`;
    return refusal(value, "FLAG_NOT_FOUND", message);
  }

  /**
   * @param {string} flagKey
   * @param {boolean} value
   */
  resolveBooleanEvaluation(flagKey, value) {
    return mismatch(flagKey, value);
  }

  /**
   * @param {string} flagKey
   * @param {number} value
   */
  resolveNumberEvaluation(flagKey, value) {
    return mismatch(flagKey, value);
  }

  /**
   * @template {import("@openfeature/web-sdk").JsonValue} T
   * @param {string} flagKey
   * @param {T} value
   */
  resolveObjectEvaluation(flagKey, value) {
    return mismatch(flagKey, value);
  }
}
