// A provider for OpenFeature's SDK for servers: a campaign is a string flag.

import { METADATA, details, failure, mismatch, optionsOf, rewardTracker } from "./openfeature.js";
import { ServiceError } from "./messages.js";

export { rewardTracker };

/**
 * @typedef {import("@openfeature/server-sdk").EvaluationContext} EvaluationContext
 * @typedef {import("@openfeature/server-sdk").Provider} Provider
 */

/**
 * Decides string flags: the flag is a campaign, and its value the name of an arm.
 *
 * Without a targeting key, every evaluation is a new decision. With one, the same key always gets
 * the same decision. For a new decision at each visit, use a key that identifies the visit. The
 * other attributes of the context are kept with the decision; leave out what must not be stored.
 * @implements {Provider}
 */
export class FloorlineProvider {
  metadata = METADATA;
  /** @type {"server"} */
  runsOn = "server";
  #client;

  /** @param {import("./client.js").Client} client Closed with the provider. */
  constructor(client) {
    this.#client = client;
    this.track = rewardTracker(client);
  }

  /** Send the waiting rewards, and close the client. */
  onClose() {
    return this.#client.close();
  }

  /**
   * The arm that the service decides on; `value` if it does not respond.
   * @param {string} flagKey
   * @param {string} value
   * @param {EvaluationContext} context
   */
  async resolveStringEvaluation(flagKey, value, context) {
    try {
      return details(await this.#client.ask(flagKey, optionsOf(context)));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return failure(value, error);
    }
  }

  /**
   * @param {string} flagKey
   * @param {boolean} value
   */
  async resolveBooleanEvaluation(flagKey, value) {
    return mismatch(flagKey, value);
  }

  /**
   * @param {string} flagKey
   * @param {number} value
   */
  async resolveNumberEvaluation(flagKey, value) {
    return mismatch(flagKey, value);
  }

  /**
   * @template {import("@openfeature/server-sdk").JsonValue} T
   * @param {string} flagKey
   * @param {T} value
   */
  async resolveObjectEvaluation(flagKey, value) {
    return mismatch(flagKey, value);
  }
}
