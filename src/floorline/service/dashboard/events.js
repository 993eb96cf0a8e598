// What was done to a campaign, its settings and its exports.

import { campaignPath, get, request } from "./api.js";
import { byId, el, say } from "./dom.js";
import { setting, time } from "./format.js";
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
  const refresh = () => load().catch(() => {}); // the stream says when nobody answers
  refresh();
  return { refresh };
}

export function showSettings(settings) {
  const details = byId("settings");
  const rows = Object.entries(settings).map(([name, value]) =>
    [el("code", {}, name), setting(value)]);
  const all = table("Settings", [{ name: "Setting" }, { name: "Value" }], rows);
  details.replaceChildren(details.firstElementChild, all);
}

/** Links to the exports and to the report. With a key they are fetched, since a link cannot show it. */
export function exportLinks(campaign, { guardrails }) {
  const formats = ["csv", "jsonl", "parquet"];
  const tables = Object.entries(TABLES).filter(([table]) => table !== "guardrails" || guardrails.length > 0);
  byId("exports").replaceChildren(...tables.flatMap(([table, words]) => [
    el("span", {}, `${words}:`), ...formats.map((format) => download(campaign, table, format))]));
  link(byId("report"), campaignPath(campaign, "report"), `${campaign}-report.html`);
}

const TABLES = {
  decisions: "All decisions with their rewards", summary: "Summary", arms: "Arms", series: "How it went",
  guardrails: "Guardrails", changes: "What happened", settings: "Settings",
};
const NAMES = { csv: "CSV", jsonl: "JSON lines", parquet: "Parquet" };

function download(campaign, table, format) {
  const anchor = el("a", { id: `export-${table}-${format}`, download: true,
    "aria-label": `${TABLES[table]} as ${NAMES[format]}` }, NAMES[format]);
  const file = table === "decisions" ? campaign : `${campaign}-${table}`;
  link(anchor, `${campaignPath(campaign, "export")}?table=${table}&format=${format}`, `${file}.${format}`);
  return anchor;
}

function save(content, file) {
  const saved = el("a", { href: URL.createObjectURL(content), download: file });
  saved.click();
  URL.revokeObjectURL(saved.href);
}

function link(anchor, path, file) {
  anchor.href = path;
  anchor.addEventListener("click", async (event) => {
    if (!("Authorization" in credentials())) return;
    event.preventDefault();
    try {
      save(await (await request(path)).blob(), file);
    } catch (error) {
      say(byId("action-error"), error.message);
    }
  });
}
