// A window's way to the stream of events that all windows of a browser share (hub.js).
//
// A shared worker holds it; where there is none, the window that has the lock; where there are no locks, each window.

import { Refusal, get, link, movesOf, pause, read } from "./api.js";
import { delays } from "./delays.js";
import { DEAD, lead } from "./hub.js";

const NAME = import.meta.url; // with the version of the files: windows of two versions do not understand each other
const LOOK = 1_000; // ms between looks whether the hub still lives

const wants = new Map(); // by key: {topic, id, on, the calls by type}
let keys = 0;
let hub = null; // {host, send, close}
let heard = 0; // when the hub has said something
let isLost = false;

/**
 * Follows a room or seat: `scene(data)` for each event and `gone(refusal or null)` at its end.
 *
 * Where the server refuses it, it is asked for, and followed again if it is there. Only pages that are seen follow a
 * room; `keeps`: a hidden page goes on, as a player's must.
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

/** Follows a topic, such as rooms/ID: `on[type](data)` is called with the text of each event. Returns what ends it. */
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

/** Has the hub try at once, where it waits. */
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

/** Connects this window with the hub, and sees to it that there is one. `steals`: the present one is dead. */
function connected(steals = false) {
  const own = Math.random().toString(36);
  // Who cannot reach the worker must not meet it.
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

/** The hub says nothing any more: its worker or its window has died, or sleeps. Another one takes over. */
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
    // The browser has shared workers, but none that are modules.
    hasWorkers = false;
    replaceHub();
  };
  return worker;
}

/** Waits for the lock, and leads as long as it is not taken away. */
async function stand(name, steals, signal) {
  while (!signal.aborted) {
    const stolen = new AbortController();
    const leading = () => lead(name, AbortSignal.any([signal, stolen.signal]));
    await navigator.locks.request(name, steals ? { steal: true } : { signal }, leading).catch(() => stolen.abort());
    steals = false;
  }
}

// A window that is closed leaves at once; one that comes back out of the browser's memory goes on.
window.addEventListener("pagehide", () => hub?.send({ topics: [] }));
window.addEventListener("pageshow", (event) => event.persisted && retry());
window.addEventListener("online", retry);
link.addEventListener("retry", retry);
setInterval(() => hub && Date.now() - heard > DEAD && replaceHub(), LOOK);
