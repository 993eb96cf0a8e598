// Notes, labels and the archive of a campaign.

import { campaignPath, post } from "./api.js";
import { byId, say } from "./dom.js";

/** The forms. `onDone` is called with the campaign after a change. */
export function filing(campaign, scopes, onDone) {
  const allowed = scopes.has("admin");
  let status = null;

  async function send(word, body, error) {
    try {
      say(error, "");
      onDone(await post(campaignPath(campaign, word), body));
      return true;
    } catch (problem) {
      say(error, problem.message);
      return false;
    }
  }

  for (const [form, handle] of Object.entries({
    "note-form": async () => {
      if (await send("notes", { text: byId("note").value }, byId("note-error"))) byId("note").value = "";
    },
    "labels-form": () => send("labels", { labels: listed(byId("labels").value) }, byId("labels-error")),
  })) {
    byId(form).hidden = !allowed;
    byId(form).addEventListener("submit", (event) => {
      event.preventDefault();
      handle();
    });
    byId(form).addEventListener("input", () => say(byId(form).querySelector(".error"), ""));
  }
  byId("archive").hidden = !allowed;
  byId("archive").addEventListener("click", () =>
    send("archive", { archived: !status.archived }, byId("labels-error")));

  return {
    show(now) {
      status = now;
      say(byId("archive"), now.archived ? "Take out of the archive" : "Archive");
      if (document.activeElement !== byId("labels")) byId("labels").value = now.labels.join(", ");
    },
  };
}

const listed = (text) => text.split(",").map((label) => label.trim()).filter(Boolean);
