// Requests to the service.

import { credentials, forget } from "./session.js";

/** What the service refused, in its own words. */
export class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** The answer to a request, as it comes. Throws a Refusal, or TypeError if nobody answers. */
export async function request(path, options = {}) {
  const headers = { ...credentials(), ...options.headers };
  const answer = await fetch(path, { ...options, headers });
  if (answer.ok) return answer;
  if (answer.status === 401) {
    forget();
    location.reload(); // and ask for a key
  }
  const problem = await answer.json().catch(() => ({}));
  throw new Refusal(answer.status, problem.detail ?? `the service answered ${answer.status}`);
}

/** What the service answers. */
export async function get(path) {
  return (await request(path)).json();
}

/** What the service answers to something sent. */
export async function post(path, body) {
  const sent = body === undefined ? {} : {
    body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
  };
  return (await request(path, { method: "POST", ...sent })).json();
}

/** The path of a campaign, or of something of it. */
export function campaignPath(name, ...more) {
  return ["/v1/campaigns", encodeURIComponent(name), ...more].join("/");
}
