// The administrator logs in, with the console's user.

import { post, refresh } from "../api.js";
import { el } from "../dom.js";
import { ask as dialog, labelled } from "../parts.js";
import { t } from "../words.js";

/** Asks for user and password; resolves to whether the administrator is logged in now. */
export async function ask() {
  const user = el("input", { name: "user", autocomplete: "username", required: true, autofocus: true });
  const password = el("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
  const done = await dialog(
    t("loginTitle"),
    [el("p", { class: "muted" }, t("loginHelp")), labelled(t("user"), user), labelled(t("password"), password)],
    t("login"),
    async () => {
      await post("/session/login", { user: user.value, password: password.value });
      await refresh();
      return true;
    },
  );
  return done === true;
}
