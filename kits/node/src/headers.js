// What a shop says to Baton: response headers. Baton takes them off the answer. Each function sets its header on a response of
// `http` or Express, or on `Headers`, and gives it back.

import { createHmac } from "node:crypto";

/** The most seats that Baton counts. */
const LEFT_MAX = 10_000_000;

const put = (target, name, value) => {
  if (typeof target.setHeader === "function") target.setHeader(name, value);
  else (target.headers ?? target).set(name, value);
  return target;
};

/** The visitor is done: the lease ends and the next in line is called. */
export const release = (response) => put(response, "Baton-Release", "1");

/** The visitor needs `seconds` more before the hard end, for a slow payment. Baton's `lease_extend_max_s` bounds it. */
export function extend(response, seconds) {
  if (!Number.isInteger(seconds) || seconds < 1) throw new RangeError(`extend: ${seconds} is no number of seconds; give a whole number of 1 or more`);
  return put(response, "Baton-Extend", String(seconds));
}

/** The shop has `left` seats. Signed with `secret`, which is ORIGIN_SECRET, for it concerns everybody in line. */
export function stock(response, { secret, room, left, now = Date.now() }) {
  if (!Number.isInteger(left) || left < 0 || left > LEFT_MAX)
    throw new RangeError(`stock: ${left} is no number of seats; give a whole number from 0 to ${LEFT_MAX}`);
  const mac = createHmac("sha256", secret).update(`baton-stock-v1\n${now}\n${room}\n${left}`).digest("hex");
  return put(response, "Baton-Stock", `v1;left=${left};t=${now};mac=${mac}`);
}
