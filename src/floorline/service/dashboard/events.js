// What was done to a campaign, its settings and its exports.

import { campaignPath, get, request } from "./api.js";
import { byId, el } from "./dom.js";
import { time } from "./format.js";
import { credentials } from "./session.js";
import { table } from "./table.js";

const WORDS = { opened: "opened", paused: "paused", resumed: "resumed" };

/** The events that are not decisions or rewards, read when they are looked at. */
export function eventList(campaign) {
  const details = byId("events");
  const load = async () => {
    const path = `${campaignPath(campaign, "events")}?order=newest&limit=100&kind=changes`;
    const { events } = await get(path);
    const rows = events.map((event) => [time(event.time), String(event.seq), words(event)]);
    const columns = [{ name: "Time" }, { name: "Event", number: true }, { name: "What" }];
    details.replaceChildren(details.firstElementChild, table("Events", columns, rows));
  };
  details.addEventListener("toggle", () => details.open && load());
  return { refresh: () => details.open && load() };
}

function words({ kind, body }) {
  if (kind !== "changed") return WORDS[kind] ?? kind;
  return Object.entries(body).map(([name, value]) =>
    (value === true ? name : `${name}: ${value}`)).join(", ");
}

export function showSettings(settings) {
  const details = byId("settings");
  const rows = Object.entries(settings).map(([name, value]) =>
    [el("code", {}, name), Array.isArray(value) ? value.join(", ") : String(value ?? "not given")]);
  const all = table("Settings", [{ name: "Setting" }, { name: "Value" }], rows);
  details.replaceChildren(details.firstElementChild, all);
}

/** Links to the exports. With a key they are fetched, since a link cannot show it. */
export function exportLinks(campaign) {
  for (const format of ["csv", "jsonl"]) {
    const link = byId(`export-${format}`);
    link.href = `${campaignPath(campaign, "export")}?format=${format}`;
    link.addEventListener("click", async (event) => {
      if (!("Authorization" in credentials())) return;
      event.preventDefault();
      const whole = await (await request(link.href)).blob();
      const saved = el("a", { href: URL.createObjectURL(whole), download: `${campaign}.${format}` });
      saved.click();
      URL.revokeObjectURL(saved.href);
    });
  }
}
