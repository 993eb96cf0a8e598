// Rewards in a file, for Node.

import fs from "node:fs";
import path from "node:path";

import { checkedReward, keyOf, messageOf } from "./journal.js";

/**
 * @typedef {import("./journal.js").Journal} Journal
 * @typedef {import("./journal.js").Reward} Reward
 */

/** How many lines of sent rewards, beyond the number waiting, before the file is rewritten. */
const SPARE_LINES = 1000;

/** @type {Set<string>} The files that this process uses. */
const inUse = new Set();

/**
 * A JSON line for each reward, written but not synced to disk.
 *
 * Next to the file are `FILE.lock`, with the id of the process that uses it, and `FILE.refused`, with
 * what cannot be sent: lines that are not rewards, and rewards that the service has refused.
 * @implements {Journal}
 */
export class FileJournal {
  #path;
  #lines = 0;
  #torn = true; // until the file is rewritten: its last line may be incomplete
  /** @type {Map<string, Reward>} */
  #rewards = new Map();

  /**
   * Open the file, or create it. Throws if it cannot be used, or another client uses it.
   * @param {string} file
   */
  constructor(file) {
    this.#path = path.resolve(file);
    fs.closeSync(fs.openSync(this.#path, "a+")); // throws if it cannot be read and written
    lock(this.#path);
  }

  load() {
    const refused = [];
    for (const line of fs.readFileSync(this.#path, "utf8").split("\n")) {
      if (!line.trim()) continue;
      try {
        const reward = parsed(line);
        this.#rewards.set(keyOf(reward), reward); // the last line counts
      } catch {
        refused.push({ line });
      }
    }
    const rewards = [...this.#rewards.values()];
    try {
      if (refused.length) this.#appendRefused(refused);
      this.#rewrite();
    } catch (error) {
      return { rewards, refused: 0, error };
    }
    return { rewards, refused: refused.length };
  }

  /** @param {Reward} reward */
  add(reward) {
    this.#rewards.set(keyOf(reward), reward);
    const start = this.#torn ? "\n" : "";
    this.#torn = true;
    fs.appendFileSync(this.#path, start + lineOf(reward));
    this.#torn = false;
    this.#lines++;
  }

  /** @param {Reward[]} rewards */
  remove(rewards) {
    for (const reward of rewards) this.#rewards.delete(keyOf(reward));
    const left = this.#rewards.size;
    if (left === 0 || this.#lines > 2 * left + SPARE_LINES) this.#rewrite();
  }

  /**
   * @param {Reward} reward
   * @param {string} reason
   */
  refuse(reward, reason) {
    this.#appendRefused([{ ...messageOf(reward), reason }]);
  }

  close() {
    if (inUse.delete(this.#path)) fs.rmSync(`${this.#path}.lock`, { force: true });
  }

  /** @param {Record<string, unknown>[]} entries */
  #appendRefused(entries) {
    const time = new Date().toISOString();
    const lines = entries.map((entry) => JSON.stringify({ time, ...entry }) + "\n");
    fs.appendFileSync(`${this.#path}.refused`, lines.join(""));
  }

  #rewrite() {
    const unfinished = `${this.#path}.new`;
    fs.writeFileSync(unfinished, [...this.#rewards.values()].map(lineOf).join(""));
    fs.renameSync(unfinished, this.#path);
    this.#lines = this.#rewards.size;
    this.#torn = false;
  }
}

/** @param {Reward} reward */
function lineOf({ ticket, reward, deferredSince, metrics }) {
  /** @type {unknown[]} */
  const fields = [ticket, reward];
  if (deferredSince !== undefined || metrics) fields.push(deferredSince ?? null);
  if (metrics) fields.push(metrics);
  return JSON.stringify(fields) + "\n";
}

/** @param {string} line */
function parsed(line) {
  const fields = JSON.parse(line);
  if (!Array.isArray(fields) || fields.length > 4) throw new TypeError("a reward is a list");
  return checkedReward(fields[0], fields[1], fields[2], fields[3]);
}

/**
 * Note that this process uses the file. Node has no file locks: a process that was killed leaves its
 * note, which is ignored once there is no such process.
 * @param {string} file
 */
function lock(file) {
  const note = `${file}.lock`;
  try {
    fs.writeFileSync(note, String(process.pid), { flag: "wx" }); // fails if there is one
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    const other = Number(fs.readFileSync(note, "utf8"));
    if (inUse.has(file) || (other !== process.pid && isRunning(other))) {
      throw new Error(`${file} is used by another client, of process ${other}; see ${note}`);
    }
    fs.writeFileSync(note, String(process.pid));
  }
  inUse.add(file);
}

/** @param {number} pid */
function isRunning(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
