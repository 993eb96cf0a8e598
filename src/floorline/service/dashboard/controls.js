// Pause, resume, a new epoch, finish and stop; and arms that come and go.

import { campaignPath, post } from "./api.js";
import { byId, el, say } from "./dom.js";

const ARM_WORDS = ["add-arm", "retire-arm", "promote-arm"];
const WORDS = ["pause", "resume", "start-epoch", "finish", "stop", ...ARM_WORDS];
const running = ({ arms, retired }) => arms.slice(1).map(({ name }) => name).filter((name) => !retired.includes(name));
const ASK = {
  "add-arm": { title: "Add a challenger?", arm: "Its name", yes: "Add it", typed: true,
    words: "It is tried from the next decision on, as far as the budget allows." },
  "retire-arm": { title: "Retire a challenger?", arm: "Retire", yes: "Retire it", names: running,
    words: "It is no longer played. Its past decisions stay charged to the budget, and rewards that still "
      + "arrive count. This cannot be undone." },
  "promote-arm": { title: "Make a challenger the default?", arm: "Promote", yes: "Promote it", names: running,
    words: "It is the default from the next decision on, and the default becomes a challenger. The promise is "
      + "relative to whichever arm was the default at the time." },
  finish: { title: "Finish with a winner?", arm: "Everybody gets", yes: "Finish",
    words: "From now on everybody gets this arm and no other: there is no control group, and a drift "
      + "alarm changes nothing. Decisions and rewards are still recorded. This cannot be undone." },
  stop: { title: "Stop this campaign for good?", arm: "Play instead", yes: "Stop for good",
    words: "No more decisions are made, and only rewards of earlier decisions are recorded. Clients "
      + "are told to play this arm instead. This cannot be undone." },
  "start-epoch": { title: "Start a new epoch?", yes: "Start it",
    words: "Counts, intervals and budget start at zero, and the new epoch has a promise of its own. "
      + "Do this after the default has changed." },
};

/** The buttons of a campaign. `onDone` is called with the campaign after a change. */
export function controls(campaign, scopes, onDone) {
  const allowed = scopes.has("admin");
  let status = null;
  byId("hint").hidden = allowed;
  say(byId("hint"), "This key can read but not change anything: it lacks the scope admin.");
  for (const word of WORDS) {
    byId(word).addEventListener("click", async () => {
      const body = word in ASK ? await asked(word, status) : undefined;
      if (body === null) return;
      try {
        say(byId("action-error"), "");
        // The API takes a repeated request as done; a person should hear that nothing was added.
        if (word === "add-arm" && running(status).includes(body.arm)) {
          throw new Error(`arm: ${body.arm} is a challenger already`);
        }
        onDone(await post(campaignPath(campaign, word), body));
      } catch (error) {
        say(byId("action-error"), error.message);
        byId("action-error").scrollIntoView({ block: "nearest" });
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
        const none = ASK[word]?.names?.(now).length === 0;
        byId(word).disabled = !allowed || none || (word === "stop" ? state === "stopped" : ended);
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

/** A choice among arms. */
function selection(status, names, word) {
  const best = ["finish", "promote-arm"].includes(word) ? status.winner : null;
  const proposed = status.serves ?? best ?? names[0];
  const shown = (name) => (name === status.arms[0].name ? `${name} (default)` : name);
  return el("select", { id: "ask-arm" }, names.map((name) =>
    el("option", { value: name, selected: name === proposed }, shown(name))));
}

/** What to send after a question; null if the answer is no. */
function asked(word, status) {
  const { title, words, arm, yes, typed, names: some } = ASK[word];
  const choice = arm === undefined ? null : typed ? el("input", { id: "ask-arm", autocomplete: "off" })
    : selection(status, some?.(status) ?? status.arms.map(({ name }) => name), word);
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
      const body = choice ? { arm: choice.value.normalize("NFC").trim() } : { epoch: status.epoch };
      resolve(dialog.returnValue === "yes" ? body : null);
    });
  });
}
