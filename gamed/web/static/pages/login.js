// The administrator's login, with an account of the console.

import { post, refresh, session } from "../api.js";
import { el, replace } from "../dom.js";
import { button, ask as dialog, heading, labelled } from "../parts.js";
import { translator } from "../words.js";

export const words = {
  en: {
    loginTitle: "Administrator",
    loginHelp: "Log in with an account of the console.",
    password: "Password",
  },
  de: {
    loginTitle: "Verwaltung",
    loginHelp: "Melde dich mit einem Konto der Konsole an.",
    password: "Passwort",
  },
};
const t = translator(words);

/** Shows the login page, for bookmarks. It goes on to the lobby when the administrator has logged in. */
export async function show(view) {
  if (session.admin) return view.go("/", { replaces: true });
  const enter = async () => (await ask(view.signal)) && view.go("/");
  view.entitle(t("login"));
  replace(
    view.root,
    heading(t("loginTitle")),
    el("p", {}, t("loginHelp")),
    el("p", {}, button(t("login"), enter, { class: "primary" })),
  );
}

/** Asks for the user and the password. Resolves to true if the administrator has logged in. */
export async function ask(signal) {
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
    { signal },
  );
  return done === true;
}
