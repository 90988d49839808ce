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
const text = () => 48 + version;
const bytes = () => version;
const SAID = "Baton-Said";

/** Where it stood, in the header or in the body, the changed message stands again. */
async function changed(message, first) {
  const change = (of) => Uint8Array.from(of, (byte, at) => (at === 0 ? first() : byte));
  const said = message.headers.get(SAID);
  if (!said) return { body: change(new Uint8Array(await message.arrayBuffer())) };
  const headers = new Headers(message.headers);
  headers.set(SAID, change(Uint8Array.fromBase64(said)).toBase64());
  return { headers };
}

async function asked(request, way, first) {
  return isSkewed(way) ? new Request(request, await changed(request, first)) : request;
}

async function answered(answer, way, first) {
  if (answer.status !== 200 || !isSkewed(way)) return answer;
  const { body = null, headers = answer.headers } = await changed(answer, first);
  return new Response(body, { status: answer.status, headers });
}

/** A socket's ask and what is told of it stand in headers of their own, whether a socket came of it or not. */
function beside(headers, name) {
  const all = new Headers(headers);
  const said = all.get(name);
  if (said) all.set(name, String.fromCharCode(text()) + said.slice(1));
  return all;
}

function socketAsked(request) {
  return isSkewed("to_socket") ? new Request(request, { headers: beside(request.headers, "Baton-Ask") }) : request;
}

function socketAnswered(answer) {
  if (!answer.headers.has("Baton-Told") || !isSkewed("from_socket")) return answer;
  const { status, webSocket } = answer;
  return new Response(answer.body, { status, webSocket, headers: beside(answer.headers, "Baton-Told") });
}

/** What a front measures rides along with its questions: as a build writes it that measures more. */
const MEASURED = { "Baton-Overheard": `1${JSON.stringify({ origin: "3,1,4", stock: [99_999_999_999, 1], times: 9 })}` };

function measured(request) {
  if (!isSkewed("measured")) return request;
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(MEASURED)) headers.set(name, value);
  return new Request(request, { headers });
}

const at = (request) => new URL(request.url).pathname;

export { HouseObject, OutboxObject } from "../../../src/edge/entry.js";

export class LobbyObject extends Lobby {
  async fetch(request) {
    if (at(request) === "/push") return answered(await super.fetch(await asked(request, "push", bytes)), "heard", bytes);
    if (at(request) === "/ask") return answered(await super.fetch(measured(await asked(request, "to_lobby", text))), "from_lobby", text);
    if (at(request) === "/socket") return socketAnswered(await super.fetch(measured(socketAsked(request))));
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
