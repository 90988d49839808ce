// Visitors who stand in line, or are called, before anything is measured.

import { setTimeout as sleep } from "node:timers/promises";
import { cookiesSet, Line, requestText } from "./line.mjs";
import { OPEN } from "./stage.mjs";

const TOGETHER = 64;
const PATIENCE_MS = 60_000;
/** The most people of one room here: its lobby takes 16,000. */
export const CALLED_MAX = 15_000;
/** The settings of a room in which everybody is called, and nobody walks in. */
export const CALLS = { ...OPEN, permits: CALLED_MAX, walk_in: false, journal_keep_days: 1, crowd: 10_000 };

/** Puts `count` new visitors in line. Resolves to the cookies of each. */
export async function joined(baton, room, count) {
  const left = await baton.visitors(count);
  const people = [];
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      const line = await Line.open(baton.port);
      while (left.length > 0) {
        const cookie = left.pop();
        const { status, head, body } = await line.send(
          requestText("POST", `/__baton/${room}/join`, { ...headersOf(baton, cookie), host: `127.0.0.1:${baton.port}` }),
        );
        if (status !== 201) throw new Error(`a join was answered ${status} ${body}`);
        people.push([cookie, ...cookiesSet(head)].join("; "));
      }
      line.close();
    }),
  );
  return people;
}

/** Resolves, when the room has called all of `count` new visitors, to their cookies. */
export async function called(baton, room, count) {
  const people = await joined(baton, room, count);
  const startedAt = performance.now();
  while ((await baton.report(room)).called < count) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`${room}: after ${PATIENCE_MS / 1_000} s not all of ${count} are called`);
    await sleep(100);
  }
  return people;
}

/** Returns the headers of a visitor's call. */
export const headersOf = ({ origin }, cookie) => ({ origin, accept: "application/json", cookie });
