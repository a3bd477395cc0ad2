// The texts of Blokus, in English and German.

import { codes as lobbyCodes, words as lobbyWords } from "../softwarechallenge/lobby.js";

export const words = {
  en: {
    ...lobbyWords.en,
    keys: "N, P: the next or previous piece that fits\nR: turn; F: flip; Escape: let go\nArrow keys: go over the board; Enter: place the piece",
    measure_points: "Points",
    colorB: "Blue", colorY: "Yellow", colorR: "Red", colorG: "Green", both: "{one} and {other}",
    board: "Blokus board", field: "{x},\u00a0{y}", empty: "empty", isLast: "last move", isTarget: "the piece fits here",
    turn: "Turn", flip: "Flip", skip: "Pass", skipSure: "Pass? Press again.",
    points: "{count} points", pointsOne: "1 point", out: "out", left: "{count} left", leftOf: "{color}: {count} pieces left",
    used: "{piece}, placed",
    chosen: "{piece} chosen; places as it lies: {count}.", letGo: "Selection cleared.", chooseFirst: "Choose a piece first.",
    notSettable: "This piece fits nowhere now.", notYours: "This colour is not to move.", notThere: "The piece does not fit there.",
    yourTurn: "Your turn with {color}.", yourFirst: "Your turn with {color}: begin at the edge with {piece}.",
    theirTurn: "{color} is to move.",
    starts: "All colours begin with {piece}.", sets: "{color} places {piece} at ({to}).", passes: "{color} passes.",
    overWinner: "{colors} win.",
  },
  de: {
    ...lobbyWords.de,
    keys: "N, P: der nächste oder vorige Stein, der passt\nR: drehen; F: spiegeln; Escape: loslassen\nPfeiltasten: über das Brett gehen; Eingabe: den Stein setzen",
    measure_points: "Punkte",
    colorB: "Blau", colorY: "Gelb", colorR: "Rot", colorG: "Grün", both: "{one} und {other}",
    board: "Blokus-Spielfeld", field: "{x},\u00a0{y}", empty: "leer", isLast: "letzter Zug", isTarget: "hier passt der Stein",
    turn: "Drehen", flip: "Spiegeln", skip: "Aussetzen", skipSure: "Aussetzen? Noch einmal.",
    points: "{count} Punkte", pointsOne: "1 Punkt", out: "ausgeschieden", left: "{count} übrig", leftOf: "{color}: {count} Steine übrig",
    used: "{piece}, gesetzt",
    chosen: "{piece} gewählt, Plätze in dieser Lage: {count}.", letGo: "Auswahl aufgehoben.", chooseFirst: "Wähle zuerst einen Stein.",
    notSettable: "Dieser Stein passt gerade nirgends.", notYours: "Diese Farbe ist nicht am Zug.", notThere: "Dorthin passt der Stein nicht.",
    yourTurn: "Du bist mit {color} am Zug.", yourFirst: "Du bist mit {color} am Zug: Beginne am Rand mit {piece}.",
    theirTurn: "{color} ist am Zug.",
    starts: "Alle Farben beginnen mit {piece}.", sets: "{color} setzt {piece} auf ({to}).", passes: "{color} setzt aus.",
    overWinner: "{colors} gewinnen.",
  },
};

/** What the server says by a code, in German; as in the shell's words/codes.js. */
export const codes = {
  de: {
    ...lobbyCodes.de,
    "refused-duplicate-shape": "Dieser Stein ist schon gesetzt.",
    "refused-no-shared-corner": "Der Stein muss einen eigenen über eine Ecke berühren.",
    "refused-not-on-border": "Der erste Stein jeder Farbe muss am Rand liegen.",
    "refused-obstructed": "Dort liegt schon ein Stein.",
    "refused-out-of-bounds": "Der Stein passt nicht ganz auf das Spielfeld.",
    "refused-skip-first-turn": "Im ersten Zug muss jede Farbe einen Stein setzen.",
    "refused-touches-same-color": "Der Stein würde einen eigenen an einer Seite berühren.",
    "refused-wrong-color": "Diese Farbe ist nicht am Zug.",
    "refused-wrong-shape": "Jede Farbe beginnt mit dem ausgelosten Stein.",
  },
};
