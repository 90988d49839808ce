// The plays: a client before a full room whose only permit comes free, and a client that is told to wait and left alone.

import { eventually, pass } from "../../runtime/harness.mjs";
import { handsOf } from "./hands.mjs";
import { comesBack, comesIn, keepsPlace } from "./judge.mjs";

/** So long a client that waits by itself is watched: three times what a stranger is told, and more. */
const WATCHED_MS = 11_000;
/** A person presses the key again after so long, and gives up after so many times. */
const RELOAD_EVERY_MS = 700;
const RELOADS_MAX = 12;
const ASKS_MAX = 40;
const ASK_EVERY_MS = 250;

const hasPlace = (sent) => sent.some(({ answer }) => (answer?.["set-cookie"] ?? []).some((cookie) => cookie.includes("-ticket=")));
const stateOf = ({ body } = {}) => /"state":"(\w+)"/.exec(body)?.[1];

/** What docs/client.md says: the gated page, `join`, `status` until the call, `claim`, the page. */
async function callsIn(hands, rooms, scheme, room, holder) {
  const ask = async (method, name) => {
    await hands.ask(method, name ? rooms.call(scheme, room, name) : rooms.page(scheme, room));
    return rooms.sent(room).at(-1);
  };
  await ask("GET");
  // The first answer to somebody new is a cookie.
  for (let tries = 0; tries < 2 && !hasPlace(rooms.sent(room)); tries += 1) await ask("POST", "join");
  if (!hasPlace(rooms.sent(room))) return;
  await ask("GET", "status");
  await holder.leave();
  for (let asks = 0; asks < ASKS_MAX && stateOf(await ask("GET", "status")) === "waiting"; asks += 1) await pass(ASK_EVERY_MS);
  await ask("POST", "claim");
  await ask("GET");
}

/** A person at a terminal: opens the page, and loads it again until the shop is there. */
async function looksIn(hands, rooms, scheme, room, holder) {
  hands.open(rooms.page(scheme, room));
  let isHeld = true;
  for (let reloads = 0; reloads < RELOADS_MAX && !comesIn(rooms.sent(room)); reloads += 1) {
    await pass(RELOAD_EVERY_MS);
    if (isHeld && hasPlace(rooms.sent(room))) {
      await holder.leave();
      isHeld = false;
    }
    hands.reload();
  }
  await pass(RELOAD_EVERY_MS);
}

async function played(client, mode, at, { rooms, room }, story) {
  const holder = await rooms.holder(room);
  const hands = handsOf(client, mode, at);
  try {
    await story(hands, holder);
  } catch (error) {
    console.log(`  ${room}: ${error.message}`);
  } finally {
    await hands.end();
    if (process.env.BATON_TRACE)
      console.log(
        rooms
          .sent(room)
          .map(({ method, path, status }) => `    ${method} ${path} ${status}`)
          .join("\n"),
        hands.said(),
      );
  }
  return rooms.sent(room);
}

/** Resolves to `{ kept, isIn }` of a client that wants to come in. */
export async function entrance(client, mode, at, { rooms, scheme, room }) {
  const story = client.shows ? looksIn : callsIn;
  const sent = await played(client, mode, at, { rooms, room }, (hands, holder) => story(hands, rooms, scheme, room, holder));
  return { kept: keepsPlace(sent), isIn: comesIn(sent) };
}

/** Resolves to how a client comes back by itself. */
export async function patience(client, at, { rooms, room }) {
  const url = rooms.page("http", room);
  const isEnough = () => rooms.sent(room).length > 2;
  const sent = await played(client, "waits", at, { rooms, room }, async (hands) => {
    const asked = hands.open ? hands.open(url) : hands.ask("GET", url).catch(() => {});
    await Promise.race([eventually(isEnough, { timeoutMs: WATCHED_MS }).catch(() => {}), ...(asked ? [asked] : [])]);
  });
  return comesBack(sent);
}
