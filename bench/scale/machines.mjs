// The two profiles of `npm run scale`: how long an object takes for each piece of work, in milliseconds of its one thread, and how far
// objects are from each other, in milliseconds on the way. Each figure has its source.

/** `measured`: this project's benchmarks on two cores of a shared machine. */
const measured = {
  // docs/benchmarks.md: 0.39 CPU ms a join by HTTP for front, lobby and room together under load; a lobby is about half of it.
  lobby_ask: 0.25,
  // A batch's answer or a push, without the sockets that are told.
  lobby_message: 0.3,
  // One send to a socket (docs/scale.md, frames).
  send: 0.055,
  // One batch of a few commands through the room with its row; a thousand joins take 0.4 ms more.
  room_turn: 0.5,
  command: 0.0004,
  // A batch inside a bundle: the room reads, judges and answers it, without a request and a row of its own.
  bundled: 0.1,
  porter_message: 0.3,
  // A page of a list, 16,384 tickets.
  list_page: 0.8,
  // From a turn's end until its answer may leave: the row is durable.
  write: 0.5,
};

/** `guidance`: Cloudflare's published figures, the pessimist's choice: 500 requests a second with JSON, 200 with writes. */
const guidance = {
  lobby_ask: 2,
  lobby_message: 2,
  send: 0.055,
  room_turn: 5,
  command: 0.002,
  bundled: 0.5,
  porter_message: 2,
  list_page: 5,
  write: 5,
};

export const MACHINES = { measured, guidance };

/** One way, ms: between the front and a lobby, and between objects of one room, which lie in one region. */
export const DELAYS = { front: 5, object: 2 };

/** The most requests a second that one object should get: the platform's guidance is 500 to 1,000. */
export const REQUESTS_MAX = 800;
/** One lobby for so many of the crowd: `CROWD_PER_LOBBY` of src/settings/schema.rs. */
export const PER_LOBBY = 10_000;
/** Most commands of a batch: `BATCH_COMMANDS_MAX` of src/facts/limits.rs. */
export const COMMANDS_MAX = 2_000;
/** So many lobbies bring the room their batches themselves; more have two porters: `porters` of src/settings/rooms.rs. */
const LOBBIES_WITHOUT_PORTER = 16;
export const portersFor = (lobbies) => (lobbies > LOBBIES_WITHOUT_PORTER ? 2 : 0);
/** How long joins wait for company: src/lobby/company.rs. */
export const COMPANY = { most_ms: 250, enough: 32, gaps: 8, quiet_per_s: 10, busy_per_s: 100 };
