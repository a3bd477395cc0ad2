// Requests to /api/v1, with the session's token. Events come through stream.js.

import { delays } from "./delays.js";
import { called, tame } from "./dom.js";
import { keep, kept, language, t } from "./words.js";

const ROOT = "/api/v1";
const BROWSER = "gamed.browser";
const KEY = "gamed.key";
const LONGEST = 1_048_576; // the longest file that the server takes, in bytes
const PATIENCE = 20_000; // ms to wait for an answer

/** The answer of GET /session: CSRF token, whether an administrator has logged in, version and games. */
export const session = { token: "", admin: false, version: "", games: [] };

/** The session's entry for a kind of game; a placeholder if the server does not offer it. */
export function gameOf(kind) {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  return session.games.find((game) => game.kind === kind) ?? { kind, name, can: [], bots: [], options: {} };
}

/** A refusal, as a sentence in the user's language. Status 0: the server did not answer. */
export class Refusal extends Error {
  constructor(status, { code = "", text = "", hint = "", record = null, room = null } = {}) {
    const key = [`error-${code}`, `refused-${code}`, `import-${code}`].find(t.has);
    const said = language() === "en" && [text, hint].filter((part) => typeof part === "string" && part).join(": ");
    const known = t.has(`status${status}`) ? t(`status${status}`) : t("statusOther", { status });
    super(key ? t(key) : said ? said.charAt(0).toUpperCase() + said.slice(1).replace(/[^.!?]$/, "$&.") : known);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.record = record; // the id of the record if the room has ended
    this.room = room; // the id of the room where to go instead
  }

  /** Whether the same request may succeed later. */
  get isPassing() {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

/**
 * The link to the server, which is down while anything waits for it. Events: "change" when it goes down or comes up, and
 * "retry" when all shall try again.
 */
export const link = new (class extends EventTarget {
  waiting = new Set(); // what waits for the server: keys of any kind
  #downAt = 0; // since when it is down

  /** Whether the server is out of reach. */
  get isDown() {
    return this.waiting.size > 0;
  }

  /** The time for clocks that are shown, in ms since 1970. It stops while the server cannot be reached. */
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

/** By how many milliseconds the server's clock is ahead of the browser's. */
let ahead = 0;

/** The server's time, in ms since 1970. It stops while the server cannot be reached. */
export function serverNow() {
  return link.now() + ahead;
}

/** @returns {Promise<[Response, string]>} */
async function once(method, path, body, signal, more) {
  const headers = { accept: "application/json", "x-gamed-browser": kept(BROWSER) ?? "", ...more };
  if (method !== "GET") headers["x-gamed-token"] = session.token;
  const isFile = body instanceof Blob;
  // The server would close the connection before it has read all of it.
  if (isFile && body.size > LONGEST) throw new Refusal(413);
  if (body !== undefined) headers["content-type"] = isFile ? "application/octet-stream" : "application/json";
  const signals = /** @type {AbortSignals} */ (/** @type {unknown} */ (AbortSignal));
  const limit = signals.timeout(PATIENCE);
  let response;
  let answer;
  try {
    response = await fetch(ROOT + path, {
      method,
      headers,
      body: isFile ? body : JSON.stringify(body),
      signal: signal ? signals.any([signal, limit]) : limit,
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

/** Parses JSON, and makes all strings in it safe to be shown within other text, and names short enough. */
export function read(text) {
  return JSON.parse(text, (_, value) => {
    if (typeof value === "string") return tame(value);
    return typeof value?.name === "string" ? called(value) : value;
  });
}

function parsed(text) {
  try {
    return read(text);
  } catch {
    return null;
  }
}

async function request(method, path, body, signal, more) {
  let [response, answer] = await once(method, path, body, signal, more);
  if (response.status === 401 || (response.status === 403 && method !== "GET")) {
    // The daemon may have been restarted. With the token of a new session, one more attempt may succeed.
    const stale = session.token;
    await refresh(signal);
    if (session.token !== stale) [response, answer] = await once(method, path, body, signal, more);
  }
  if (!response.ok) throw new Refusal(response.status, parsed(answer)?.error ?? {});
  return answer ? parsed(answer) : null;
}

export const get = (path, signal) => request("GET", path, undefined, signal);

/** The key that opens evidence; "" if there is none. It is known as long as the tab is open. */
export function key() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** Takes the key out of the address, so that nobody sees it who looks at the page or gets a link to it. */
export function takeKey() {
  const found = /^#key=(\w+)$/.exec(location.hash);
  if (!found) return;
  try {
    sessionStorage.setItem(KEY, found[1]);
  } catch {
    // The pages work without storage.
  }
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** The evidence on the programs of a record's game, as far as the key opens it. */
export const evidence = (path, signal) => request("GET", `${path}/evidence`, undefined, signal, { "x-gamed-key": key() });
export const post = (path, body = {}, signal) => request("POST", path, body, signal);
export const remove = (path, signal) => request("DELETE", path, undefined, signal);

/** Imports a module. Returns null if there is none; throws a Refusal if the server does not answer. */
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

/** Gets the session from the server. */
export async function refresh(signal) {
  Object.assign(session, await get("/session", signal));
  keep(BROWSER, session.browser);
  return session;
}

/** Waits for `ms`, or until the user retries or looks at the page again. Never resolves after an abort. */
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

/** Calls a function every `every` ms while the page is visible; less often while it fails. */
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
      wait = Math.max(every, Number(backoff.next().value));
    }
    await pause(wait, signal);
  }
}

/** All moves of a room or seat: next to the scene or in it. In a list of rooms, `moves` is only their number. */
export function movesOf({ moves, scene }) {
  return Array.isArray(moves) ? moves : (scene?.moves ?? []);
}
