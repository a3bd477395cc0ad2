// The page "About".

import { session } from "../api.js";
import { el, replace } from "../dom.js";
import { gameName, heading, link } from "../parts.js";
import { translator } from "../words.js";

export const words = {
  en: {
    aboutText: "A server for games between programs and people. It is free software under the MIT licence.",
    aboutApi: "Description of the API for programs (OpenAPI)",
  },
  de: {
    aboutText: "Ein Server für Spiele zwischen Programmen und Menschen. Er ist freie Software unter der MIT-Lizenz.",
    aboutApi: "Beschreibung der API für Programme (OpenAPI)",
  },
};
const t = translator(words);

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
