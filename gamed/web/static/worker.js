// The shared worker of all windows of a browser: it holds their event stream.

import { lead } from "./hub.js";

lead(self.name, new AbortController().signal);
