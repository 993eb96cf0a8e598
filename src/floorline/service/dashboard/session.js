// The key of this tab, and what it may do. It is forgotten with the tab.

const PLACE = "floorline-key";

export const keep = (key) => sessionStorage.setItem(PLACE, key);
export const forget = () => sessionStorage.removeItem(PLACE);

/** The headers that carry the key. */
export function credentials() {
  const key = sessionStorage.getItem(PLACE);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

/** Whether the service has keys, and the scopes of ours. */
export async function access() {
  const answer = await fetch("/dashboard/access", { headers: credentials() });
  if (!answer.ok) throw new Error("the service does not answer");
  const found = await answer.json();
  return { required: found.required, scopes: new Set(found.scopes) };
}
