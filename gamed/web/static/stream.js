// Connects a window to the event stream that all windows of a browser share (hub.js).
//
// The hub is in a shared worker; without workers in the window with a lock; without locks in each window.
import { Refusal, get, link, movesOf, pause, read } from "./api.js";
import { delays } from "./delays.js";
import { DEAD, lead } from "./hub.js";

const NAME = import.meta.url; // contains the version of the files: windows of different versions must not share a hub
const LOOK = 1_000; // ms between checks whether the hub is still alive

const wants = new Map(); // by key: {topic, id, on: functions by type of event}
let keys = 0; // the last key
let hub = null; // {host, send, close}
let heard = 0; // when the hub last sent something
let isLost = false;

/**
 * Follows a room or seat. Calls `scene(data)` for each event, and `gone(refusal or null)` at the end.
 *
 * If the server refuses, the resource is requested, and followed again if it exists. Only visible pages follow; with
 * `keeps` hidden ones do, too, as a player's must.
 */
export function follow(resource, { scene, gone }, { signal, keeps = false }) {
  let drop = null;
  let backoff = delays();
  let attempt = 0;
  let isEnded = false;
  const key = {};

  function close() {
    attempt += 1;
    drop?.();
    drop = null;
    link.up(key);
  }

  function end(refusal) {
    close();
    isEnded = true;
    if (!signal.aborted) gone(refusal);
  }

  function open() {
    close();
    if (signal.aborted || isEnded || (document.hidden && !keeps)) return;
    drop = subscribe(resource.slice(1), {
      scene: (text) => {
        backoff = delays();
        scene(read(text));
      },
      gone: () => end(null),
      refused: again,
    });
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
    if (document.hidden && !keeps) close();
    else if (!drop) open();
  }

  document.addEventListener("visibilitychange", turned, { signal });
  signal.addEventListener("abort", close);
  open();
}

/** Follows a topic, such as rooms/ID: calls `on[type](data)` with each event's text. Returns a function that ends it. */
function subscribe(topic, on) {
  const key = ++keys;
  wants.set(key, { topic, id: null, on });
  tell();
  return () => {
    wants.delete(key);
    if (!wants.size) lost(false);
    tell();
  };
}

/** Lets the hub reconnect at once instead of after its delay. */
function retry() {
  tell({ retry: true });
}

function tell(more = {}) {
  if (!hub && !wants.size) return;
  hub ??= connected();
  const topics = [...wants].map(([key, { topic, id }]) => ({ key, topic, id }));
  hub.send({ topics, ...more });
}

function lost(now) {
  if (isLost === now) return;
  isLost = now;
  if (now) link.down(wants);
  else link.up(wants);
}

function hear(message) {
  heard = Date.now();
  if ("isLost" in message) {
    lost(message.isLost && wants.size > 0);
    tell();
    return;
  }
  const want = wants.get(message.key);
  if (!want) return;
  want.id = message.id;
  want.on[message.type](message.data);
}

let hasWorkers = typeof SharedWorker !== "undefined";

/** Connects this window to the hub, and starts one if there is none. `steals`: replaces a hub that is dead. */
function connected(steals = false) {
  const own = Math.random().toString(36);
  // Windows without workers use another channel than a hub in a worker does.
  const name = hasWorkers ? NAME : `${NAME} ${navigator.locks ? "leader" : own}`;
  const all = new BroadcastChannel(name);
  const mail = new BroadcastChannel(`${name} ${own}`);
  const ends = new AbortController();
  heard = Date.now();
  all.onmessage = ({ data }) => data.isNew && tell();
  mail.onmessage = ({ data }) => hear(data);
  return {
    host: host(name, steals, ends.signal),
    send: (message) => all.postMessage({ from: own, message }),
    close() {
      ends.abort();
      mail.close();
      all.close();
    },
  };
}

/** Starts another hub: the worker or window of the present one is dead, or suspended. */
function replaceHub() {
  hub?.close();
  hub = connected(true);
  lost(wants.size > 0);
  tell();
}

function host(name, steals, signal) {
  if (!hasWorkers) return navigator.locks ? stand(name, steals, signal) : lead(name, signal);
  const worker = new SharedWorker(new URL("./worker.js", NAME), { type: "module", name });
  worker.onerror = () => {
    // The browser has shared workers, but not with modules.
    hasWorkers = false;
    replaceHub();
  };
  return worker;
}

/** Waits for the lock, and runs the hub until the lock is stolen. */
async function stand(name, steals, signal) {
  while (!signal.aborted) {
    const stolen = new AbortController();
    const signals = /** @type {AbortSignals} */ (/** @type {unknown} */ (AbortSignal));
    const leading = () => lead(name, signals.any([signal, stolen.signal]));
    await navigator.locks.request(name, steals ? { steal: true } : { signal }, leading).catch(() => stolen.abort());
    steals = false;
  }
}

// A window that is closed leaves at once. One that the browser restores from its cache goes on.
window.addEventListener("pagehide", () => hub?.send({ topics: [] }));
window.addEventListener("pageshow", (event) => event.persisted && retry());
window.addEventListener("online", retry);
link.addEventListener("retry", retry);
setInterval(() => hub && Date.now() - heard > DEAD && replaceHub(), LOOK);
