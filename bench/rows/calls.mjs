// The visitors' most frequent calls: a status poll and a claim on landing. Each stands beside an object that does the least of what the call needs:
//
//   a status poll   front → lobby, which answers from memory. The ceiling is a worker that asks an object, which adds one to a count
//   a claim         front → lobby → room, which writes a row, and back; the answer carries a signed pass. The ceiling is a worker that asks an object,
//                   which inserts one row for each request. Claims that come together share a row; the ceiling's requests do not
//
// The ceilings get the same headers, but read no cookie, check no signature and sign none. Each visitor shows the cookies that a browser would.

import { BORDER, CROSSING, crossings } from "../lib/crossings.mjs";
import { load, loadEach } from "../lib/load.mjs";
import { LINE } from "../lib/stage.mjs";
import { CALLED_MAX, called, CALLS, headersOf, joined } from "../lib/visitors.mjs";

/** People in line who poll in turn. */
const POLLERS = 1_000;
/** People a second for whom a call is ready: more than can claim. */
const CALLED_PER_S = 3_000;

export const calls = {
  name: "calls",
  async begin(stage) {
    const { rounds, seconds, connections } = stage.options;
    const often = { connections, seconds };
    const many = { connections: connections * 4, seconds };
    const ceilings = await stage.ceilings();
    const roomOf = (round) => `called-${round}`;
    const rooms = Array.from({ length: rounds + 1 }, (_, round) => [roomOf(round), CALLS]);
    const baton = await stage.baton({ line: LINE, ...Object.fromEntries(rooms) });
    const pollers = await joined(baton, "line", POLLERS);
    const headers = headersOf(baton, pollers[0]);
    return {
      steps: {
        count: () => load(`${ceilings.url}/count`, { ...often, headers }),
        status: () => loadEach(`${baton.url}/__baton/line/status`, { ...often, cookies: pollers, method: "GET", good: 200, again: true }),
        insert: () => load(`${ceilings.url}/insert`, { ...many, headers }),
        async claim(round) {
          const room = roomOf(round);
          const cookies = await called(baton, room, Math.min(CALLED_MAX, CALLED_PER_S * seconds));
          const figures = await loadEach(`${baton.url}/__baton/${room}/claim`, { ...many, cookies, good: 200 });
          await baton.reset(room);
          return figures;
        },
      },
      async rows(of) {
        const row = (what, step, ceiling, ceiling_of) => [
          { what, value: of(step, "per_s"), unit: "requests/s", ceiling: of(ceiling, "per_s"), ceiling_of },
          ...["p50", "p99"].map((figure) => ({
            what: `${what}, ${figure}`,
            value: of(step, `${figure}_ms`),
            unit: "ms",
            ceiling: of(ceiling, `${figure}_ms`),
            ceiling_of,
          })),
        ];
        return [
          ...row(`status polls, ${connections} at once`, "status", "count", "an object that only counts"),
          ...row(`claims on landing, ${connections * 4} at once`, "claim", "insert", "one insert a request"),
          ...(await border(stage)),
        ];
      },
    };
  },
};

/** Counts the calls across the border of the wasm for a poll and a claim, each with the objects that it asks. */
async function border(stage) {
  const baton = await stage.baton({ line: LINE, called: CALLS }, { wrapper: BORDER });
  const [poller] = await joined(baton, "line", 1);
  const people = await called(baton, "called", CROSSING + 1);
  const send = (method, path, cookie) => fetch(`${baton.url}/__baton/${path}`, { method, headers: headersOf(baton, cookie) });
  const of = "calls between wasm and JavaScript";
  return [
    { what: `${of}: a status poll (front and lobby)`, value: await crossings(baton, () => send("GET", "line/status", poller)) },
    { what: `${of}: a claim (front, lobby and room)`, value: await crossings(baton, () => send("POST", "called/claim", people.pop())) },
  ];
}
