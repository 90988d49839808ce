// Loaded in place of the worker's entry: makes messages between front, lobby and room look like those of another build, as long
// as a test wants it. `GET /skew/to_room,heard/2` begins it for these ways with that version, `GET /skew//1` ends it; both answer
// how many messages were changed on which way so far.

import inner, { LobbyObject as Lobby, RoomObject as Room } from "../../../src/edge/entry.js";

let ways = new Set();
let version = 1;
const counts = {};

function order({ pathname }) {
  const [, path, wanted, to] = pathname.split("/");
  if (path !== "skew") return null;
  ways = new Set(wanted.split(","));
  version = Number(to);
  return Response.json(counts);
}

const isSkewed = (way) => {
  if (ways.has(way)) counts[way] = (counts[way] ?? 0) + 1;
  return ways.has(way);
};

/** Text begins with the version as a digit, bytes with it as a byte. */
const text = (of) => `${version}${of.slice(1)}`;
const bytes = (of) => Uint8Array.from(new Uint8Array(of), (byte, at) => (at === 0 ? version : byte));
const from = async (message, change) => (change === text ? change(await message.text()) : change(await message.arrayBuffer()));

async function asked(request, way, change) {
  return isSkewed(way) ? new Request(request, { body: await from(request, change) }) : request;
}

async function answered(answer, way, change) {
  return answer.status === 200 && isSkewed(way) ? new Response(await from(answer, change), answer) : answer;
}

const at = (request) => new URL(request.url).pathname;

export { HouseObject, OutboxObject } from "../../../src/edge/entry.js";

export class LobbyObject extends Lobby {
  async fetch(request) {
    if (at(request) === "/push") return answered(await super.fetch(await asked(request, "push", bytes)), "heard", bytes);
    if (at(request) === "/ask") return answered(await super.fetch(await asked(request, "to_lobby", text)), "from_lobby", text);
    return super.fetch(request);
  }
}

export class RoomObject extends Room {
  async fetch(request) {
    if (at(request) !== "/room") return super.fetch(request);
    return answered(await super.fetch(await asked(request, "to_room", bytes)), "from_room", bytes);
  }
}

export default {
  fetch: (request, env, ctx) => order(new URL(request.url)) ?? inner.fetch(request, env, ctx),
};
