// Call a Floorline decision service from a browser or from Node. It has no dependencies.

export { Client } from "./client.js";
export { LocalStorageJournal } from "./local-storage.js";
export { ServiceError } from "./messages.js";

/**
 * @typedef {import("./client.js").ClientOptions} ClientOptions
 * @typedef {import("./client.js").Log} Log
 * @typedef {import("./journal.js").Journal} Journal
 * @typedef {import("./journal.js").Reward} Reward
 * @typedef {import("./messages.js").Decision} Decision
 * @typedef {import("./messages.js").DecisionOptions} DecisionOptions
 */
