// The page of one campaign.

import { campaignPath, get } from "./api.js";
import { charts } from "./charts.js";
import { controls } from "./controls.js";
import { deletion } from "./deletion.js";
import { byId, say } from "./dom.js";
import { eventList, exportLinks, showSettings } from "./events.js";
import { showGuardrails } from "./guardrails.js";
import { showHealth } from "./health.js";
import { filing } from "./filing.js";
import { enter } from "./key.js";
import { decisionLog } from "./log.js";
import { showPrice } from "./price.js";
import { Series } from "./series.js";
import { follow } from "./stream.js";
import { showTexts } from "./texts.js";
import { showTiles, showVerdict } from "./verdict.js";

const campaign = decodeURIComponent(location.pathname.split("/").at(-1));

/** Say on an otherwise empty page what is wrong. */
function fail(title, why) {
  byId("main").remove();
  say(byId("failed-title"), title);
  say(byId("failed-why"), why);
  byId("failed").hidden = false;
}

function connection(trouble) {
  say(byId("connection"), trouble === null ? "Live" : `${trouble} Trying again…`);
  byId("connection").className = `connection ${trouble === null ? "live" : "gone"}`;
}

/** What to say of a stream that broke off. */
const broken = (why) =>
  (why?.status ? `No live updates: ${why.message}.` : "The service does not answer.");

function show(answer, past, scopes) {
  const { settings } = answer;
  const series = new Series(past);
  const drawn = charts(settings);
  const log = decisionLog(campaign, settings);
  const events = eventList(campaign);
  const changed = (answered) => {
    showSettings(answered.settings);
    update(answered.status);
    events.refresh();
  };
  const buttons = controls(campaign, scopes, changed);
  const forms = filing(campaign, scopes, changed);
  const removal = deletion(campaign, scopes);
  let status = null;

  function update(now) {
    if (status?.decisions !== now.decisions || status?.pending !== now.pending) log.refresh();
    status = now;
    showTexts(now);
    showVerdict(now);
    showTiles(now, settings.unit);
    drawn.show(series, now);
    showHealth(now, settings.missing);
    showPrice(now, settings);
    showGuardrails(now);
    buttons.show(now);
    forms.show(now);
    removal.show(now);
  }

  async function loadSeries() {
    series.load(await get(campaignPath(campaign, "series")));
    drawn.show(series, status);
  }

  for (const place of document.querySelectorAll(".unit")) {
    say(place, settings.unit === null ? "" : ` (${settings.unit})`);
  }
  showSettings(settings);
  exportLinks(campaign, settings);
  update(answer.status);
  byId("main").setAttribute("aria-busy", "false");
  follow(campaignPath(campaign, "live"), (news) => {
    connection(news.status === null ? `The ledger cannot be used: ${news.problem}.` : null);
    if (news.status === null) return;
    series.append(news.point);
    update(news.status);
  }, (there, why) => {
    connection(there ? null : broken(why));
    if (there) loadSeries().catch(() => {}); // what happened in between
  });
}

async function start() {
  document.title = `${campaign} – Floorline`;
  say(byId("name"), campaign);
  try {
    const scopes = await enter();
    const answer = await get(campaignPath(campaign));
    if (answer.available) show(answer, await get(campaignPath(campaign, "series")), scopes);
    else fail(`${campaign} cannot be used`, answer.problem);
  } catch (error) {
    if (error.status === 404) fail("No such campaign", error.message);
    else fail("The service does not answer", error.message);
  }
}

start();
