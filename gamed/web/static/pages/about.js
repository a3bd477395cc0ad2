// The page "About".

import { session } from "../api.js";
import { el, replace } from "../dom.js";
import { gameName, heading, link } from "../parts.js";
import { t } from "../words.js";

/** Shows the page. */
export async function show(view) {
  view.entitle(t("about"));
  const games = session.games.map((game) => gameName(game.kind)).join(", ");
  replace(
    view.root,
    heading(`gamed ${session.version}`),
    el("p", {}, t("aboutText")),
    games && el("p", {}, `${t("games")}: ${games}`),
    el("p", {}, link("/api/v1/openapi.json", { download: "" }, t("aboutApi"))),
    el("p", {}, link("/", {}, t("toLobby"))),
  );
}
