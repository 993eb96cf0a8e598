// Requests to one service, each with one deadline for everything it takes.

import { ServiceError } from "./messages.js";

const ATTEMPTS = 3;

/** The wait before the second attempt; twice that before the third. */
const RETRY_PAUSE_MS = 10;

const RETRIED_STATUSES = new Set([502, 503, 504]);

/** In a body; far above what the service sends, and little enough for the page's memory. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

const KEY = /^[!-~]+$/;

/** Sends requests. One may arrive more than once, so requests must be idempotent. */
export class Transport {
  #base;
  /** @type {Record<string, string>} */
  #headers = { "Content-Type": "application/json" };

  /**
   * @param {string} url
   * @param {string | null | undefined} key
   */
  constructor(url, key) {
    if (!/^https?:\/\/[^/]/.test(url)) {
      throw new TypeError(`url: must be like http://127.0.0.1:8400, not ${JSON.stringify(url)}`);
    }
    this.#base = url.replace(/\/+$/, "");
    if (key != null) {
      if (!KEY.test(key)) {
        throw new TypeError("key: must be printable ASCII without spaces or line ends");
      }
      this.#headers.Authorization = `Bearer ${key}`;
    }
  }

  /**
   * Status and text of the response, after up to three attempts.
   *
   * Throws ServiceError if there was none, with the reason `timeout` or `unreachable`.
   * @param {string} path
   * @param {string} body
   * @param {number} timeoutMs For everything: connecting, all attempts, reading the response.
   * @param {boolean} [keepalive] Whether it is sent even if the page is left meanwhile.
   * @returns {Promise<{ status: number, text: string }>}
   */
  async post(path, body, timeoutMs, keepalive = false) {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
        try {
          const response = await this.#attempt(path, body, signal, keepalive);
          if (!RETRIED_STATUSES.has(response.status)) return response;
        } catch (error) {
          if (signal.aborted) throw error;
        }
        await pause(RETRY_PAUSE_MS * attempt, signal);
      }
      return await this.#attempt(path, body, signal, keepalive);
    } catch (error) {
      if (signal.aborted) throw new ServiceError("timeout", `no response within ${timeoutMs} ms`);
      throw new ServiceError("unreachable", causeOf(error));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * @param {string} path
   * @param {string} body
   * @param {AbortSignal} signal
   * @param {boolean} keepalive
   */
  async #attempt(path, body, signal, keepalive) {
    const response = await fetch(this.#base + path, {
      method: "POST",
      headers: this.#headers,
      body,
      signal,
      keepalive,
      redirect: "error",
      credentials: "omit",
      cache: "no-store",
    });
    return { status: response.status, text: await textOf(response, signal) };
  }
}

/**
 * The text of a response's body.
 *
 * In Node, a signal no longer ends the body of a response once garbage has been collected
 * (https://github.com/nodejs/undici/issues/4068), so the body is cancelled here.
 * @param {Response} response
 * @param {AbortSignal} signal Ends it with an error.
 */
async function textOf({ body }, signal) {
  if (!body) return "";
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel);
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > MAX_RESPONSE_BYTES) {
        throw new Error(`a response of more than ${MAX_RESPONSE_BYTES} bytes`);
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel(); // without effect on a body that has been read
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal Ends the pause with an error.
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort);
  });
}

/**
 * Node's "fetch failed" says why in its cause.
 * @param {unknown} error
 */
function causeOf(error) {
  const { cause, message } = /** @type {Error & { cause?: Error & { code?: string } }} */ (error);
  return cause ? cause.message || String(cause.code) : message;
}
