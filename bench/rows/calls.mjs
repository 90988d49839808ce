// The visitors' most frequent calls: a status poll and a claim on landing. Each stands beside an object that does the least of what the call needs:
//
//   a status poll   front → lobby, which answers from memory. The ceiling is a worker that asks an object, which adds one to a count
//   a claim         front → lobby → room, which writes a row, and back; the answer carries a signed pass. The ceiling is a worker that asks an object,
//                   which inserts one row for each request. Claims that come together share a row; the ceiling's requests do not
//
// The ceilings get the same headers, but read no cookie, check no signature and sign none. Each visitor shows the cookies that a browser would.

import { setTimeout as sleep } from "node:timers/promises";
import { BORDER, CROSSING, crossings } from "../lib/crossings.mjs";
import { cookiesSet, Line, requestText } from "../lib/line.mjs";
import { load, loadEach } from "../lib/load.mjs";
import { LINE, OPEN } from "../lib/stage.mjs";

/** People in line who poll in turn. */
const POLLERS = 1_000;
/** People a second for whom a call is ready: more than can claim. A lobby takes 16,000. */
const CALLED_PER_S = 3_000;
const CALLED_MAX = 15_000;
const TOGETHER = 64;
const PATIENCE_MS = 60_000;
/** Everybody is called, and nobody walks in. */
const CALLS = { ...OPEN, permits: CALLED_MAX, walk_in: false, journal_keep_days: 1, crowd: 10_000 };

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
          ...["p50", "p99"].map((figure) => ({ what: `${what}, ${figure}`, value: of(step, `${figure}_ms`), unit: "ms", ceiling: of(ceiling, `${figure}_ms`), ceiling_of })),
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

/** Puts `count` new visitors in line. Resolves to the cookies of each. */
async function joined(baton, room, count) {
  const left = await baton.visitors(count);
  const people = [];
  await Promise.all(Array.from({ length: TOGETHER }, async () => {
    const line = await Line.open(baton.port);
    while (left.length > 0) {
      const cookie = left.pop();
      const { status, head, body } = await line.send(requestText("POST", `/__baton/${room}/join`, { ...headersOf(baton, cookie), host: `127.0.0.1:${baton.port}` }));
      if (status !== 201) throw new Error(`a join was answered ${status} ${body}`);
      people.push([cookie, ...cookiesSet(head)].join("; "));
    }
    line.close();
  }));
  return people;
}

/** Resolves, when the room has called all of `count` new visitors, to their cookies. */
async function called(baton, room, count) {
  const people = await joined(baton, room, count);
  const startedAt = performance.now();
  while ((await baton.report(room)).called < count) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`${room}: after ${PATIENCE_MS / 1_000} s not all of ${count} are called`);
    await sleep(100);
  }
  return people;
}

const headersOf = ({ origin }, cookie) => ({ origin, accept: "application/json", cookie });

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
