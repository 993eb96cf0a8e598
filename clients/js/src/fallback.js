// Decisions for the default arm, where the service gives none.

/**
 * @typedef {import("./messages.js").Decision} Decision
 * @typedef {import("./messages.js").ServiceError} ServiceError
 */

/** The default arm of each campaign: given, or learned from the service's responses. */
export class DefaultArms {
  /** @type {Map<string, string>} */
  #arms;
  /** @type {Map<string, string>} What the service said to play instead, or for good. */
  #told = new Map();
  /** @type {Map<string, string>} */
  #failing = new Map();
  #log;

  /**
   * @param {Record<string, string>} given
   * @param {import("./client.js").Log} log
   */
  constructor(given, log) {
    this.#arms = new Map(Object.entries(given));
    this.#log = log;
  }

  /**
   * Return the decision, remembering its arm if that is the default.
   * @param {string} campaign
   * @param {Decision} decision
   */
  learn(campaign, decision) {
    if (decision.isDefault) this.#arms.set(campaign, decision.arm);
    if (decision.reason === "finished") this.#told.set(campaign, decision.arm);
    else this.#told.delete(campaign);
    if (this.#failing.delete(campaign)) {
      this.#log.info(`floorline: campaign ${campaign}: the service decides again`);
    }
    return decision;
  }

  /**
   * The decision to play the default arm because of `error`, which is thrown if that arm is not
   * known. For a finished or stopped campaign it is the arm that the campaign serves.
   * @param {string} campaign
   * @param {ServiceError} error
   * @returns {Decision}
   */
  fallbackDecision(campaign, error) {
    const arm = error.defaultArm ?? this.#told.get(campaign) ?? this.#arms.get(campaign);
    if (arm === undefined) throw error;
    this.#told.set(campaign, arm);
    if (!this.#arms.has(campaign)) this.#arms.set(campaign, arm);
    if (this.#failing.get(campaign) !== error.reason) {
      // Once per outage, not once per visitor.
      this.#log.warn(`floorline: campaign ${campaign}: playing ${arm}: ${error.message}`);
      this.#failing.set(campaign, error.reason);
    }
    return {
      ticket: null,
      arm,
      isDefault: arm === this.#arms.get(campaign),
      candidate: null,
      reason: error.reason,
      guaranteedBudget: null,
      probability: null,
      propensity: null,
    };
  }
}
