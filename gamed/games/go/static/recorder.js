// The recorder: a game of Go is written down by hand, with variations and comments, and saved.

import { get, post, remove } from "../../api.js";
import { boardOf, frame, moveList, players, stage } from "../../board.js";
import { bdi, called, el, replace } from "../../dom.js";
import { ask, button, choice, complaint, confirm, heading, labelled, lead, link, names, optionValue, options, result, sided, sidesClass, worded } from "../../parts.js";
import { letters, tree } from "../../tree.js";
import { sign } from "../../pages/signs.js";
import { steerByKeys } from "../../pages/steer.js";
import { spelled, translator } from "../../words.js";

export const words = {
  en: {
    resultOf: "Result",
    resultHelp: "The points of both players, as counted after dead stones were marked; leave unknown points empty. To resign, use the button below the board.",
    newRecording: "Record a Go game",
    openFile: "Game of Go (SGF or GoFans)",
    openIt: "Open",
    openHelp: "To go on with a game of the archive, open its record and choose “Go on in the recorder”.",
    handicap: "Handicap",
    komi: "Komi",
    takeBack: "Take back",
    branchHelp: "To begin a variation, go back and play a different move.",
    saveComment: "Save",
    save: "Save as a record",
    saved: "Saved.",
    yourRecordings: "Your recordings",
    forgetSure: "Discard this recording? A saved record is kept.",
  },
  de: {
    resultOf: "Ergebnis",
    resultHelp: "Die Punkte beider, gezählt nach dem Markieren toter Steine; unbekannte bleiben leer. Zum Aufgeben gibt es den Knopf unter dem Brett.",
    newRecording: "Go-Partie mitschreiben",
    openFile: "Go-Partie (SGF oder GoFans)",
    openIt: "Öffnen",
    openHelp: "Um eine Partie des Archivs fortzusetzen, öffne ihre Aufzeichnung und wähle „Weiter mitschreiben“.",
    handicap: "Vorgabe",
    komi: "Komi",
    takeBack: "Zurücknehmen",
    branchHelp: "Um eine Variante zu beginnen, geh zurück und setz einen anderen Stein.",
    saveComment: "Speichern",
    save: "Als Aufzeichnung speichern",
    saved: "Gespeichert.",
    yourRecordings: "Deine Mitschriften",
    forgetSure: "Diese Mitschrift verwerfen? Eine gespeicherte Aufzeichnung bleibt.",
  },
};
const t = translator(words);

const RULES = ["japanese", "chinese", "aga", "new-zealand", "tromp-taylor", "goe"];
const TEXT = { maxlength: 200 };

/** Shows the recording of the address, or the form to begin one. */
export function show(view) {
  return view.id === null ? begin(view) : write(view);
}

async function begin(view) {
  view.entitle(t("newRecording"));
  const [{ recordings }] = await Promise.all([get("/recordings", view.signal), boardOf("go")]);
  const trouble = complaint();
  const fields = {
    size: el("input", { type: "number", name: "size", value: 19, min: 1, max: 52, required: true }),
    rules: choice(RULES.map((name) => [name, optionValue("go", name)]), "japanese", { name: "rules" }),
    handicap: el("input", { type: "number", name: "handicap", value: 0, min: 0, max: 9, required: true }),
    komi: el("input", { type: "number", name: "komi", value: 6.5, step: 0.5 }),
    black: el("input", { name: "black", ...TEXT }),
    white: el("input", { name: "white", ...TEXT }),
  };
  const send = async (event) => {
    event.preventDefault();
    const numbers = { size: Number(fields.size.value), handicap: Number(fields.handicap.value) };
    const komi = fields.komi.value === "" ? {} : { komi: Number(fields.komi.value) };
    const players = [fields.black.value.trim(), fields.white.value.trim()];
    try {
      const { id } = await post("/recordings", { ...numbers, ...komi, rules: fields.rules.value, players }, view.signal);
      view.go(`/recorder/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  };
  const file = el("input", { type: "file", accept: ".sgf,.xml,application/x-go-sgf,application/xml,text/xml", required: true });
  const open = async (event) => {
    event.preventDefault();
    try {
      const { id } = await post("/recordings/file", file.files[0], view.signal);
      view.go(`/recorder/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  };
  replace(
    view.root,
    heading(t("newRecording")),
    el(
      "form",
      { class: "search", onsubmit: send },
      Object.entries(fields).map(([name, control]) => labelled(t(name), control)),
      el("button", { type: "submit", class: "primary" }, t("begin")),
    ),
    el("form", { class: "search", onsubmit: open }, labelled(t("openFile"), file), el("button", { type: "submit" }, t("openIt"))),
    el("p", { class: "muted" }, t("openHelp")),
    trouble.node,
    recordings.length > 0 && el("h2", {}, t("yourRecordings")),
    el("ul", { class: "cards" }, recordings.map(card)),
  );
}

function card(one) {
  const path = `/recorder/${encodeURIComponent(one.id)}`;
  const people = sided("go", one.players.map((name, seat) => called({ seat, name })));
  return el(
    "li",
    { class: "card" },
    el("h3", {}, bdi(one.title || `${one.size} × ${one.size}`)),
    names(people, { class: `names ${sidesClass("go")}` }),
    el("p", { class: "muted" }, t("moveCount", { count: one.moves })),
    el("div", { class: "buttons" }, link(path, { class: "button" }, t("goOn"))),
  );
}

async function write(view) {
  const path = `/recordings/${encodeURIComponent(view.id)}`;
  let now = await get(path, view.signal);
  const trouble = complaint();
  const told = el("p", { class: "muted", role: "status" });
  let isBranching = false;
  let shown = ""; // the comment as it was drawn
  let shownAt = 0; // the node whose comment it is

  /** Saves a comment that was typed and not saved: before any other action, and when the page is left. */
  async function noteFirst(signal) {
    const text = note.value;
    if (text === shown) return;
    now = await post(`${path}/act`, { do: "comment", text }, signal);
    shown = text;
  }

  /** Does an action on the recording, and shows the result. */
  async function does(action) {
    try {
      if (action.do !== "comment") await noteFirst(view.signal);
      const isOther = isBranching && action.do === "play";
      now = await post(`${path}/act`, isOther ? { ...action, do: "branch" } : action, view.signal);
      if (action.do === "comment") shown = action.text;
      isBranching = false;
      trouble.clear();
      replace(told);
      draw(true);
    } catch (error) {
      if (view.signal.aborted) return;
      trouble.say(error);
      throw error;
    }
  }
  const quietly = (action) => does(action).catch(() => undefined);

  const board = await stage("go", "play", { ...view, act: does });
  const seats = players({ ...view, board });
  const say = (move) => board.describe(move, now.scene);
  const goto = (node) => quietly({ do: "goto", node });
  const list = moveList((n) => goto(now.moves[n - 1].node), { brief: board.brief });
  const variations = tree(t("variations"), { say, select: goto });
  const end = el("p", { class: "ending" });
  const note = el("textarea", { rows: 3, maxlength: 4000 });
  const lastNode = () => now.moves.at(-1)?.node ?? 0;
  const first = sign("first", () => goto(0));
  const back = sign("back", () => quietly({ do: "back" }));
  const forward = sign("forth", () => quietly({ do: "forward" }));
  const last = sign("last", () => goto(lastNode()));
  const undo = button(t("takeBack"), () => quietly({ do: "undo" }));
  const branches = button(t("variation"), () => {
    isBranching = !isBranching;
    draw(false);
  });
  const record = el("span", {});
  let listed = "";

  function draw(isAnimated) {
    const { scene, can, moves, current } = now;
    board.update({ ...scene, board: { ...scene.board, marks: letters(now.tree.nodes, current) } }, isAnimated);
    seats.update({ ...scene, seats: sided("go", scene.seats) }, []);
    const said = scene.outcome ? [...result(scene.outcome, sided("go", scene.seats), lead("go", now.points)), ". "] : [];
    replace(end, ...said, score(now));
    end.hidden = !end.hasChildNodes();
    first.disabled = back.disabled = !can.back;
    forward.disabled = last.disabled = !can.forward;
    undo.disabled = !can.undo;
    branches.disabled = current === 0;
    branches.setAttribute("aria-pressed", String(isBranching));
    variations.update(now.tree.nodes, current);
    const line = JSON.stringify(moves.map((move) => move.node));
    if (line !== listed) list.set(moves, say);
    listed = line;
    list.mark(moves.findIndex((move) => move.node === current) + 1);
    const node = now.tree.nodes.find((one) => one.id === current);
    drawNote(current, (current === 0 ? now.tree.comment : node?.comment) ?? "");
    replace(record, now.saved && link(`/records/${encodeURIComponent(now.saved)}`, { class: "button" }, t("toRecord")));
    const people = scene.seats.map((one) => one.name).filter(Boolean);
    view.entitle(now.facts.title || people.join(" – ") || t("recorder"));
  }

  /** Shows the comment of the current node. A comment that is being typed stays as long as the node is the same. */
  function drawNote(current, text) {
    if (current === shownAt && note.value !== shown) return;
    note.value = text;
    shown = note.value; // the browser may have changed the line ends
    shownAt = current;
  }

  async function save() {
    try {
      await noteFirst(view.signal);
      const outcome = await post(`${path}/save`, {}, view.signal);
      now = await get(path, view.signal);
      trouble.clear();
      draw(false);
      replace(told, `${t("saved")} `, bdi(worded("import", outcome.code, outcome.sentence ?? "")));
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  }

  async function forget() {
    if (!(await confirm(t("forget"), t("forgetSure"), t("forget")))) return;
    shown = note.value;
    await remove(path, view.signal).catch((error) => trouble.say(error));
    view.go("/recorder");
  }

  const file = (format, text) =>
    link(`/api/v1${path}/file?format=${format}`, { class: "button", download: "", "aria-label": `${t("download")}: ${text}` }, `${text} ↓`);
  const noting = async (event) => {
    event.preventDefault();
    const isDone = await does({ do: "comment", text: note.value }).then(() => true, () => false);
    if (isDone) replace(told, t("saved"));
  };
  replace(
    view.root,
    frame(
      [
        heading(t("recorder")),
        button(t("details"), () => details(view, now, quietly)),
        button(t("resultOf"), () => enterResult(view, now, quietly)),
      ],
      board.node,
      [
        trouble.node,
        end,
        el("div", { class: "steering", role: "group", "aria-label": t("actions") },
          el("div", { class: "buttons" }, first, back, forward, last),
          el("div", { class: "buttons" }, undo, branches)),
        list.node,
        el("p", { class: "muted hint" }, t("branchHelp")),
        el("form", { class: "noting", onsubmit: noting }, labelled(t("comment"), note), el("button", { type: "submit" }, t("saveComment"))),
        el(
          "div",
          { class: "buttons" },
          button(t("save"), save, { class: "primary" }),
          record,
          button(t("forget"), forget, { class: "danger" }),
        ),
        el("div", { class: "buttons" }, file("gofans", "GoFans"), file("sgf", "SGF")),
        told,
        options("go", now.scene.options),
      ],
      variations.node,
    ),
  );
  draw(false);
  steerByKeys(view, {
    by: (steps) => quietly(steps > 0 ? { do: "forward" } : { do: "back" }),
    move: () => goto(0),
    end: () => goto(lastNode()),
    toggle: () => undefined,
  });
  view.signal.addEventListener("abort", () => noteFirst().catch(() => undefined));
  // Another tab may have changed the recording.
  const reload = async () => {
    if (document.hidden) return;
    now = await get(path, view.signal).catch(() => now);
    if (!view.signal.aborted) draw(false);
  };
  document.addEventListener("visibilitychange", reload, { signal: view.signal });
}

/** The points of both players: those that were entered, or else those that were counted. */
function score({ points, score }) {
  const isEntered = points?.every((one) => one !== null && one >= 0);
  const [black, white] = isEntered ? points : [score?.black, score?.white];
  return black === undefined ? null : `${t("black")}: ${spelled(black)}, ${t("white")}: ${spelled(white)}`;
}

/** Asks for the points of both players, which become the result in the record. The default are the counted points. */
async function enterResult(view, now, does) {
  const sides = ["black", "white"];
  const known = now.points?.some((one) => one !== null) ? now.points : sides.map((side) => now.score?.[side] ?? null);
  const fields = known.map((value) => el("input", { type: "number", step: 0.5, min: 0, value: value < 0 ? "" : (value ?? "") }));
  const body = [el("p", { class: "muted" }, t("resultHelp")), ...fields.map((field, n) => labelled(t(sides[n]), field))];
  const send = () => does({ do: "points", points: fields.map((field) => (field.value === "" ? null : Number(field.value))) });
  await ask(t("resultOf"), body, t("saveComment"), send, { signal: view.signal });
}

/** Asks for the details of the game. */
async function details(view, now, does) {
  const text = (value) => el("input", { value: value ?? "", ...TEXT });
  const fields = { title: text(now.facts.title), event: text(now.facts.event), date: text(now.facts.date), place: text(now.facts.place) };
  const players = now.scene.seats.map((one) => text(one.fullName ?? one.name));
  const komi = el("input", { type: "number", step: 0.5, value: now.scene.options.komi ?? "" });
  const body = [
    labelled(t("black"), players[0]),
    labelled(t("white"), players[1]),
    labelled(t("komi"), komi),
    ...Object.entries(fields).map(([name, control]) => labelled(t(`${name}OfGame`), control)),
  ];
  await ask(t("details"), body, t("saveComment"), () => {
    const facts = Object.fromEntries(Object.entries(fields).map(([name, control]) => [name, control.value.trim()]));
    const value = komi.value === "" ? null : Number(komi.value);
    return does({ do: "facts", ...facts, komi: value, players: players.map((one) => one.value.trim()) });
  }, { signal: view.signal });
}
