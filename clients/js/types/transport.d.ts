/** Sends requests. One may arrive more than once, so requests must be idempotent. */
export declare class Transport {
    #private;
    /**
     * @param {string} url
     * @param {string | null | undefined} key
     */
    constructor(url: string, key: string | null | undefined);
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
    post(path: string, body: string, timeoutMs: number, keepalive?: boolean): Promise<{
        status: number;
        text: string;
    }>;
}
