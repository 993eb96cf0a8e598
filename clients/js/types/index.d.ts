export { Client } from "./client.js";
export { LocalStorageJournal } from "./local-storage.js";
export { ServiceError } from "./messages.js";
export type ClientOptions = import("./client.js").ClientOptions;
export type Log = import("./client.js").Log;
export type Journal = import("./journal.js").Journal;
export type Reward = import("./journal.js").Reward;
export type Decision = import("./messages.js").Decision;
export type DecisionOptions = import("./messages.js").DecisionOptions;
/**
 * @typedef {import("./client.js").ClientOptions} ClientOptions
 * @typedef {import("./client.js").Log} Log
 * @typedef {import("./journal.js").Journal} Journal
 * @typedef {import("./journal.js").Reward} Reward
 * @typedef {import("./messages.js").Decision} Decision
 * @typedef {import("./messages.js").DecisionOptions} DecisionOptions
 */
