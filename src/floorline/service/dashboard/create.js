// The form that opens a campaign.

import { post } from "./api.js";
import { byId, say } from "./dom.js";
import { exactPercent } from "./format.js";
import { guardrailField, guardrailRows, guardrailsOf } from "./guardrail_rows.js";

const NUMBERS = ["max_loss", "delta", "low", "high", "window", "default_mean", "holdback", "drift_level"];
const BEYOND = {
  refuse: "Its decision then counts as unknown. The page shows how many were refused.",
  clip: "The promise is then about clipped rewards.",
};

const FLOORS = {
  "": "Expected reward, if the default does not change and the proposer does not look at the visitor. "
    + "Automatic: joint, or joint-steady with two arms; confidence if rewards may be below 0 or decisions voided.",
  confidence: "Expected reward, if the arms do not change and the proposer does not look at the visitor.",
  joint: "The same at about half the price; the challengers may change.",
  "joint-steady": "The same for a single challenger that does not change: better if its rewards come late.",
  randomised: "Reward received, against the default in the very same rounds, whatever changes and whoever proposes. "
    + "It explores later.",
};
const SHARE = "A share from 0 to 1, such as 0.1 for 10%.";
const isShare = (value) => value >= 0 && value <= 1;
const HOLDBACK = { randomised: "0.05" };

/** Lets the button open the form. `onDone` is called with the name of the new campaign. */
export function creation(button, onDone) {
  const dialog = byId("create");
  const form = byId("create-form");
  button.addEventListener("click", () => dialog.showModal());
  byId("create-cancel").addEventListener("click", () => dialog.close());
  form.addEventListener("input", (event) => {
    forgive(form, event.target.name);
    hints(form);
  });
  byId("floor").addEventListener("change", () => {
    byId("holdback").defaultValue = HOLDBACK[byId("floor").value] ?? "0.02"; // shown unless one was entered
  });
  guardrailRows();
  hints(form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clear(form);
    const wrong = unreadable(form);
    if (wrong !== null) {
      blame(form, ...wrong);
      return;
    }
    try {
      const made = await post("/v1/campaigns", settingsOf(form));
      dialog.close();
      onDone(made.name);
    } catch (error) {
      blame(form, error.message);
    }
  });
}

/** Say what the numbers mean. */
function hints(form) {
  const loss = byId("max_loss").valueAsNumber;
  const delta = byId("delta").valueAsNumber;
  const floor = `The floor: ${exactPercent(1 - loss)} of the default's reward.`;
  const nothing = loss === 0 ? " Nothing may be lost, so no challenger is ever tried." : "";
  say(byId("max_loss-hint"), isShare(loss) ? floor + nothing : SHARE);
  say(byId("delta-hint"), isShare(delta) ? `Confidence: ${exactPercent(1 - delta)}, for the whole campaign.` : SHARE);
  say(byId("low-hint"), byId("low").valueAsNumber < 0
    ? "Below 0, no challenger is tried before the default's mean is surely above 0." : "");
  say(byId("beyond-hint"), BEYOND[byId("beyond").value]);
  say(byId("floor-hint"), FLOORS[byId("floor").value]);
  const waits = ["zero", "random"].includes(form.elements.missing.value);
  byId("window-field").hidden = !waits;
  byId("window").disabled = !waits;
  say(byId("window-hint"), "Choose the shortest time in which nearly every report arrives: what comes later "
    + "is not used.");
}

/**
 * What is wrong with the first number that is missing or is not one, and its field; or null. The browser gives both
 * as an empty text, for which the service would take its default.
 */
function unreadable(form) {
  for (const field of form.querySelectorAll("input[type=number]:enabled")) {
    const label = field.name === "guardrails" ? `${field.labels[0].textContent}: ` : "";
    if (field.validity.badInput) return [`${field.name}: ${label}must be a number`, field];
    if (field.validity.valueMissing) return [`${field.name}: ${label}must be given`, field];
  }
  return null;
}

function settingsOf(form) {
  const values = Object.fromEntries(new FormData(form));
  const arms = composed(values.arms).split("\n").map((line) => line.trim()).filter(Boolean);
  const { missing, beyond } = values;
  const settings = { name: composed(values.name).trim(), arms, missing, beyond };
  for (const name of ["floor", "policy"]) {
    if (values[name] !== "") settings[name] = values[name];
  }
  if (values.unit.trim() !== "") settings.unit = values.unit.trim();
  for (const name of NUMBERS) {
    if ((values[name] ?? "").trim() !== "") settings[name] = Number(values[name]);
  }
  if ("window" in settings) settings.window *= Number(byId("window-unit").value);
  for (const name of ["voids", "arms_may_change"]) if (name in values) settings[name] = true;
  const guardrails = guardrailsOf();
  if (guardrails.length > 0) settings.guardrails = guardrails;
  return settings;
}

/** Text in the one form in which names are compared: an accented letter is one character. */
const composed = (text) => text.normalize("NFC");

function clear(form) {
  form.querySelectorAll("[aria-invalid]").forEach((field) => field.removeAttribute("aria-invalid"));
  form.querySelectorAll(".error").forEach((place) => say(place, ""));
}

/** Take back what was said of a field that is being corrected. */
function forgive(form, name) {
  form.querySelectorAll(`[name="${name}"]`).forEach((field) => field.removeAttribute("aria-invalid"));
  for (const place of [byId(`${name}-error`), byId("create-error")]) if (place) say(place, "");
}

/** Show what was refused at the field that it names. */
function blame(form, detail, wrong) {
  const named = detail.match(/\$\.(\w+)/)?.[1] ?? detail.match(/^(\w+)[.:[]/)?.[1];
  const field = wrong ?? guardrailField(detail) ?? (named && form.querySelector(`[name="${named}"]`));
  if (!field) {
    say(byId("create-error"), detail);
    return;
  }
  say(byId(`${named}-error`) ?? byId("create-error"), plain(detail, named));
  field.setAttribute("aria-invalid", "true");
  field.closest("details")?.setAttribute("open", "");
  field.focus();
}

/** The service's words without those that only a program needs, such as the name of the field. */
function plain(detail, named) {
  // The service counts the time to wait in seconds, and the form in a unit of choice.
  if (named === "window") return "must be a time above 0";
  return detail.replace(/ - at `.*`$/, "").replaceAll("`", "").replace(`${named}: `, "");
}
