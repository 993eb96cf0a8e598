// Pause, resume, a new epoch, finish and stop.

import { campaignPath, post } from "./api.js";
import { byId, el, say } from "./dom.js";

const WORDS = ["pause", "resume", "start-epoch", "finish", "stop"];
const ASK = {
  finish: { title: "Finish with a winner?", arm: "Everybody gets", yes: "Finish",
    words: "From now on everybody gets this arm and no other: there is no control group, and a drift "
      + "alarm changes nothing. Decisions and rewards are still recorded. This cannot be undone." },
  stop: { title: "Stop this campaign for good?", arm: "Play instead", yes: "Stop for good",
    words: "Nothing more is decided or recorded, except rewards of decisions made so far. Programs that "
      + "ask are told to play this arm instead. This cannot be undone." },
  "start-epoch": { title: "Start a new epoch?", yes: "Start it",
    words: "Counts, intervals and budget begin at zero, and the promise holds for the new epoch by "
      + "itself. Do this after the default has changed." },
};

/** The buttons of a campaign. `onDone` hears of the campaign after a change. */
export function controls(campaign, scopes, onDone) {
  const allowed = scopes.has("admin");
  let status = null;
  byId("hint").hidden = allowed;
  say(byId("hint"), "This key may look, and not change anything: it lacks the scope admin.");
  for (const word of WORDS) {
    byId(word).addEventListener("click", async () => {
      const body = word in ASK ? await asked(word, status) : undefined;
      if (body === null) return;
      try {
        say(byId("action-error"), "");
        onDone(await post(campaignPath(campaign, word), body));
      } catch (error) {
        say(byId("action-error"), error.message);
      }
    });
  }
  return {
    show(now) {
      status = now;
      const { state } = now;
      const ended = ["stopped", "finished"].includes(state);
      moveFocus(state === "paused" ? "pause" : "resume", state === "paused" ? "resume" : "pause");
      for (const word of WORDS) {
        byId(word).disabled = !allowed || (word === "stop" ? state === "stopped" : ended);
      }
      byId("finish").className = now.winner === null || ended ? "" : "primary";
      byId("start-epoch").className = state === "drift" ? "primary" : "";
    },
  };
}

/** Hide one button and show the other in its place, the focus with it. */
function moveFocus(from, to) {
  const focused = document.activeElement === byId(from);
  byId(from).hidden = true;
  byId(to).hidden = false;
  if (focused) byId(to).focus();
}

/** What to send after a question; null if the answer is no. */
function asked(word, status) {
  const { title, words, arm, yes } = ASK[word];
  const names = status.arms.map(({ name }) => name);
  const proposed = status.serves ?? (word === "finish" ? status.winner : null) ?? names[0];
  const choice = arm === undefined ? null : el("select", { id: "ask-arm" }, names.map((name, i) =>
    el("option", { value: name, selected: name === proposed }, i === 0 ? `${name} (default)` : name)));
  const dialog = el("dialog", { "aria-labelledby": "ask-title", "aria-describedby": "ask-words" },
    el("h2", { id: "ask-title" }, title), el("p", { id: "ask-words" }, words),
    choice ? el("div", { class: "field" }, el("label", { for: "ask-arm" }, arm), choice) : null,
    el("form", { method: "dialog", class: "buttons" },
      el("button", { value: "", autofocus: true }, "Cancel"),
      el("button", { class: "danger", value: "yes" }, yes)));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      const body = choice ? { arm: choice.value } : { epoch: status.epoch };
      resolve(dialog.returnValue === "yes" ? body : null);
    });
  });
}
