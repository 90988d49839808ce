// Sends joins at a rate that does not wait for answers, as a crowd does not. A join that finds no free connection waits here, and its
// time counts from when it was due.

import { Line, requestText } from "./line.mjs";

/** A visitor who is told to come later tries again after this time, and sends at most `TRIES_MAX` joins. */
const AGAIN_MS = 1_000;
const TRIES_MAX = 10;
const STEP_MS = 2;

/**
 * Sends the joins of `cookies` at `per_s`. Resolves, when all are answered, to one record each: `{ due, sent, answered, status, number, later }`,
 * with instants in ms of one clock. `later` is how often the visitor was told to come later.
 */
export async function joinAtRate({ port, room, cookies, per_s, connections }) {
  const host = `127.0.0.1:${port}`;
  const text = (cookie) => requestText("POST", `/__baton/${room}/join`, { host, origin: `http://${host}`, accept: "application/json", cookie });
  const free = await Promise.all(Array.from({ length: connections }, () => Line.open(port)));
  const lines = [...free];
  const waiting = [];
  const records = [];
  const startedAt = performance.now();
  await new Promise((resolve, reject) => {
    const pump = () => {
      while (waiting.length > 0 && free.length > 0) one(free.pop(), waiting.shift()).catch(reject);
    };
    const one = async (line, visitor) => {
      const sent = performance.now();
      const { status, head, body } = await line.send(text(visitor.cookie));
      const answered = performance.now();
      free.push(line);
      visitor.tries++;
      if (status === 503 && /\r\nretry-after: /i.test(head) && visitor.tries < TRIES_MAX) {
        setTimeout(() => {
          waiting.push(visitor);
          pump();
        }, AGAIN_MS);
      } else {
        const number = status === 201 ? JSON.parse(body).number : undefined;
        records.push({ due: visitor.due, sent, answered, status, number, later: visitor.tries - 1 });
        if (records.length === cookies.length) resolve();
      }
      pump();
    };
    let next = 0;
    const clock = setInterval(() => {
      const due = Math.min(cookies.length, Math.floor(((performance.now() - startedAt) / 1000) * per_s) + 1);
      for (; next < due; next++) waiting.push({ cookie: cookies[next], due: startedAt + (next / per_s) * 1000, tries: 0 });
      if (next === cookies.length) clearInterval(clock);
      pump();
    }, STEP_MS);
  });
  lines.forEach((line) => line.close());
  return records;
}
