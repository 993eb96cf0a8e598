/**
 * Return `value` if it is a finite number; throw otherwise.
 * @param {string} name
 * @param {unknown} value
 * @returns {number}
 */
export declare function finite(name: string, value: unknown): number;
/**
 * Return `value` if it is above 0 and at most `high`; throw otherwise.
 * @param {string} name
 * @param {unknown} value
 * @param {number} high
 * @returns {number}
 */
export declare function positive(name: string, value: unknown, high: number): number;
/**
 * Return `ticket` if it has the form of the service's tickets; throw otherwise.
 * @param {unknown} ticket
 * @returns {string}
 */
export declare function ticketId(ticket: unknown): string;
/**
 * Return `metrics` if it is an object of finite numbers; throw otherwise.
 * @param {unknown} metrics
 * @returns {Record<string, number>}
 */
export declare function metricsOf(metrics: unknown): Record<string, number>;
