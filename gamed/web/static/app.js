// The shell of all pages: header, banner, announcements, and the router.

import { Refusal, code, link, pause, post, refresh, session, takeKey } from "./api.js";
import { delays } from "./delays.js";
import { el, isChord, replace } from "./dom.js";
import { button, choice, dialog, heading, link as anchor, sentence } from "./parts.js";
import { keep, kept, language, languages, speak, t } from "./words.js";

/** @type {[RegExp, string][]} */
const ROUTES = [
  [/^\/(?:rooms|seats)?$/, "lobby"],
  [/^\/rooms\/([^/]+)$/, "room"],
  [/^\/seats\/([^/]+)$/, "seat"],
  [/^\/records$/, "records"],
  [/^\/records\/([^/]+)$/, "record"],
  [/^\/login$/, "login"],
  [/^\/about$/, "about"],
  [/^\/tv$/, "tv"],
  [/^\/recorder(?:\/([^/]+))?$/, "recorder"],
];
const THEME = "gamed.theme";
const SLOW = 300; // ms after which "Loading …" is shown
const THEMES = ["auto", "light", "dark"];

const main = el("main", { id: "content", tabindex: -1 });
const header = el("header", { class: "top" });
const banner = el("div", { class: "banner", role: "status" });
const live = el("div", { class: "unseen", "aria-live": "polite" });

/** Announces a text to screen readers, each in an element of its own, so that none is lost. */
function announce(text) {
  const line = el("p", {}, text);
  live.append(line);
  setTimeout(() => line.remove(), 10_000);
}

/** Goes to another page. The way back leads to the same place on this one. */
function go(path, { replaces = false } = {}) {
  if (!replaces) history.replaceState({ top: scrollY }, "");
  history[replaces ? "replaceState" : "pushState"](null, "", path);
  return show(true);
}

// The look

function paint() {
  const theme = kept(THEME);
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

function drawBanner() {
  banner.hidden = link.waiting.size === 0;
  if (banner.hidden) replace(banner);
  else replace(banner, el("span", {}, t("away")), button(t("tryNow"), () => link.retry()));
}

function tab(path, text) {
  const isHere = path === "/" ? location.pathname === "/" : location.pathname.startsWith(path);
  return el("li", {}, anchor(path, { "aria-current": isHere ? "page" : null }, text));
}

function drawHeader() {
  const names = { auto: t("themeAuto"), light: t("themeLight"), dark: t("themeDark") };
  const themes = choice(
    THEMES.map((theme) => [theme, names[theme]]),
    kept(THEME) ?? "auto",
    {
      "aria-label": t("theme"),
      onchange: (event) => {
        keep(THEME, event.target.value === "auto" ? null : event.target.value);
        paint();
      },
    },
  );
  const tongues = choice(Object.entries(languages), language(), {
    "aria-label": t("language"),
    onchange: async (event) => {
      try {
        await speak(event.target.value);
      } catch {
        announce(t("away"));
      }
      await show(false);
      header.querySelector(`select[aria-label="${t("language")}"]`)?.focus();
    },
  });
  replace(
    header,
    anchor("/", { class: "brand" }, "gamed"),
    el(
      "nav",
      { "aria-label": t("nav") },
      el("ul", {}, tab("/", t("lobby")), tab("/records", t("records")), tab("/recorder", t("recorder"))),
    ),
    // On phones the settings are a popover.
    button("⚙", null, { class: "more", popovertarget: "settings", "aria-label": t("settings"), title: t("settings") }),
    el(
      "div",
      { class: "display", id: "settings", popover: "", role: "group", "aria-label": t("settings") },
      button("?", showKeys, { "aria-label": t("keys"), title: t("keys") }),
      tongues,
      themes,
      session.admin ? button(t("logout"), logout) : button(t("login"), login),
    ),
  );
}

async function login() {
  const { ask } = await import("./pages/login.js");
  if (await ask()) await show(false);
}

async function logout() {
  try {
    await post("/session/logout");
    await refresh();
  } catch (error) {
    announce(sentence(error));
  }
  await show(false);
}

// The page

let visit = new AbortController();
let keys = []; // what the keys of the page do, a line for each

function showKeys() {
  const all = [...keys, t("keyHelp")];
  const shown = dialog(t("keys"), [el("ul", {}, all.map((one) => el("li", {}, one)))], [button(t("close"), () => shown.close(), { autofocus: true })]);
}

/** A part of an address as text; as it is if it is not valid UTF-8, and then the server does not know it. */
function unescaped(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function match(path) {
  for (const [pattern, page] of ROUTES) {
    const found = pattern.exec(path);
    if (found) return [page, found[1] === undefined ? null : unescaped(found[1])];
  }
  return [null, null];
}

/** Sets the window's title. */
function entitle(text) {
  document.title = text ? `${text} · gamed` : "gamed";
}

async function show(isMoved, top = 0) {
  visit.abort();
  visit = new AbortController();
  const { signal } = visit;
  takeKey();
  document.documentElement.lang = language();
  replace(document.querySelector(".skip"), t("skip"));
  drawHeader();
  drawBanner();
  entitle("");
  if (isMoved) window.scrollTo(0, 0);
  const [page, id] = match(location.pathname.replace(/(.)\/+$/, "$1"));
  const query = new URLSearchParams(location.search);
  // At once, so that a projector never shows the header between two games.
  header.dataset.page = page;
  document.body.className = query.has("screen") || page === "tv" ? "screen" : "";
  if (page === null) return problem(t("notFound"), isMoved);
  const wait = setTimeout(() => replace(main, el("p", { class: "muted" }, t("loading"))), SLOW);
  signal.addEventListener("abort", () => clearTimeout(wait));
  const root = el("div", { class: `page ${page}` });
  keys = [];
  const view = { id, root, signal, keys, query, entitle, announce, go, again: () => show(false) };
  try {
    await attempt(async () => {
      const [module] = await Promise.all([code(`./pages/${page}.js`), session.token || refresh(signal)]);
      drawHeader();
      // The page is in the document before it is filled, because boards measure their size.
      clearTimeout(wait);
      replace(main, replace(root));
      await module.show(view);
    }, signal);
    if (signal.aborted) return;
    if (isMoved) (root.querySelector("h1") ?? main).focus({ preventScroll: true });
    if (top) window.scrollTo(0, top);
  } catch (error) {
    if (signal.aborted) return;
    clearTimeout(wait);
    problem(error instanceof Refusal ? sentence(error) : t("broken", { text: sentence(error) }), isMoved, error.room);
    if (!(error instanceof Refusal)) console.error(error);
  }
}

/** Retries with growing delays, until it succeeds, or fails in a way that is not temporary. */
async function attempt(call, signal) {
  const key = {};
  signal.addEventListener("abort", () => link.up(key));
  for (const delay of delays()) {
    try {
      await call();
      link.up(key);
      return;
    } catch (error) {
      if (signal.aborted || !(error instanceof Refusal) || !error.isPassing) {
        link.up(key);
        throw error;
      }
      link.down(key);
      replace(main, heading(t("failed")), el("p", {}, sentence(error)));
      await pause(delay, signal);
    }
  }
}

/** Moves the focus to the content. The address must not change: that would show the page anew. */
function skip(event) {
  event.preventDefault();
  main.focus();
}

function problem(text, isMoved, room) {
  document.body.className = "";
  entitle(t("failed"));
  const ways = [room && anchor(`/rooms/${encodeURIComponent(room)}`, { class: "button primary" }, t("toRoom")), anchor("/", { class: "button" }, t("toLobby"))];
  replace(main, heading(t("failed")), el("p", { role: "alert" }, text), el("p", { class: "buttons" }, ways));
  if (isMoved) main.querySelector("h1").focus();
}

// A link to another page does not load a new document.
document.addEventListener("click", (event) => {
  const found = event.target.closest?.("a[href]");
  const isPlain = event.button === 0 && !isChord(event) && !event.shiftKey;
  if (!found || !isPlain || event.defaultPrevented || found.target || found.hasAttribute("download")) return;
  const url = new URL(found.href);
  if (url.origin !== location.origin || url.hash || match(url.pathname)[0] === null) return;
  event.preventDefault();
  go(url.pathname + url.search);
});
window.addEventListener("popstate", (event) => show(true, event.state?.top));
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !isChord(event) && !event.target.closest("input, select, textarea, dialog")) showKeys();
});
history.scrollRestoration = "manual";
link.addEventListener("change", drawBanner);

paint();
document.body.append(el("a", { class: "skip", href: "#content", onclick: skip }, t("skip")), header, banner, main, live);
show(false);
