// Talks to /api/v1: requests with the session's token, and streams of events that come back by themselves.

import { tame } from "./dom.js";
import { t } from "./words.js";

const ROOT = "/api/v1";
const PATIENCE = 20_000; // ms that an answer may take
const FIRST_DELAY = 1_000; // ms before the first new attempt; doubled up to the longest
const LONGEST_DELAY = 30_000;
const GRACE = 2_500; // ms that a stream may be away before anybody is told
const NAP = 30_000; // ms: a page that was hidden longer may have slept, and does not trust its stream

/** What GET /session told: the token for changes, whether the administrator is here, the version and the games. */
export const session = { token: "", admin: false, version: "", games: [] };

/** The game of this kind as the session names it; a stand-in for one that is not offered. */
export function gameOf(kind) {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  return session.games.find((game) => game.kind === kind) ?? { kind, name, can: [], bots: [], options: {} };
}

/** What the server refused (or, with status 0, that it did not answer), as a sentence in the reader's language. */
export class Refusal extends Error {
  constructor(status, { code = "", text = "", hint = "", record = null } = {}) {
    const known = t.has(`status${status}`) ? t(`status${status}`) : t("statusOther", { status });
    const why = t.has(`error-${code}`) ? [t(`error-${code}`)] : [text, hint];
    super([known, ...why].filter((part) => typeof part === "string" && part).join(" "));
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.record = record; // of a room that has ended
  }

  /** Whether the same request may succeed later. */
  get isPassing() {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

/** Who waits for the server just now; "change" when the first begins and the last stops, "retry" when all shall try. */
export const link = new (class extends EventTarget {
  waiting = new Set();

  down(who) {
    this.waiting.add(who);
    if (this.waiting.size === 1) this.dispatchEvent(new Event("change"));
  }

  up(who) {
    if (this.waiting.delete(who) && this.waiting.size === 0) this.dispatchEvent(new Event("change"));
  }

  retry() {
    this.dispatchEvent(new Event("retry"));
  }
})();

/** Milliseconds that the server's clock is ahead of this one's. */
let ahead = 0;

/** The server's time, in ms since 1970. */
export function serverNow() {
  return Date.now() + ahead;
}

async function once(method, path, body, signal) {
  const headers = { accept: "application/json" };
  if (method !== "GET") headers["x-gamed-token"] = session.token;
  const isFile = body instanceof Blob;
  if (body !== undefined) headers["content-type"] = isFile ? "application/octet-stream" : "application/json";
  const limit = AbortSignal.timeout(PATIENCE);
  let response;
  let answer;
  try {
    response = await fetch(ROOT + path, {
      method,
      headers,
      body: isFile ? body : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    answer = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal(0);
  }
  const date = Date.parse(response.headers.get("date"));
  if (date && Math.abs(date - serverNow()) > 2_000) ahead = date - Date.now();
  return [response, answer];
}

/** What JSON says; no text in it can disturb the text round it, wherever it is shown. */
function read(text) {
  return JSON.parse(text, (_, value) => (typeof value === "string" ? tame(value) : value));
}

function parsed(text) {
  try {
    return read(text);
  } catch {
    return null;
  }
}

async function request(method, path, body, signal) {
  let [response, answer] = await once(method, path, body, signal);
  if (response.status === 401 || (response.status === 403 && method !== "GET")) {
    // The daemon may have been started anew, and the session with it: with another token it is worth one more attempt.
    const stale = session.token;
    await refresh(signal);
    if (session.token !== stale) [response, answer] = await once(method, path, body, signal);
  }
  if (!response.ok) throw new Refusal(response.status, parsed(answer)?.error ?? {});
  return answer ? parsed(answer) : null;
}

export const get = (path, signal) => request("GET", path, undefined, signal);
export const post = (path, body = {}, signal) => request("POST", path, body, signal);
export const remove = (path, signal) => request("DELETE", path, undefined, signal);

/** Imports a module; a server that does not answer is told from one that has no such module (then: null). */
export async function code(path) {
  try {
    return await import(path);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const found = await fetch(path, { method: "HEAD" }).catch(() => null);
    if (found?.status === 404) return null;
    throw found?.ok ? error : new Refusal(found?.status ?? 0);
  }
}

/** Asks who we are. */
export async function refresh(signal) {
  Object.assign(session, await get("/session", signal));
  return session;
}

/** The delays between attempts: 1 s, 2 s, 4 s … 30 s, each a little uneven so that many pages do not come at once. */
export function* delays() {
  for (let delay = FIRST_DELAY; ; delay = Math.min(delay * 2, LONGEST_DELAY)) yield delay * (0.8 + 0.4 * Math.random());
}

/** Waits so long; less if somebody asks to try at once, or looks at the page again. Never ends after an abort. */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    const ends = new AbortController();
    const done = () => {
      clearTimeout(timer);
      ends.abort();
      if (!signal?.aborted) resolve();
    };
    const timer = setTimeout(done, ms);
    link.addEventListener("retry", done, { signal: ends.signal });
    document.addEventListener("visibilitychange", () => document.hidden || done(), { signal: ends.signal });
    signal?.addEventListener("abort", done, { signal: ends.signal });
  });
}

/** Calls so often, only while the page is seen, and at once when it is seen again; with longer waits while it fails. */
export async function poll(call, every, signal) {
  let backoff = delays();
  signal.addEventListener("abort", () => link.up(call));
  while (!signal.aborted) {
    let wait = every;
    try {
      if (!document.hidden) await call();
      link.up(call);
      backoff = delays();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      link.down(call);
      wait = Math.max(every, backoff.next().value);
    }
    await pause(wait, signal);
  }
}

/** All moves of a room or seat: beside the scene, or in it (a room's own `moves` may be their number). */
export function movesOf({ moves, scene }) {
  return Array.isArray(moves) ? moves : (scene?.moves ?? []);
}

/**
 * Follows a room or seat: `scene(data)` for each event and `gone(refusal or null)` at its end.
 *
 * The browser reconnects by itself and names the last event; where it gives up (the server answered with an error) the
 * resource is asked for, and the stream opened again. After sleep a half-dead connection is not waited for.
 *
 * A browser holds six connections to a host, whatever the number of its windows: so only pages that are seen have a
 * stream, and take up again where they were when they are seen. `keeps`: a hidden page holds it too, as a player's must.
 */
export function follow(resource, { scene, gone }, { signal, keeps = false }) {
  let source = null;
  let backoff = delays();
  let timer = 0;
  let hiddenSince = 0;
  let attempt = 0;
  let isEnded = false;
  const key = {};

  /** The line holds, or is given up: nobody need be told. */
  function settle() {
    clearTimeout(timer);
    timer = 0;
  }

  function close() {
    settle();
    attempt += 1;
    source?.close();
    source = null;
  }

  function end(refusal) {
    close();
    isEnded = true;
    link.up(key);
    if (!signal.aborted) gone(refusal);
  }

  function open() {
    close();
    if (signal.aborted || isEnded || (document.hidden && !keeps)) return;
    const own = new EventSource(`${ROOT}${resource}/events`);
    source = own;
    own.onopen = () => {
      settle();
      link.up(key);
    };
    own.addEventListener("scene", (event) => {
      backoff = delays();
      scene(read(event.data));
    });
    own.addEventListener("gone", () => end(null));
    own.onerror = () => {
      if (own.readyState === EventSource.CLOSED) again();
      // The browser tries again sooner than the grace is over, and fails each time: the first failure counts.
      else timer ||= setTimeout(() => link.down(key), GRACE);
    };
  }

  async function again() {
    close();
    const mine = attempt;
    link.down(key);
    await pause(backoff.next().value, signal);
    try {
      if (mine !== attempt) return;
      const now = await get(resource, signal);
      if (mine !== attempt) return;
      scene({ scene: now.scene, moves: movesOf(now), reset: true });
      open();
    } catch (error) {
      if (signal.aborted || mine !== attempt) return;
      if (!(error instanceof Refusal)) throw error;
      if (error.isPassing) again();
      else end(error);
    }
  }

  function turned() {
    if (!document.hidden) {
      if (!keeps || Date.now() - hiddenSince > NAP) open();
      return;
    }
    hiddenSince = Date.now();
    if (keeps) return;
    close();
    link.up(key);
  }

  document.addEventListener("visibilitychange", turned, { signal });
  window.addEventListener("online", open, { signal });
  window.addEventListener("pageshow", (event) => event.persisted && open(), { signal });
  link.addEventListener("retry", () => source?.readyState === EventSource.CONNECTING && open(), { signal });
  signal.addEventListener("abort", () => {
    close();
    link.up(key);
  });
  open();
}
