// The inputs of the tables of docs/scale.md: which measurements, how long each piece of work takes, and what `npm run bench` measured of one
// lobby and one ticket. Pure.

import { plainMarkdown } from "../lib/table.mjs";
import { FRAMES_PER_S, PER_LOBBY } from "./machines.mjs";

const day = ({ at }) => at.slice(0, 10);
const unique = (items) => [...new Set(items)];
const count = (value) => Math.round(value).toLocaleString("en");

/** Returns the sentence that says how the tables were made, and from which measurements. */
export function inputs({ crowds, results, prices }) {
  const [days, commits] = [unique(crowds.map(day)), unique(crowds.map(({ commit }) => commit))];
  return `\`npm run scale -- --docs\` made the tables from [crowds](../bench/crowds.json) of ${days.join(", ")} (${commits.join(", ")}), [benchmarks](../bench/results.json) of ${day(results)} (${results.commit}) and list prices of ${prices.read_on}.`;
}

/** What each piece of work is, by its name in a machine. */
const PIECES = {
  lobby_socket: "a lobby: a socket is opened",
  socket_each: "the same, for each socket that is there already",
  lobby_close: "a socket is closed",
  lobby_ask: "an ask",
  lobby_message: "the answer to a batch, or a push",
  send: "one send to a socket",
  porter_message: "a porter: a batch, or an answer",
  room_turn: "the room: a batch with its row",
  command: "each command of it",
  bundled: "each further batch of a bundle",
  list_page: "a page of a list",
  write: "until the row is durable",
};

/** Returns the table of how long each piece of work takes, in ms. */
export function timesTable(machines) {
  const digits = (value) => String(Number(value.toPrecision(2)));
  return plainMarkdown(
    Object.entries(PIECES).map(([piece, what]) => ({
      ms: what,
      ...Object.fromEntries(Object.entries(machines).map(([name, machine]) => [name, digits(machine[piece])])),
    })),
  );
}

/** Returns the measured row whose name begins so. Throws if the benchmarks have none. */
function measured({ rows }, what) {
  const row = rows.find((each) => each.what.startsWith(what));
  if (!row) throw new Error(`bench/results.json has no row "${what} …": docs/scale.md needs it`);
  return row;
}

/** Returns the table of what a growing room reaches first. */
export function endsTable(results) {
  const frame = measured(results, "a frame (");
  const sockets = Number(/to ([\d,]+) sockets/.exec(frame.what)[1].replaceAll(",", ""));
  const joins = measured(results, "joins by HTTP, one lobby");
  const ticket = measured(results, "keys, tags and index a waiting visitor");
  return plainMarkdown(
    [
      [
        "one lobby: frames",
        `${count(FRAMES_PER_S)} a second: ${count(PER_LOBBY)} sockets have one every ${PER_LOBBY / FRAMES_PER_S} s`,
        `measured: ${count((frame.value / sockets) * 1_000)} ms CPU a thousand`,
        "frames are rarer; calls go in between",
      ],
      ["one lobby: joins", `${count(joins.value)} a second`, "measured, all objects on one thread", "batches grow, then `503` and a retry"],
      ["the room: batches", "200 to 500 a second", "Cloudflare's guidance for objects that write", "**the first to be reached**"],
      ["the room: line", "3,000,000", `measured: ${count(ticket.value)} bytes a ticket`, "the line is full"],
      ["the journal", "10 GB", "Cloudflare's limit", "keep fewer days"],
    ].map(([what, end, how, then]) => ({ what, "its end": end, "how we know": how, "what happens there": then })),
  ).replaceAll("---:", "---");
}
