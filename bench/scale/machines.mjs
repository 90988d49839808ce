// The two profiles of `npm run scale`: how long an object takes for each piece of work, in ms of its one thread, and how far apart objects are, in ms
// on the way. Each figure has its source.

import { readFileSync } from "node:fs";

/** The recorded crowds of `npm run scale -- --validate`. A few people measured each crowd's pieces of work, one by one, just before it. */
const CROWDS = JSON.parse(readFileSync(new URL("../crowds.json", import.meta.url), "utf8"));

/** Returns the median of what this piece of work took before each crowd, in ms. */
function took(piece) {
  const times = CROWDS.map(({ machine }) => machine[piece]).sort((a, b) => a - b);
  return (times[(times.length - 1) >> 1] + times[times.length >> 1]) / 2;
}

/** The cost of a batch inside a bundle, as a share of a turn by itself. An assumption: the batch has few commands, and neither a request nor a row of its own. */
export const BUNDLED = 0.1;

/** `measured`: this project's own measurements on two cores of a shared machine. */
const measured = {
  lobby_ask: took("lobby_ask"),
  // Opening a socket, and the extra cost for each socket that the lobby has already.
  lobby_socket: took("lobby_socket"),
  socket_each: took("socket_each"),
  // Closing a socket.
  lobby_close: took("lobby_close"),
  // The answer to a batch, or a push, without the sockets that are told.
  lobby_message: took("lobby_message"),
  // One send to a socket.
  send: took("send"),
  // One batch of a few commands through the room with its row.
  room_turn: took("room_turn"),
  // bench/results.json of d9c2b66: a batch of 1,000 joins takes 3.1 ms and one of 100 takes 1.3 ms, with the work of those who send it.
  command: 0.002,
  bundled: BUNDLED * took("room_turn"),
  // An assumption: as much as a lobby's message. The calibration has too few bundles to tell.
  porter_message: took("lobby_message"),
  // A page of a list is a request without a row, and bench/results.json of d9c2b66 has 1.46 ms for 10,000 tickets as wasm.
  list_page: 1.2,
  // From a turn's end until its answer may leave, when the row is durable. An assumption: before no crowd was anything left of a baton for it.
  write: 0.5,
};

/** `guidance`: the pessimistic reading of Cloudflare's published figures: 500 requests a second with JSON, 200 with writes. */
const guidance = {
  lobby_ask: 2,
  lobby_close: 0.5,
  lobby_socket: 2,
  socket_each: 0,
  lobby_message: 2,
  send: 0.04,
  room_turn: 5,
  command: 0.002,
  bundled: BUNDLED * 5,
  porter_message: 2,
  list_page: 5,
  write: 5,
};

/**
 * A machine may be `shared`: all its objects, and the fronts, have one thread between them, as in `workerd` on one computer. Then `page` is what a
 * front takes for a page, and `front_ask` for a request that it passes on to a lobby; `way` is what a request waits for besides that, and
 * `socket_way` the opening of a socket. `ears` processes may play a crowd; each hears one message after the other, and takes `hear` for each.
 */
export const MACHINES = { measured, guidance };

/**
 * One way, in ms: between the front and a lobby, and between objects of one room, which lie in one region. `socket` is the way
 * of a socket, if it is another.
 */
export const DELAYS = { front: 5, object: 2 };

/** The most requests a second that one object should get: the platform's guidance is 500 to 1,000. */
export const REQUESTS_MAX = 800;
/** The people of the crowd for each lobby: `CROWD_PER_LOBBY` of src/settings/schema.rs. */
export const PER_LOBBY = 10_000;
export const lobbiesFor = (people) => Math.max(1, Math.ceil(people / PER_LOBBY));
/** The most frames that a lobby sends in a second: src/lobby/frames.rs. */
export const FRAMES_PER_S = 2_000;
/** The sockets to which a lobby sends in one go: src/edge/lobby_object/driver.rs. */
export const FRAMES_AT_ONCE = 500;
/** The most commands of a batch: `BATCH_COMMANDS_MAX` of src/facts/limits.rs. */
export const COMMANDS_MAX = 2_000;
/** Up to `none` lobbies send the room their batches themselves; up to `one` lobbies share one porter, and more share two: src/settings/schema.rs. */
export const PORTERS = { none: 4, one: 16 };
export const portersFor = (lobbies) => (lobbies <= PORTERS.none ? 0 : lobbies <= PORTERS.one ? 1 : 2);
/** Returns a room's objects in words: "10 lobbies, 1 porter". */
export const objectsText = (lobbies, porters) =>
  `${counted(lobbies, "lobby", "lobbies")}, ${porters === 0 ? "no porters" : counted(porters, "porter", "porters")}`;
const counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
/** How long joins wait for company: src/lobby/company.rs. */
export const COMPANY = { most_ms: 250, enough: 32, gaps: 8, quiet_per_s: 10, busy_per_s: 100 };
