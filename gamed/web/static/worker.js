// The worker that all windows of a browser share: it holds their stream of events.

import { Hub } from "./hub.js";

const hub = new Hub("/api/v1/events");

self.addEventListener("connect", ({ ports: [port] }) => {
  port.onmessage = ({ data }) => hub.take(port, data);
});
