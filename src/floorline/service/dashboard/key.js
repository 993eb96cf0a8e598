// Asks for a key, once, where the service has keys.

import { byId, el, say } from "./dom.js";
import { access, forget, keep } from "./session.js";

/** The scopes of the key, which is asked for until it may at least read. */
export async function enter() {
  let found = await access();
  while (!found.scopes.has("read")) found = await askUntilGiven(found);
  const button = byId("forget-key");
  button.hidden = !found.required;
  button.addEventListener("click", () => {
    forget();
    location.reload();
  });
  return found.scopes;
}

const LACKS_READ = "This key cannot read campaigns: it lacks the scope read.";

function askUntilGiven(before) {
  const error = el("p", { id: "key-error", class: "error", role: "alert" });
  const input = el("input", {
    id: "key", type: "password", autocomplete: "off", required: true, "aria-describedby": "key-error",
  });
  const form = el("form", {},
    el("h2", { id: "key-title" }, "This service needs a key"),
    el("p", { class: "hint" }, "Made with: floorline key create. It is kept until this tab is closed."),
    el("div", { class: "field" }, el("label", { for: "key" }, "Key"), input), error,
    el("div", { class: "buttons" }, el("button", { class: "primary" }, "Use this key")));
  const dialog = el("dialog", { "aria-labelledby": "key-title" }, form);
  if (before.scopes.size > 0) say(error, LACKS_READ);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      keep(input.value.trim());
      const found = await access().catch(() => null);
      if (found?.scopes.has("read")) {
        dialog.remove();
        resolve(found);
        return;
      }
      forget();
      input.setAttribute("aria-invalid", "true");
      if (found === null) say(error, "The service does not answer.");
      else say(error, found.scopes.size > 0 ? LACKS_READ : "This key is not valid.");
      input.focus();
    });
  });
}
