// Deleting a campaign that has ended, once its name was typed.

import { campaignPath, post } from "./api.js";
import { byId, el, say } from "./dom.js";

/** The button. `show` lets it be used once the campaign has ended. */
export function deletion(campaign, scopes) {
  const button = byId("delete");
  button.hidden = !scopes.has("admin");
  button.addEventListener("click", () => ask(campaign));
  return {
    show({ serves }) {
      button.disabled = serves === null;
      button.title = serves === null ? "Only a campaign that was finished or stopped can be deleted" : "";
    },
  };
}

function ask(campaign) {
  const typed = el("input", { id: "delete-name", autocomplete: "off", spellcheck: "false",
    "aria-describedby": "delete-words delete-error" });
  const error = el("p", { id: "delete-error", class: "error", role: "alert" });
  const yes = el("button", { class: "danger", disabled: true }, "Delete for good");
  const form = el("form", {},
    el("h2", { id: "delete-title" }, "Delete this campaign?"),
    el("p", { id: "delete-words" }, "All of its decisions, rewards and notes are deleted, and its tickets are no "
      + "longer known. Programs that ask get an error and play their own default. This cannot be undone."),
    el("div", { class: "field" }, el("label", { for: "delete-name" }, `To confirm, type ${campaign}`), typed), error,
    el("div", { class: "buttons" },
      el("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), yes));
  const dialog = el("dialog", { "aria-labelledby": "delete-title" }, form);
  typed.addEventListener("input", () => { yes.disabled = typed.value !== campaign; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post(campaignPath(campaign, "delete"), { name: typed.value });
      location.assign("/");
    } catch (problem) {
      say(error, problem.message);
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
