// RoboRally: the course, the robots, the registers.
//
// Attributes for tests: [data-cell="x,y"], [data-robot="seat"], [data-seat="seat"] (the players), [data-card="priority"],
// [data-register="1…5"], [data-facing="N"], [data-stay="true"], [data-open="register"], [data-power], [data-submit],
// [data-explain].

import { ARROWS, clear, el, isChord, mayMove, nameOn, replace, svg } from "../../dom.js";
import { SIDES, U, at, axes, devices, explained, floors, icon, middle, note, robotNode, symbols, toward, use, wayOf } from "./course.js";

export { codes, words } from "./words.js";

const STEP = 380; // milliseconds of a step
const MANY = 60; // with more steps in the queue, each takes less time
const TOO_MANY = 300; // with so many steps in the queue, all are skipped

const actionOf = (card) =>
  card <= 6 ? "UT" : card <= 42 ? (card % 2 ? "RL" : "RR") : card <= 48 ? "BU" : card <= 66 ? "M1" : card <= 78 ? "M2" : "M3";
const nameOf = (scene, seat, t) => nameOn(scene.seats, seat) ?? t("nobody", { n: seat + 1 });

/** One sentence for a move. */
export function describe(move, scene, t) {
  const name = nameOf(scene, move.seat, t);
  const text = move.text;
  // For spectators a program's text is empty. Its cards are added when they are revealed.
  if (text && SIDES.includes(text)) return t("moveFacing", { name, facing: t(text) });
  if (text === "stay") return t("moveStay", { name });
  if (text === "wake") return t("moveWake", { name });
  if (text === "leave") return t("moveLeave", { name });
  if (text.startsWith("open ")) return t("moveRepair", { name, n: text.slice(5) });
  const said = t(text.endsWith(" down") ? "moveProgramDown" : "moveProgram", { name });
  const cards = (move.cards ?? []).map((card, n) => `${n + 1} ${t(actionOf(card))} (${card})`);
  return cards.length ? `${said}: ${cards.join(", ")}` : said;
}

// What destroys a robot; else it falls.
const ENDS = { lasers: "shot", crushers: "crushed", left: "gone" };

// Cards in short.
const SHORT = { UT: "↻", RL: "↰", RR: "↱", BU: "↓", M1: "1", M2: "2", M3: "3" };

/** A decision in short, a program card by card; null if it has no short form. */
export function brief({ text, cards }, t) {
  if (SIDES.includes(text) && text) return t(text);
  if (/^(stay|wake|leave|open)/.test(text)) return null;
  return cards?.length ? cards.map((card) => SHORT[actionOf(card)]).join("\u2009") : "•••••";
}

/**
 * @param {HTMLElement} root
 * @param {BoardContext} context
 * @returns {Board}
 */
export function create(root, context) {
  const { t } = context;
  // In Chromium an SVG with a focus listener would be a tab stop.
  const drawing = svg("svg", { class: "rr-svg", role: "grid", tabindex: -1, "aria-label": t("course") });
  // On phones a field of the whole course is tiny: the part round one's own robot is shown again, enlarged.
  const lens = svg("svg", { class: "rr-lens", "aria-hidden": "true" }, svg("use", { href: "#rr-fields" }), svg("use", { href: "#rr-things" }), svg("g", {}));
  const status = el("p", { class: "rr-now" });
  const info = el("p", { class: "rr-info", "data-explain": "" }, t("helpCourse"));
  const panel = el("section", { class: "rr-panel", "aria-label": t("program") });
  const crew = el("section", { class: "rr-crew", "aria-label": t("crew") });
  const stage = el("div", { class: "rr" },
    el("div", { class: "rr-course" }, status, el("div", { class: "rr-scroll" }, drawing, lens), info),
    el("div", { class: "rr-side" }, panel, crew));
  replace(root, stage);
  root.dataset.kind = "roborally";

  let scene = null;
  let drawn = ""; // the course that is drawn
  let texts = new Map();
  let cursor = [1, 1];
  let robots = new Map(); // what is drawn, by seat: {node, angle}
  let poses = []; // by seat: [x, y, facing, damage, virtual] or null
  let seen = null; // how much of the trail was queued: {turn, n}
  let turned = new Map(); // by seat: the cards of the turn that lie open, by phase
  let steps = []; // the queue of steps, and of the boards that they lead to
  let timer = null; // shows the next step
  const resting = []; // functions to call when the queue is empty
  let draft = []; // the cards in the registers, not sent yet
  let hand = ""; // what the draft is for
  let active = null; // the register that was chosen
  let opened = new Set(); // the registers to unlock
  let prompted = ""; // as announced
  let isSent = false;
  let flagged = []; // the robots as they were shown last
  let inPanel = ""; // what the panel shows
  let asked = 0; // previews
  let previewed = Promise.resolve(); // the last one of them
  let isDropped = false; // a drag has just ended: its click is ignored

  // The course

  function drawCourse(board) {
    const { tiles, flags } = board;
    const key = JSON.stringify([tiles, flags]);
    if (key === drawn) return;
    drawn = key;
    texts = explained(tiles, flags, t);
    robots = new Map();
    cursor = flags[0];
    drawing.setAttribute("viewBox", `-26 -24 ${tiles.width * U + 52} ${tiles.height * U + 32}`);
    stage.classList.toggle("wide", tiles.width > 20);
    const rows = [];
    for (let y = tiles.height; y; y -= 1) {
      const cells = [];
      for (let x = 1; x <= tiles.width; x += 1)
        cells.push(svg("g", { role: "gridcell", "data-cell": `${x},${y}`, tabindex: -1, "aria-label": text(x, y) },
          svg("rect", { x: (x - 1) * U, y: (tiles.height - y) * U, width: U, height: U, class: "rr-field" })));
      rows.push(svg("g", { role: "row" }, cells));
    }
    const flagNodes = flags.flatMap(([x, y], n) => {
      const here = middle(tiles, x, y);
      return [use("flag", at(here, 0, "scale(1.15)")), note([here[0] + 3, here[1]], -3, n + 1, "rr-number")];
    });
    const art = svg("g", { class: "rr-art", "aria-hidden": "true" }, floors(tiles), flagNodes, devices(tiles));
    const frame = svg("rect", { class: "rr-cursor", width: U, height: U, "aria-hidden": "true" });
    const view = svg("rect", { class: "rr-view", width: 11 * U, height: 5 * U, rx: 6, "aria-hidden": "true" });
    replace(drawing, symbols(), axes(tiles), svg("g", { role: "rowgroup", id: "rr-fields", class: "rr-drawn" }, rows),
      svg("g", { id: "rr-things", class: "rr-drawn" }, art, svg("g", { class: "rr-ahead" }), svg("g", { class: "rr-robots" }, svg("circle", { r: 22, class: "rr-aim none" }))), frame, view);
    cellAt(cursor)?.setAttribute("tabindex", 0);
  }

  /** @param {number[]} place */
  const cellAt = ([x, y]) => drawing.querySelector(`[data-cell="${x},${y}"]`);

  function text(x, y) {
    const parts = [...(texts.get(`${x},${y}`) ?? [t("plain")])];
    scene?.board?.robots.forEach((robot, seat) => {
      const name = nameOf(scene, seat, t);
      const pose = poses[seat];
      if (pose && pose[3] < 10 && pose[0] === x && pose[1] === y) {
        parts.push(t("robot", { n: seat + 1, name, facing: t(pose[2]), damage: pose[3] }));
        if (pose[4]) parts.push(t("virtual"));
        if (robot && !robot.active) parts.push(t("down"));
      }
      if (robot && robot.archive[0] === x && robot.archive[1] === y) parts.push(t("archive", { name }));
    });
    return `${t("field", { x, y })}: ${parts.join("; ")}`;
  }

  function explain(cell) {
    if (!cell) return;
    const [x, y] = cell.dataset.cell.split(",").map(Number);
    const said = text(x, y);
    cell.setAttribute("aria-label", said);
    info.textContent = said;
  }

  drawing.addEventListener("pointermove", (event) => explain(event.target.closest?.("[data-cell]")));
  drawing.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest?.("[data-cell]");
    cell?.focus();
  });
  drawing.addEventListener("focusin", (event) => {
    const cell = event.target.closest("[data-cell]");
    if (!cell) return;
    cellAt(cursor)?.setAttribute("tabindex", -1);
    cursor = cell.dataset.cell.split(",").map(Number);
    cell.setAttribute("tabindex", 0);
    drawing.classList.toggle("by-keys", cell.matches(":focus-visible"));
    const frame = drawing.querySelector(".rr-cursor");
    frame.setAttribute("x", (cursor[0] - 1) * U);
    frame.setAttribute("y", (scene.board.tiles.height - cursor[1]) * U);
    explain(cell);
  });
  drawing.addEventListener("keydown", (event) => {
    const way = ARROWS[event.key];
    if (!way || isChord(event)) return;
    event.preventDefault();
    // Rows are numbered from the bottom.
    cellAt([cursor[0] + way[0], cursor[1] - way[1]])?.focus();
  });

  // The robots

  function drawRobots() {
    const layer = drawing.querySelector(".rr-robots");
    const crowd = new Map();
    poses.forEach((pose, seat) => {
      if (pose && pose[3] < 10) crowd.set(`${pose[0]},${pose[1]}`, [...(crowd.get(`${pose[0]},${pose[1]}`) ?? []), seat]);
    });
    lens.toggleAttribute("hidden", !you());
    // The flag that one's own robot has to reach next.
    const n = scene.board.robots[you()?.seat]?.flag;
    const next = scene.board.flags[n];
    const aim = layer.querySelector(".rr-aim");
    aim.setAttribute("class", next ? `rr-aim seat${you().seat}` : "rr-aim none");
    const { tiles } = scene.board;
    const goal = next && middle(tiles, next[0], next[1]);
    if (goal) aim.setAttribute("transform", at(goal));
    const [x, y] = poses[you()?.seat] ?? cursor;
    const fit = (from, span, whole) => Math.max(-0.1, Math.min(from - span / 2, whole + 0.1 - span)) * U;
    const [left, top] = [fit(x - 0.5, 11, tiles.width), fit(tiles.height - y + 0.5, 5, tiles.height)];
    lens.setAttribute("viewBox", `${left} ${top} ${11 * U} ${5 * U}`);
    replace(lens.lastChild, goal && toward(goal, n + 1, left, top, 11 * U, 5 * U));
    const view = drawing.querySelector(".rr-view");
    view.toggleAttribute("hidden", !you());
    view.setAttribute("transform", `translate(${left} ${top})`);
    poses.forEach((pose, seat) => {
      let its = robots.get(seat);
      if (!its) {
        its = { node: robotNode(seat), angle: 0 };
        robots.set(seat, its);
        layer.append(its.node);
      }
      const { node } = its;
      node.classList.toggle("mine", you()?.seat === seat);
      node.classList.toggle("gone", !pose || pose[3] >= 10);
      if (!pose) return;
      const [x, y, facing, damage, virtual] = pose;
      const mates = crowd.get(`${x},${y}`) ?? [seat];
      const [mx, my] = middle(scene.board.tiles, x, y);
      const side = Math.ceil(Math.sqrt(mates.length));
      const rank = Math.max(mates.indexOf(seat), 0);
      const dx = ((rank % side) - (side - 1) / 2) * (U / side);
      const dy = (Math.floor(rank / side) - (Math.ceil(mates.length / side) - 1) / 2) * (U / side);
      // Turn by the smaller angle.
      its.angle += ((SIDES.indexOf(facing) * 90 - its.angle) % 360 + 540) % 360 - 180;
      node.style.transform = `translate(${mx + dx}px, ${my + dy}px)`;
      node.querySelector(".rr-scale").style.transform = `scale(${side > 1 ? 1.15 / side : 1.12})`;
      node.querySelector(".rr-body").style.transform = `rotate(${its.angle}deg)`;
      node.classList.toggle("virtual", Boolean(virtual));
      node.classList.toggle("down", scene.board.robots[seat]?.active === false);
      node.dataset.facing = facing;
      node.dataset.place = `${x},${y}`;
      const badge = node.querySelector(".rr-badge");
      badge.classList.toggle("none", !damage);
      badge.querySelector("text").textContent = damage;
    });
  }

  const told = (board) =>
    board.robots.map((robot) => robot && [...robot.place, robot.facing, robot.damage, robot.virtual]);

  function turn(seat, phase, card) {
    const cards = turned.get(seat) ?? Array(5).fill(null);
    cards[phase - 1] = card;
    turned.set(seat, cards);
  }

  /** Turns the cards over that all steps so far have shown. */
  function turnAll(board) {
    turned = new Map();
    for (const [phase, , , seat, card] of board.trail.steps) if (card) turn(seat, phase, card);
    for (const [seat, cards] of board.revealed) cards.forEach((card, n) => turn(seat, n + 1, card));
  }

  function settle() {
    clearTimeout(timer);
    timer = null;
    steps = [];
    turnAll(scene.board);
    reach(scene.board);
    poses = told(scene.board);
    stage.classList.remove("firing");
    status.textContent = headline();
    drawRobots();
    drawPanel();
    announce();
    for (const resolve of resting.splice(0)) resolve();
  }

  function play() {
    let step = steps.shift();
    while (step && !Array.isArray(step)) {
      reach(step);
      step = steps.shift();
    }
    if (!step) {
      settle();
      return;
    }
    const [phase, kind, changes, seat, card] = step;
    const lost = changes.filter(([its, , , , damage]) => damage >= 10 && poses[its]?.[3] < 10).map(([its]) => its);
    for (const [its, ...pose] of changes) poses[its] = pose.length ? pose : null;
    const action = card ? t(actionOf(card)) : "";
    const ends = lost.map((its) => t(ENDS[kind] ?? "falls", { name: nameOf(scene, its, t) }));
    const said = [t(kind, { phase, name: seat === null ? "" : nameOf(scene, seat, t), action }), ...ends].join(". ");
    if (kind === "revealed") {
      if (phase === 1) turned = new Map();
      for (const [later, , , its, played] of steps.filter(Array.isArray)) if (played && later === phase) turn(its, phase, played);
      drawCards();
    }
    status.textContent = kind === "revealed" || !phase ? said : `${phase}/5 · ${said}`;
    stage.classList.toggle("firing", kind === "lasers");
    const time = STEP / (context.pace ?? 1) / Math.max(1, steps.length / MANY);
    stage.style.setProperty("--rr-step", `${0.9 * time}ms`);
    drawRobots();
    timer = setTimeout(play, time);
  }

  function follow(board) {
    const { turn, steps: all } = board.trail;
    const isFirst = seen === null;
    const isBack = !isFirst && (turn < seen.turn || (turn === seen.turn && all.length < seen.n));
    const fresh = isFirst || isBack ? [] : turn === seen.turn ? all.slice(seen.n) : all;
    seen = { turn, n: all.length };
    // A live turn is shown step by step, even if the next programs came with it.
    const isMoving = !isFirst && !isBack && (context.animate || (context.mode !== "replay" && mayMove()));
    if (fresh.length && isMoving && steps.length + fresh.length < TOO_MANY) {
      stage.classList.add("moving");
      steps.push(...fresh, board);
      if (timer === null) play();
    } else if (fresh.length || timer === null || isBack) {
      stage.classList.toggle("moving", isMoving);
      settle();
    } else {
      if (!Array.isArray(steps.at(-1))) steps.pop();
      steps.push(board);
    }
  }

  // The panel

  const you = () => scene?.you;
  const free = () => [1, 2, 3, 4, 5].filter((n) => !you().locked.includes(n));
  // Nothing of the next turn is shown before the board has shown this one.
  const isAsked = (prompt) => context.mode === "play" && !isSent && timer === null && you()?.prompt === prompt;

  async function act(action) {
    try {
      await context.act(action);
    } catch {
      // The shell shows why.
      isSent = false;
      drawPanel();
    }
  }

  function put(card, register) {
    const old = draft.indexOf(card);
    const to = register ?? active ?? free().find((n) => draft[n - 1] === null);
    if (to === undefined || you().locked.includes(to)) return;
    const replaced = draft[to - 1];
    draft[to - 1] = card;
    if (old >= 0 && old !== to - 1) draft[old] = replaced;
    active = null;
    drawPanel();
    if (free().every((n) => draft[n - 1] !== null)) panel.querySelector("[data-submit]")?.focus();
    preview();
  }

  function take(register) {
    const from = register ?? free().findLast((n) => draft[n - 1] !== null);
    if (from === undefined || you().locked.includes(from)) return;
    draft[from - 1] = null;
    active = from;
    drawPanel();
    preview();
  }

  /** Asks where the cards in the registers would lead; only the newest question waits for the one before, and none for the program. */
  function preview() {
    const mine = (asked += 1);
    previewed = previewed.then(() => (mine === asked && isAsked("program") ? context.act({ do: "preview", cards: [...draft] }) : null)).catch(() => undefined);
  }

  function submit() {
    isSent = true;
    const cards = draft.map((card, n) => (you().locked.includes(n + 1) ? you().registers[n] : card));
    const down = panel.querySelector("[data-power]").checked;
    previewed.then(() => act({ do: "program", cards, down }));
    drawPanel();
  }

  function drawAhead() {
    const place = scene?.board?.robots[you()?.seat]?.place;
    const poses = isAsked("program") ? you().preview : [];
    const layer = drawing.querySelector(".rr-ahead");
    if (!layer || !place) return;
    layer.setAttribute("class", `rr-ahead seat${you().seat}`);
    stage.classList.toggle("ahead", poses.length > 0);
    replace(layer, ...wayOf(scene.board.tiles, place, poses, you().seat));
  }

  function cardFace(card) {
    const action = actionOf(card);
    return [icon(action), el("span", { class: "rr-action" }, t(`short${action}`)), said(t("priority")),
      el("span", { class: "rr-priority" }, card)];
  }

  /** Invisible text in a button's name, between the visible words, by which voice control finds it. */
  const said = (text) => el("span", { class: "unseen" }, text);

  function cardButton(card, n) {
    const used = draft.indexOf(card) + 1;
    return el("button", {
      type: "button", class: `rr-card rr-${actionOf(card)}${used ? " used" : ""}`, "data-card": card, "data-key": `card${card}`,
      onpointerdown: (event) => drag(event, card),
      onclick: () => (isDropped ? null : used ? take(used) : put(card)),
    }, el("span", { class: "rr-key" }, n + 1), said(": "), cardFace(card),
    used ? [said(t("inRegister")), el("span", { class: "rr-in" }, `→ ${used}`)] : null);
  }

  function registerButton(n) {
    const isLocked = you().locked.includes(n);
    const isOpen = isAsked("program") && !isLocked;
    const card = isOpen ? draft[n - 1] : you().registers[n - 1];
    return el("button", {
      type: "button", class: `rr-register${card === null ? "" : ` rr-${actionOf(card)}`}${isLocked ? " locked" : ""}${card === null ? " empty" : ""}`,
      "data-register": n, "data-key": `register${n}`,
      "aria-pressed": isOpen ? String(active === n) : null, "aria-disabled": isOpen ? null : "true",
      onpointerdown: (event) => (isOpen && card !== null ? drag(event, card) : null),
      onclick: () => {
        if (!isOpen || isDropped) return;
        if (card !== null) take(n);
        else { active = active === n ? null : n; drawPanel(); }
      },
    }, said(t("registerName")), el("span", { class: "rr-key" }, n), said(": "), card === null ? el("span", { class: "rr-action" }, t("empty")) : cardFace(card),
    isLocked ? [said(", "), el("span", { class: "rr-in" }, t("locked"))] : null);
  }

  const button = (data, label, onclick, more = {}) =>
    el("button", { type: "button", class: "rr-button", "data-key": JSON.stringify(data), ...data, onclick, ...more }, label);

  function decide(action) {
    isSent = true;
    act(action);
    drawPanel();
  }

  function prompt() {
    if (isAsked("facing"))
      return [el("h2", {}, t("promptFacing")), el("div", { class: "rr-facing", role: "group" }, [..."NESW"].map((side) =>
        button({ "data-facing": side }, [el("span", { "aria-hidden": "true" }, { N: "↑", E: "→", S: "↓", W: "←" }[side]), ` ${t(side)}`],
          () => decide({ do: "facing", facing: side }))))];
    if (isAsked("power"))
      return [el("h2", {}, t("promptPower")), el("div", { class: "rr-row" },
        button({ "data-stay": "true" }, t("stay"), () => decide({ do: "power", down: true })),
        button({ "data-stay": "false" }, t("wake"), () => decide({ do: "power", down: false })))];
    if (isAsked("repair")) {
      const n = you().opens;
      return [el("h2", {}, n === 1 ? t("promptRepair1") : t("promptRepair", { n })),
        el("div", { class: "rr-row" }, you().locked.map((register) => {
          const card = you().registers[register - 1];
          const what = card === null ? t("locked") : t("card", { action: t(actionOf(card)), card });
          return button({ "data-open": register }, t("register", { n: register, what }), () => {
            if (!opened.delete(register)) opened.add(register);
            drawPanel();
          }, { "aria-pressed": String(opened.has(register)) });
        })),
        button({ "data-submit": "" }, t("unlock"), () => decide({ do: "repair", registers: [...opened].sort() }),
          { disabled: opened.size !== n })];
    }
    return [el("h2", {}, caption())];
  }

  function programming() {
    if (!isAsked("program")) return null;
    const missing = free().filter((n) => draft[n - 1] === null).length;
    return [
      el("h3", { id: "rr-hand" }, t("hand")),
      el("div", { class: "rr-hand", role: "group", "aria-labelledby": "rr-hand" }, you().hand.map(cardButton)),
      el("p", { class: "rr-help" }, t("helpProgram")),
      el("div", { class: "rr-row" },
        el("label", { class: "rr-power" }, el("input", {
          type: "checkbox", "data-power": "", "data-key": "power", checked: you().down,
          onchange: (event) => act({ do: "power", down: event.target.checked }),
        }), t("power")),
        button({ "data-submit": "" }, missing ? `${t("submit")} (${t("rest", { n: missing })})` : t("submit"), submit,
          { disabled: missing > 0 })),
    ];
  }

  function drawPanel() {
    drawAhead();
    // The result is above the course, and there is nothing more to decide.
    panel.hidden = !you() || context.mode !== "play" || scene.phase === "removed" || (isEnded() && timer === null);
    stage.classList.toggle("deciding", !panel.hidden);
    panel.classList.toggle("programming", isAsked("program"));
    if (panel.hidden) return;
    const key = panel.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const down = panel.querySelector("[data-power]")?.checked;
    const fresh = el("div", {}, prompt(),
      el("h3", { id: "rr-registers" }, t("registers")),
      el("div", { class: "rr-registers", role: "group", "aria-labelledby": "rr-registers" }, [1, 2, 3, 4, 5].map(registerButton)),
      programming(),
      you().seconds && you().prompt && timer === null ? el("p", { class: "rr-help" }, t("limit", { n: you().seconds })) : null);
    // A button that is replaced while it is pressed gets no click.
    const now = `${you().down} ${fresh.innerHTML}`;
    if (now === inPanel) return;
    inPanel = now;
    replace(panel, ...fresh.childNodes);
    const power = panel.querySelector("[data-power]");
    if (power && down !== undefined && key) power.checked = down;
    const nodes = [...panel.querySelectorAll("[data-key]")];
    (nodes.find((node) => node.dataset.key === key && !node.disabled) ?? (key ? nodes.find((node) => !node.disabled) : null))?.focus();
    rove();
  }

  // A roving tab index: one tab stop for the hand, and one for the registers.
  function rove() {
    for (const group of panel.querySelectorAll(".rr-hand, .rr-registers, .rr-facing")) {
      const nodes = [...group.querySelectorAll("button")];
      const chosen = nodes.find((node) => node === document.activeElement) ?? nodes.find((node) => !node.matches(".used")) ?? nodes[0];
      nodes.forEach((node) => node.setAttribute("tabindex", node === chosen ? 0 : -1));
    }
  }

  function press(event) {
    if (isChord(event)) return;
    const group = event.target.closest(".rr-hand, .rr-registers, .rr-facing");
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (way && group) {
      event.preventDefault();
      const nodes = [...group.querySelectorAll("button")];
      nodes[(nodes.indexOf(event.target) + way + nodes.length) % nodes.length].focus();
      rove();
    }
    if (!isAsked("program")) return;
    const register = Number(event.target.dataset.register) || null;
    if (event.key >= "1" && event.key <= "9" && event.key <= String(you().hand.length)) {
      event.preventDefault();
      const card = you().hand[Number(event.key) - 1];
      put(card, register && !you().locked.includes(register) ? register : undefined);
      // The next digit goes on from here.
      const next = register && free().find((n) => draft[n - 1] === null);
      if (next) panel.querySelector(`[data-register="${next}"]`).focus();
    } else if (event.key === "Backspace") {
      event.preventDefault();
      take(register && draft[register - 1] !== null ? register : undefined);
    } else if (event.key === "Escape") {
      active = null;
      drawPanel();
    }
  }
  panel.addEventListener("keydown", press);
  // Digits count even if nothing has the focus.
  const pressOutside = (event) => event.target === document.body && press(event);
  document.addEventListener("keydown", pressOutside);

  // Dragging with the mouse. Touching scrolls, and selects by a tap.
  function drag(event, card) {
    isDropped = false;
    if (event.pointerType === "touch" || event.button !== 0 || !isAsked("program")) return;
    const from = [event.clientX, event.clientY];
    let ghost = null;
    const move = (moved) => {
      if (!ghost && Math.hypot(moved.clientX - from[0], moved.clientY - from[1]) < 6) return;
      if (!ghost) {
        ghost = el("div", { class: `rr-card rr-${actionOf(card)} rr-ghost`, "aria-hidden": "true" }, cardFace(card));
        document.body.append(ghost);
      }
      ghost.style.left = `${moved.clientX}px`;
      ghost.style.top = `${moved.clientY}px`;
    };
    const end = (up) => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", end);
      document.removeEventListener("pointercancel", end);
      if (!ghost) return;
      ghost.remove();
      isDropped = true;
      setTimeout(() => { isDropped = false; }, 0);
      if (up.type === "pointercancel" || !isAsked("program")) return;
      const under = document.elementFromPoint(up.clientX, up.clientY);
      const target = under?.closest("[data-register]");
      if (target) put(card, Number(target.dataset.register));
      else if (under?.closest(".rr-hand") && draft.includes(card)) take(draft.indexOf(card) + 1);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  }

  // The crew

  function drawCrew(board) {
    const ranking = board.ranking;
    const order = ranking ?? board.robots.map((_, seat) => seat);
    const rows = order.map((seat, place) => {
      const robot = board.robots[seat];
      const states = !robot ? ["removed"] : [
        robot.damage >= 10 ? "destroyed" : null, robot.virtual ? "virtual" : null, robot.active ? null : "down",
      ].filter(Boolean);
      const facts = robot ? [
        el("span", {}, t("flags", { n: robot.flag, all: board.flags.length })),
        el("span", {}, t("damage", { n: robot.damage })),
        el("span", {}, t("lives", { n: robot.lives })),
        robot.damage < 10 ? el("span", { class: "rr-faces" }, t("faces", { facing: t(robot.facing) })) : null,
        robot.locked.length ? el("span", {}, t("lockedIn", { n: robot.locked.map(([n]) => n).join(t("or")) })) : null,
      ] : [];
      return el("li", { "data-seat": seat, class: you()?.seat === seat ? "mine" : null },
        ranking ? el("b", { class: "rr-place" }, `${place + 1}.`) : null,
        el("span", { class: `rr-mark seat${seat}` }, String(seat + 1)),
        el("div", {}, context.player(seat),
          el("div", { class: "rr-facts" }, facts, states.map((state) => el("em", {}, t(state)))),
          robot ? el("div", { class: "rr-cards" }) : null));
    });
    replace(crew, el("h2", {}, t(ranking ? "ranking" : "crew")), el("ol", {}, rows));
    drawCards();
  }

  /** Draws each robot's registers: the open cards, and the backs of the others. */
  function drawCards() {
    for (const row of crew.querySelectorAll("[data-seat]")) {
      const cards = turned.get(Number(row.dataset.seat)) ?? Array(5).fill(null);
      const shown = cards.map((card) => (card === null ? el("span", { class: "rr-shown rr-back" })
        : el("span", { class: "rr-shown", role: "img", "aria-label": t("card", { action: t(actionOf(card)), card }), title: t("card", { action: t(actionOf(card)), card }) }, icon(actionOf(card)))));
      const place = row.querySelector(".rr-cards");
      if (place) replace(place, shown);
    }
  }

  // What is said

  function caption() {
    const board = scene.board;
    if (scene.phase === "removed") return t(`removed_${you().removed}`, { n: you().seconds });
    // The result is shown only after the last step.
    if (timer === null) {
      if (you() && scene.won === true) return t("youWon");
      if (board?.ranking) return you() ? t("youLost") : t("over", { name: nameOf(scene, board.ranking[0], t) });
      if (scene.phase === "out") return t("out");
    }
    if (timer !== null && you()) return t("turn", seen);
    if (you() && ["joining", "waiting", "wait"].includes(scene.phase)) return t(scene.phase);
    if (you()?.prompt && isSent) return t("wait");
    if (you()?.prompt) {
      const n = you().opens;
      return you().prompt === "repair" ? t(n === 1 ? "promptRepair1" : "promptRepair", { n }) :
        t({ facing: "promptFacing", program: "promptProgram", power: "promptPower" }[you().prompt]);
    }
    if (!board) return t("waiting");
    return board.phase ? t("turnPhase", board) : t("turn", board);
  }

  /** The text above the course between steps. */
  function headline() {
    const { board } = scene;
    return board.turn && (you() || board.ranking) ? `${t("turn", board)} · ${caption()}` : caption();
  }

  const isEnded = () => Boolean(scene.board?.ranking) || scene.phase === "out" || scene.phase === "over";

  /** Shows the board that the steps have led to. */
  function reach(board) {
    drawCrew(board);
    board.robots.forEach((robot, seat) => {
      const before = flagged[seat];
      const name = nameOf(scene, seat, t);
      if (robot && before && robot.flag > before.flag) context.announce(t("saidFlag", { name, n: robot.flag }));
      if (robot && before && robot.lives < before.lives) context.announce(t("saidDestroyed", { name }));
    });
    flagged = board.robots;
  }

  function announce() {
    const now = caption();
    if (now !== prompted) context.announce(now);
    prompted = now;
  }

  function update(next) {
    scene = next;
    root.dataset.phase = next.phase;
    if (you()) {
      const key = JSON.stringify([you().hand, you().prompt, you().locked, next.board?.turn]);
      if (key !== hand) {
        hand = key;
        draft = [null, null, null, null, null];
        active = null;
        opened = new Set();
        isSent = false;
      }
    }
    stage.classList.toggle("empty", !next.board);
    if (next.board) {
      // The status is above the course.
      context.setStatus("");
      drawCourse(next.board);
      follow(next.board);
    } else {
      clear(crew);
      context.setStatus(caption());
    }
    drawPanel();
    announce();
  }

  return {
    update,
    isMoving: () => timer !== null,
    /** Waits until all steps were shown. */
    rest: () => (timer === null ? Promise.resolve() : new Promise((resolve) => resting.push(resolve))),
    destroy() {
      clearTimeout(timer);
      document.removeEventListener("keydown", pressOutside);
      clear(root);
    },
  };
}
