// The two profiles of `npm run scale`: how long an object takes for each piece of work, in ms of its one thread, and how far apart objects are, in ms
// on the way. Each figure has its source.

/** `measured`: this project's benchmarks on two cores of a shared machine. */
const measured = {
  // docs/benchmarks.md: 0.39 CPU ms a join by HTTP for front, lobby and room together under load; a lobby is about half of it.
  lobby_ask: 0.25,
  // Opening a socket, and the extra cost for each socket that the lobby has already: less than 0.05 µs
  // (bench/crowds.json), since opening one lists none.
  lobby_socket: 0.7,
  socket_each: 0,
  // Closing a socket.
  lobby_close: 0.1,
  // The answer to a batch, or a push, without the sockets that are told.
  lobby_message: 0.3,
  // One send to a socket (bench/crowds.json).
  send: 0.04,
  // One batch of a few commands through the room with its row; a thousand joins take 0.4 ms more.
  room_turn: 0.5,
  command: 0.0004,
  // A batch inside a bundle: the room reads, judges and answers it, without a request and a row of its own.
  bundled: 0.1,
  porter_message: 0.3,
  // A page of a list, 16,384 tickets.
  list_page: 0.8,
  // From a turn's end until its answer may leave, when the row is durable.
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
  bundled: 0.5,
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
const PER_LOBBY = 10_000;
export const lobbiesFor = (people) => Math.max(1, Math.ceil(people / PER_LOBBY));
/** The most frames that a lobby sends in a second: src/lobby/status.rs. */
export const FRAMES_PER_S = 2_000;
/** The sockets to which a lobby sends in one go: src/edge/lobby_object/driver.rs. */
export const FRAMES_AT_ONCE = 500;
/** The most commands of a batch: `BATCH_COMMANDS_MAX` of src/facts/limits.rs. */
export const COMMANDS_MAX = 2_000;
/** Up to `none` lobbies send the room their batches themselves; up to `one` lobbies share one porter, and more share two: src/settings/schema.rs. */
export const PORTERS = { none: 4, one: 16 };
export const portersFor = (lobbies) => (lobbies <= PORTERS.none ? 0 : lobbies <= PORTERS.one ? 1 : 2);
/** Returns a room's objects in words: "10 lobbies, 1 porter". */
export const objectsText = (lobbies, porters) => `${counted(lobbies, "lobby", "lobbies")}, ${porters === 0 ? "no porters" : counted(porters, "porter", "porters")}`;
const counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
/** How long joins wait for company: src/lobby/company.rs. */
export const COMPANY = { most_ms: 250, enough: 32, gaps: 8, quiet_per_s: 10, busy_per_s: 100 };
