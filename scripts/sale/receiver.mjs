// The shop's other software: it takes webhooks at a loopback address, verifies each signature without Baton's code, and refuses one message
// once, so that it must come again.

import { randomBytes } from "node:crypto";
import { signatureOf, startReceiver } from "../../tests/runtime/support/receiver.mjs";

/** The message that is refused the first time. */
const REFUSED = "room.drawn";
/** Standard Webhooks: a receiver believes no message that is further than this from its own clock. */
const AGE_S_MAX = 300;

/**
 * Starts the receiver. `vars` make a Baton on this machine send its webhooks here, through the door that the tests use: a deployment sends to public
 * addresses alone. `heard()` returns each message in the order of coming, `{ id, type, timestamp, data, text, isSigned, isTaken }`.
 */
export async function startHook() {
  const key = randomBytes(32);
  const heard = [];
  const waiters = new Set();
  const closing = [];
  const take = (message, response) => {
    const { id, text, json: { type, timestamp, data = {} } = {} } = message;
    const isTaken = type !== REFUSED || heard.some((one) => one.type === REFUSED);
    heard.push({ id, type, timestamp, data, text, isSigned: isSigned(message, key), isTaken });
    response.writeHead(isTaken ? 204 : 503).end();
    for (const look of waiters) look();
  };
  const { url } = await startReceiver({ after: (stop) => closing.push(stop) }, take);
  return {
    vars: {
      WEBHOOKS: [{ name: "crm", url: "https://hooks.example.net/baton" }],
      WEBHOOK_SECRET: `whsec_${key.toString("base64")}`,
      WEBHOOK_STAND_IN: url,
    },
    heard: () => heard,
    until: (isEnough, withinMs) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          waiters.delete(look);
          resolve();
        };
        const look = () => isEnough(heard) && end();
        const timer = setTimeout(end, withinMs);
        waiters.add(look);
        look();
      }),
    stop: () => closing.forEach((stop) => stop()),
  };
}

/** Returns whether the message is signed with this key, and new. */
export function isSigned(message, key) {
  return message.signatures.includes(signatureOf(message, key)) && Math.abs(message.at_s - Date.now() / 1_000) < AGE_S_MAX;
}
