// Taking a seat, and remembering how, for another game like it.

import { post } from "../api.js";

const LAST = "gamed.seat.";

/** Takes a seat, and remembers the request for "Play again". */
export async function sit(request) {
  const seat = await post("/seats", request);
  try {
    sessionStorage.setItem(LAST + seat.id, JSON.stringify(request));
  } catch {
    // Storage is disabled; "Play again" then asks.
  }
  return seat;
}

/** The request by which a seat was taken; null if it is unknown or cannot be repeated. */
export function howSat(id) {
  try {
    const request = JSON.parse(sessionStorage.getItem(LAST + id));
    return request?.reservation || request?.room ? null : request;
  } catch {
    return null;
  }
}
