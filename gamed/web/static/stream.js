// A window's way to the stream of events that all windows of a browser share (hub.js).
//
// The stream is held by a shared worker. Where there is none, by one of the windows: the one that has the lock; the
// others reach it by channels. Where there are no locks either, as on a page without TLS that is not the computer's own,
// each window holds a stream for itself.

import { DEAD, Hub } from "./hub.js";

const PATH = "/api/v1/events";
const NAME = import.meta.url; // with the version of the files: windows of two versions do not understand each other
const LOOK = 1_000; // ms between looks whether the hub still lives

const wants = new Map(); // by key: {topic, id, on, the calls by type}
let keys = 0;
let hub = null; // {send, close}
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

// The ways

let way = typeof SharedWorker === "undefined" ? byLeader : byWorker;

function connected(steals = false) {
  heard = Date.now();
  return way(steals);
}

/** The hub says nothing any more: its worker or its window has died, or sleeps. Another one takes over. */
function replaceHub() {
  hub?.close();
  hub = connected(true);
  lost(wants.size > 0);
  tell();
}

function byWorker() {
  const worker = new SharedWorker(new URL("./worker.js", NAME), { type: "module", name: NAME });
  const { port } = worker;
  port.onmessage = ({ data }) => hear(data);
  worker.onerror = () => {
    // The browser has shared workers, but none of this kind.
    way = byLeader;
    replaceHub();
  };
  return { send: (message) => port.postMessage(message), close: () => port.close() };
}

function byLeader(steals) {
  const own = Math.random().toString(36);
  const common = navigator.locks ? NAME : `${NAME} ${own}`;
  const mail = new BroadcastChannel(`${common} ${own}`);
  const all = new BroadcastChannel(common);
  const ends = new AbortController();
  mail.onmessage = ({ data }) => hear(data);
  // A new leader knows nobody.
  all.onmessage = ({ data }) => data.isNew && tell();
  if (navigator.locks) stand(common, steals, ends.signal);
  else lead(common, ends.signal);
  return {
    send: (message) => all.postMessage({ from: own, message }),
    close() {
      ends.abort();
      mail.close();
      all.close();
    },
  };
}

/** Waits for the lock, and leads as long as it is not taken away. */
async function stand(common, steals, signal) {
  while (!signal.aborted) {
    const stolen = new AbortController();
    const leading = () => lead(common, AbortSignal.any([signal, stolen.signal]));
    await navigator.locks.request(common, steals ? { steal: true } : { signal }, leading).catch(() => stolen.abort());
    steals = false;
  }
}

/** Holds the stream for all windows until it is told to stop. */
function lead(common, signal) {
  const hub = new Hub(PATH);
  const ports = new Map();
  const all = new BroadcastChannel(common);
  all.onmessage = ({ data: { from, message } }) => {
    if (!from) return;
    if (!ports.has(from)) ports.set(from, new BroadcastChannel(`${common} ${from}`));
    hub.take(ports.get(from), message);
  };
  all.postMessage({ isNew: true });
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      hub.stop();
      for (const port of [all, ...ports.values()]) port.close();
      resolve();
    });
  });
}

// A window that is closed leaves at once; one that comes back out of the browser's memory goes on.
window.addEventListener("pagehide", () => hub?.send({ topics: [] }));
window.addEventListener("pageshow", (event) => event.persisted && retry());
window.addEventListener("online", retry);
setInterval(() => hub && Date.now() - heard > DEAD && replaceHub(), LOOK);
