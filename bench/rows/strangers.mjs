// A flood of first requests without cookies at a room that is full: how many pages a second Baton answers, beside an empty worker, and how much
// longer the visitors in line wait meanwhile.

import { setTimeout as after } from "node:timers/promises";
import { load } from "../lib/load.mjs";
import { ONE_PERMIT, Room } from "../lib/room.mjs";
import { LINE } from "../lib/stage.mjs";

/** The headers with which a browser asks for a page. */
export const PAGE = {
  accept: "text/html,application/xhtml+xml",
  "accept-encoding": "gzip, deflate, br",
  "accept-language": "en",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};
/** How many wait, and how long each stays inside: no visit to a shop could be shorter. */
const PEOPLE = 4;
const INSIDE_MS = 1_000;

/** Passes the permit through everybody who waits. Resolves to the time that takes. */
async function everybody(room) {
  const waiting = [];
  for (let at = 0; at < PEOPLE; at++) waiting.push(await room.next());
  await Promise.all(waiting.map(({ waiting: isIn }) => isIn));
  const from = performance.now();
  for (const next of waiting) {
    await after(INSIDE_MS);
    await room.handOver(next, () => room.leave());
  }
  return performance.now() - from;
}

export const strangers = {
  name: "strangers",
  async begin(stage) {
    const ceilings = await stage.ceilings();
    const baton = await stage.baton({ shut: LINE, one: ONE_PERMIT });
    const room = await Room.open(baton, "one");
    const often = { connections: stage.options.connections, seconds: stage.options.seconds, headers: PAGE };
    const page = await fetch(`${baton.url}/shut/page`, { headers: PAGE });
    const bytes = (await page.arrayBuffer()).byteLength;
    const flood = (seconds = often.seconds) => load(`${baton.url}/shut/page`, { ...often, seconds });
    return {
      steps: {
        empty: () => load(`${ceilings.url}/empty`, often),
        constant: () => load(`${ceilings.url}/page/${bytes}`, often),
        flood: () => flood(),
        quiet: async () => ({ wait_ms: await everybody(room) }),
        flooded: async () => {
          // A little longer than all of them take.
          const [wait_ms] = await Promise.all([everybody(room), flood(Math.ceil((PEOPLE * INSIDE_MS * 1.2) / 1_000))]);
          return { wait_ms };
        },
      },
      rows(of) {
        const time = (figure) => ({
          what: `the waiting page for a stranger, ${figure.slice(0, 3)}`,
          value: of("flood", figure),
          unit: "ms",
          ceiling: of("empty", figure),
          ceiling_of: "an empty worker",
        });
        return [
          {
            what: "waiting pages for a flood of strangers",
            value: of("flood", "per_s"),
            unit: "requests/s",
            ceiling: of("empty", "per_s"),
            ceiling_of: "an empty worker",
            target: "≥ 0.5×",
          },
          {
            what: "the same, against its bytes and headers alone",
            value: of("flood", "per_s"),
            unit: "requests/s",
            ceiling: of("constant", "per_s"),
            ceiling_of: "a constant page",
          },
          {
            what: "a constant page of that length, with its headers",
            value: of("constant", "per_s"),
            unit: "requests/s",
            ceiling: of("empty", "per_s"),
            ceiling_of: "an empty worker",
          },
          time("p50_ms"),
          time("p99_ms"),
          {
            what: "the wait of people in line meanwhile",
            value: of("flooded", "wait_ms"),
            unit: "ms",
            ceiling: of("quiet", "wait_ms"),
            ceiling_of: "without a flood",
            target: "≤ 1.1×",
          },
        ];
      },
    };
  },
};
