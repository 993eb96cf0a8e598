// Pause, resume, stop, and a new epoch.

import { campaignPath, post } from "./api.js";
import { byId, el, say } from "./dom.js";

const ASK = {
  stop: ["Stop this campaign for good?", "Nothing more is decided, and it cannot be started again. "
    + "Rewards of decisions made so far are still taken in.", "Stop for good"],
  "start-epoch": ["Start a new epoch?", "Counts, intervals and budget begin at zero, and the promise "
    + "holds for the new epoch by itself. Do this after the default has changed.", "Start it"],
};

/** The buttons of a campaign. `onDone` hears of the campaign after a change. */
export function controls(campaign, scopes, onDone) {
  const allowed = scopes.has("admin");
  let epoch = null;
  byId("hint").hidden = allowed;
  say(byId("hint"), "This key may look, and not change anything: it lacks the scope admin.");
  for (const word of ["pause", "resume", "start-epoch", "stop"]) {
    byId(word).addEventListener("click", async () => {
      if (word in ASK && !(await confirmed(...ASK[word]))) return;
      try {
        say(byId("action-error"), "");
        onDone(await post(campaignPath(campaign, word), word === "start-epoch" ? { epoch } : undefined));
      } catch (error) {
        say(byId("action-error"), error.message);
      }
    });
  }
  return {
    show(state, now) {
      epoch = now;
      const ended = state === "stopped";
      moveFocus(state === "paused" ? "pause" : "resume", state === "paused" ? "resume" : "pause");
      for (const word of ["pause", "resume", "start-epoch", "stop"]) {
        byId(word).disabled = !allowed || ended;
      }
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

function confirmed(title, words, yes) {
  const dialog = el("dialog", { "aria-labelledby": "ask-title", "aria-describedby": "ask-words" },
    el("h2", { id: "ask-title" }, title), el("p", { id: "ask-words" }, words),
    el("form", { method: "dialog", class: "buttons" },
      el("button", { value: "", autofocus: true }, "Cancel"),
      el("button", { class: "danger", value: "yes" }, yes)));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
