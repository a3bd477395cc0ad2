// A window's way to the stream of events that all windows of a browser share (hub.js).
//
// The stream is held by a shared worker. Where there is none, by one of the windows: the one that has the lock. Where
// there are no locks either, as on a page without TLS that is not the computer's own, each window holds a stream for
// itself.

import { DEAD, lead } from "./hub.js";

const NAME = import.meta.url; // with the version of the files: windows of two versions do not understand each other
const LOOK = 1_000; // ms between looks whether the hub still lives

const wants = new Map(); // by key: {topic, id, on, the calls by type}
let keys = 0;
let hub = null; // {host, send, close}
let heard = 0; // when the hub has said something
let isLost = false;
let tellsLost = () => undefined;

/** Has a call told whether the server is out of reach. */
export function onLost(call) {
  tellsLost = call;
}

/**
 * Follows a topic, such as rooms/ID: `on[type](data)` is called with the text of each event. Returns what ends it.
 */
export function subscribe(topic, on) {
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
export function retry() {
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
  tellsLost(now);
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
setInterval(() => hub && Date.now() - heard > DEAD && replaceHub(), LOOK);
