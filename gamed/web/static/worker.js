// The worker that all windows of a browser share: it holds their stream of events.

import { lead } from "./hub.js";

lead(self.name, new AbortController().signal);
