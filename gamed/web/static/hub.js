// The event stream that all windows of a browser share: a browser opens only six connections to a host.
//
// Each window sends its topics, with the last event that it has of each, again after each beat of the hub. So a new hub
// soon knows all windows, and forgets silent ones. When the topics change, the hub opens another stream, and the server
// sends what was missed. They use BroadcastChannels: unlike a worker's port, these still work while a window is closed.

import { delays } from "./delays.js";

const PATH = "/api/v1/events";
const PING = 5_000; // ms between two pings of the server, and between two beats
const SILENCE = 2.4 * PING; // ms without a ping after which the connection counts as lost
const LOOK = 500; // ms between checks of the windows and of the stream
const GATHER = 20; // ms for which changes are collected for one new stream
const GRACE = 2_500; // ms for which the stream may be lost before the windows show it
const MOST = 64; // topics that the server accepts
const TYPES = ["scene", "gone", "refused"];

/** Milliseconds without a message after which hub and window take each other for dead. */
export const DEAD = 2.4 * PING;

/** Holds the stream for all windows that use a channel. */
class Hub {
  #name; // of the channel
  #all; // the channel on which all windows post
  #windows = new Map(); // by name: {port: a channel, heard, wants: by key, {port, key, topic, id}}
  #source = null; // the EventSource
  #heard = 0; // when the stream last brought something
  #opens = 0; // when to open another stream; 0: never
  #brokeAt = 0; // since when there is no working stream; 0: there is one
  #isLost = false; // as the windows know it
  #backoff = delays();
  #told = 0; // when the last beat was sent
  #timer;

  constructor(name) {
    this.#name = name;
    // Wall-clock time: a computer that was asleep notices at once that the stream is lost.
    this.#timer = setInterval(() => this.#look(), LOOK);
    this.#all = new BroadcastChannel(name);
    this.#all.onmessage = ({ data: { from, message } }) => from && this.#take(from, message);
    // Asks all windows for their topics.
    this.#all.postMessage({ isNew: true });
  }

  /** Ends it: another hub has taken over. */
  stop() {
    clearInterval(this.#timer);
    this.#all.close();
    this.#source?.close();
    this.#source = null;
    for (const from of this.#windows.keys()) this.#forget(from);
  }

  #take(from, { topics, retry = false }) {
    const known = this.#windows.get(from);
    const port = known?.port ?? new BroadcastChannel(`${this.#name} ${from}`);
    const before = known?.wants ?? new Map();
    const wants = new Map(topics.map((want) => [want.key, before.get(want.key) ?? { ...want, port }]));
    this.#windows.set(from, { port, heard: Date.now(), wants });
    const isSame = wants.size === before.size && [...wants.keys()].every((key) => before.has(key));
    if (isSame && !retry) return;
    port.postMessage({ isLost: this.#isLost });
    this.#soon(GATHER);
  }

  #forget(from) {
    this.#windows.get(from).port.close();
    this.#windows.delete(from);
  }

  #soon(delay) {
    this.#opens = Math.min(this.#opens || Infinity, Date.now() + delay);
    setTimeout(() => this.#look(), delay);
  }

  #look() {
    const now = Date.now();
    for (const [from, { heard, wants }] of this.#windows) {
      if (now - heard <= DEAD) continue;
      this.#forget(from);
      // At once: the stream still brings the window's events.
      if (wants.size) this.#opens = now;
    }
    if (this.#source && now - this.#heard > SILENCE) this.#broke(true);
    if (this.#opens && now >= this.#opens) this.#open();
    if (this.#brokeAt && now - this.#brokeAt > GRACE) this.#say(true);
    if (now - this.#told > PING - LOOK) this.#beat();
  }

  #say(isLost) {
    if (isLost === this.#isLost) return;
    this.#isLost = isLost;
    this.#beat();
  }

  #beat() {
    this.#told = Date.now();
    for (const { port } of this.#windows.values()) port.postMessage({ isLost: this.#isLost });
  }

  #broke(isSilent = false) {
    this.#source?.close();
    this.#source = null;
    this.#brokeAt ||= isSilent ? 1 : Date.now();
    this.#soon(this.#backoff.next().value);
  }

  #open() {
    this.#source?.close();
    this.#source = null;
    this.#opens = 0;
    const wants = [...this.#windows.values()].flatMap((one) => [...one.wants.values()]);
    const taken = wants.slice(0, MOST);
    const full = JSON.stringify({ status: 429, error: { code: "topics" } });
    for (const { port, key } of wants.slice(MOST)) port.postMessage({ key, type: "refused", data: full });
    if (!taken.length) {
      this.#brokeAt = 0;
      this.#say(false);
      return;
    }
    const names = taken.map(({ topic, id }) => (id ? `${topic}@${id}` : topic));
    const source = new EventSource(`${PATH}?topics=${encodeURIComponent(names.join(","))}`);
    this.#source = source;
    this.#heard = Date.now();
    this.#listen(source, taken);
  }

  #listen(source, wants) {
    let current = null;
    const hears = (type, call) =>
      source.addEventListener(type, (event) => {
        if (source !== this.#source) return;
        this.#heard = Date.now();
        call(event);
      });
    hears("open", () => {
      this.#brokeAt = 0;
      this.#say(false);
    });
    hears("ping", () => {
      this.#backoff = delays();
      // In a hidden window, browsers slow timers down.
      this.#look();
    });
    hears("topic", ({ data }) => {
      current = wants[Number(data)];
    });
    for (const type of TYPES) {
      hears(type, ({ data, lastEventId }) => {
        const { port, key } = current;
        if (type === "scene") current.id = lastEventId;
        port.postMessage({ key, type, id: current.id, data });
      });
    }
    // The EventSource must not reconnect by itself: the address needs the newest ids.
    hears("error", () => this.#broke());
  }
}

/** Holds the stream for all windows that use a channel, until the signal is aborted. */
export function lead(name, signal) {
  const hub = new Hub(name);
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      hub.stop();
      resolve();
    });
  });
}
