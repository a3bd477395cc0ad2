// Talks to /api/v1: requests with the session's token. Events come by stream.js.

import { delays } from "./delays.js";
import { tame } from "./dom.js";
import { t } from "./words.js";

const ROOT = "/api/v1";
const PATIENCE = 20_000; // ms that an answer may take

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
    const key = [`error-${code}`, `refused-${code}`, `import-${code}`].find(t.has);
    const why = key ? [t(key)] : [text, hint];
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
  #downAt = 0;

  /** Whether the server is out of reach. */
  get isDown() {
    return this.waiting.size > 0;
  }

  /** The time of clocks, in ms since 1970: it stands still while the server is out of reach. */
  now() {
    return this.isDown ? this.#downAt : Date.now();
  }

  down(who) {
    if (!this.isDown) this.#downAt = Date.now();
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

/** The server's time, in ms since 1970; it stands still while the server is out of reach. */
export function serverNow() {
  return link.now() + ahead;
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
  if (date && Math.abs(date - Date.now() - ahead) > 2_000) ahead = date - Date.now();
  return [response, answer];
}

/** What JSON says; no text in it can disturb the text round it, wherever it is shown. */
export function read(text) {
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
