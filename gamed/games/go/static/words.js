// The words of Go's board, and the server's codes that no other game has.

export const words = {
  en: {
    board: "Go board, {size} by {size} lines",
    help: "Arrow keys move over the board, Enter plays, Escape leaves the point.",
    black: "Black", white: "White", red: "Red", green: "Green", blue: "Blue", yellow: "Yellow",
    plays: "{side} plays {point}", passes: "{side} passes", resigns: "{side} resigns",
    takesOne: "{move} and captures 1 stone", takes: "{move} and captures {count} stones",
    empty: "{point}, empty", stone: "{point}, {side}", refusedAt: "{point}: {why}",
    occupied: "there is already a stone", ko: "this would retake the ko at once",
    superko: "this position has been on the board before", suicide: "this would be suicide", other: "the rules do not allow it",
    toMove: "{side} to move", passed: "{side} has passed; {next} to move", start: "Before the first move; {side} to move",
    bothPassed: "Both have passed", bothPassedNext: "Both have passed; {side} may go on",
    resigned: "{side} has resigned", over: "The game is over", again: "Tap {point} again to play there",
    prisoners: "{count} captured", pass: "Pass", resign: "Resign",
    mark: "{said}. Select the dead stones", dead: "{stone}, dead",
    option_size: "Size", option_komi: "Komi", option_handicap: "Handicap", option_rules: "Rules",
    value_japanese: "Japanese", value_chinese: "Chinese", value_aga: "AGA (American)",
    "value_new-zealand": "New Zealand", "value_tromp-taylor": "Tromp-Taylor", value_goe: "Ing (GOE)",
  },
  de: {
    board: "Go-Brett, {size} mal {size} Linien",
    help: "Pfeiltasten bewegen die Marke, Eingabe setzt, Escape verlässt den Punkt.",
    black: "Schwarz", white: "Weiß", red: "Rot", green: "Grün", blue: "Blau", yellow: "Gelb",
    plays: "{side} setzt auf {point}", passes: "{side} passt", resigns: "{side} gibt auf",
    takesOne: "{move} und schlägt 1 Stein", takes: "{move} und schlägt {count} Steine",
    empty: "{point}, leer", stone: "{point}, {side}", refusedAt: "{point}: {why}",
    occupied: "hier liegt schon ein Stein", ko: "das würde das Ko sofort zurückschlagen",
    superko: "diese Stellung gab es schon", suicide: "das wäre Selbstmord", other: "die Regeln erlauben es nicht",
    toMove: "{side} ist am Zug", passed: "{side} hat gepasst; {next} ist am Zug",
    start: "Vor dem ersten Zug; {side} ist am Zug",
    bothPassed: "Beide haben gepasst", bothPassedNext: "Beide haben gepasst; {side} kann weiterspielen",
    resigned: "{side} hat aufgegeben", over: "Die Partie ist zu Ende", again: "Noch einmal auf {point} tippen, um zu setzen",
    prisoners: "{count} geschlagen",
    mark: "{said}. Wähle die toten Steine aus", dead: "{stone}, tot",
    pass: "Passen", resign: "Aufgeben",
    option_size: "Größe", option_komi: "Komi", option_handicap: "Vorgabe", option_rules: "Regeln",
    value_japanese: "Japanisch", value_chinese: "Chinesisch", value_aga: "AGA (amerikanisch)",
    "value_new-zealand": "Neuseeland", "value_tromp-taylor": "Tromp-Taylor", value_goe: "Ing (GOE)",
  },
};

/** What the server says by a code, in German; as in the shell's words/codes.js. */
export const codes = {
  de: {
    "error-handicap": "Eine solche Vorgabe gibt es auf diesem Brett nicht.",
    "error-ko": "Das würde das Ko sofort zurückschlagen.",
    "error-no-stone": "Dort liegt kein Stein.",
    "error-not-over": "Tote Steine werden markiert, nachdem beide gepasst haben.",
    "error-resigned": "Nach dem Aufgeben geht nichts mehr: Nimm es zuerst zurück.",
    "error-suicide": "Das wäre Selbstmord.",
    "error-superko": "Diese Stellung gab es schon.",
    "error-size": "Ein Brett hat 1 bis 52 Linien.",
    "remark-after-end": "Nach zweimaligem Passen kommen noch Züge.",
    "remark-resigned-without-pass": "Wer aufgegeben hat, hat nicht zuletzt gepasst.",
    "remark-wrong-removes": "Ein Zug entfernt andere Steine, als die Regeln schlagen. Gezeigt wird, was die Datei angibt.",
  },
};
