// The one stream of events of a browser: a browser has six connections to a host, whatever the number of its windows.
//
// Each window says what it wants, with the last event that it has of each topic, and says so again after each beat: a
// new hub knows all of it soon, and forgets a window that is silent. When other things are wanted, the hub opens another
// stream, and the server sends what was missed. They talk by BroadcastChannels: a window that is closed can still say so
// there, which it cannot by a worker's port.

import { delays } from "./delays.js";

const PATH = "/api/v1/events";
const PING = 5_000; // ms between two pings of the server, and between two beats
const SILENCE = 2.4 * PING; // ms without a ping after which the connection counts as lost
const LOOK = 500; // ms between looks at all this
const GATHER = 20; // ms in which changes are gathered for one new stream
const GRACE = 2_500; // ms that a stream may be away before anybody is told
const MOST = 64; // topics that the server takes
const TYPES = ["scene", "gone", "refused"];

/** Milliseconds without a beat after which a hub counts as dead, and a window to a hub. */
export const DEAD = 2.4 * PING;

/** Holds the stream for all windows that use a channel. */
class Hub {
  #name;
  #all;
  #windows = new Map(); // by name: {port, heard, wants: by key, {port, key, topic, id}}
  #source = null;
  #heard = 0; // when the stream has brought something, or was asked for
  #opens = 0; // when a stream shall be opened; 0: not now
  #brokeAt = 0; // since when there is no stream that works; 0: there is one
  #isLost = false;
  #backoff = delays();
  #told = 0; // when the last beat was
  #timer;

  constructor(name) {
    this.#name = name;
    // By the time of day: a computer that slept notices at once when it wakes.
    this.#timer = setInterval(() => this.#look(), LOOK);
    this.#all = new BroadcastChannel(name);
    this.#all.onmessage = ({ data: { from, message } }) => from && this.#take(from, message);
    // A new hub knows nobody.
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
      // At once: the stream must bring nothing for it any more.
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
      // The timers of a window that is not seen are slow.
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
    // It is opened by us, not by the browser: its address has the last events of before.
    hears("error", () => this.#broke());
  }
}

/** Holds the stream for all windows that use a channel, until it is told to stop. */
export function lead(name, signal) {
  const hub = new Hub(name);
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      hub.stop();
      resolve();
    });
  });
}
