// What was done to a campaign, its settings and its exports.

import { campaignPath, get, request } from "./api.js";
import { byId, el } from "./dom.js";
import { time } from "./format.js";
import { credentials } from "./session.js";
import { table } from "./table.js";

/** What was done to the campaign, the newest first. */
export function eventList(campaign) {
  const host = byId("events");
  const load = async () => {
    const path = `${campaignPath(campaign, "events")}?order=newest&limit=100&kind=changes`;
    const { events } = await get(path);
    const rows = events.map((event) => [time(event.time), event.words]);
    host.replaceChildren(table("What happened", [{ name: "Time" }, { name: "What" }], rows));
  };
  load();
  return { refresh: load };
}

export function showSettings(settings) {
  const details = byId("settings");
  const rows = Object.entries(settings).map(([name, value]) =>
    [el("code", {}, name), Array.isArray(value) ? value.join(", ") : String(value ?? "not given")]);
  const all = table("Settings", [{ name: "Setting" }, { name: "Value" }], rows);
  details.replaceChildren(details.firstElementChild, all);
}

/** Links to the exports and to the report. With a key they are fetched, since a link cannot show it. */
export function exportLinks(campaign) {
  for (const format of ["csv", "jsonl"]) {
    link(byId(`export-${format}`), `${campaignPath(campaign, "export")}?format=${format}`, `${campaign}.${format}`);
  }
  link(byId("report"), campaignPath(campaign, "report"), `${campaign}-report.html`);
}

function link(anchor, path, file) {
  anchor.href = path;
  anchor.addEventListener("click", async (event) => {
    if (!("Authorization" in credentials())) return;
    event.preventDefault();
    const whole = await (await request(path)).blob();
    const saved = el("a", { href: URL.createObjectURL(whole), download: file });
    saved.click();
    URL.revokeObjectURL(saved.href);
  });
}
