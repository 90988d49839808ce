// Sends requests over kept connections again and again, and reports how many were answered a second and how fast. Uses `wrk` if it is installed, else
// this process, which is then part of what is measured. Every answer must be a good one: a benchmark of errors would look fast.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findProgram, inRoot, run } from "../../scripts/common.mjs";
import { summary } from "./figures.mjs";
import { Line, requestText } from "./line.mjs";

const wrk = findProgram("wrk");

/** The client that sends the requests. */
export const client = wrk ? "wrk" : "node";

/** Requests one address. Resolves to `{ per_s, p50_ms, p99_ms }`. */
export async function load(url, { headers = {}, connections = 16, seconds = 3 } = {}) {
  if (wrk) return byWrk(url, { headers, connections, seconds });
  const { port, pathname, host } = new URL(url);
  const text = requestText("GET", pathname, { host, ...headers });
  return byNode({ port, connections, seconds, next: () => text, check: ok });
}

/**
 * Sends one request for each of `cookies`, or over and over `again`. Resolves to the same figures, of the answers with the status `good` alone. `as` is
 * the origin that is named as the host, if it is another than that of the address.
 */
export async function loadEach(
  url,
  /** @type {{ cookies: string[], method?: string, good: number, again?: boolean, connections?: number, seconds?: number, as?: string }} */ {
    cookies,
    method = "POST",
    good,
    again = false,
    connections = 16,
    seconds = 3,
    as,
  },
) {
  const { port, pathname } = new URL(url);
  const { host, origin } = new URL(as ?? url);
  if (!wrk) {
    const texts = cookies.map((cookie) => requestText(method, pathname, { host, origin, cookie, accept: "application/json" }));
    let at = 0;
    return byNode({ port, connections, seconds, next: () => texts[again ? at++ % texts.length : at++], check: ({ status }) => status === good });
  }
  const work = mkdtempSync(path.join(os.tmpdir(), "baton-each-"));
  try {
    const file = path.join(work, "cookies");
    writeFileSync(file, cookies.join("\n"));
    const script = ["-s", inRoot("bench", "lib", "each.lua")];
    const { figures, text } = await wrkRun([...script, url, "--", file, origin, method, String(good), again ? "again" : "once"], {
      connections,
      seconds,
    });
    const count = Number(/^good (\d+)$/m.exec(text)?.[1]);
    if (!(count > 0)) throw new Error(`${url}: nobody was answered ${good}:\n${text}`);
    return { ...figures, per_s: (figures.per_s * count) / figures.count };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function byWrk(url, { headers, connections, seconds }) {
  const shown = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  return (await wrkRun([...shown, url], { connections, seconds })).figures;
}

async function wrkRun(args, { connections, seconds }) {
  const { code, text } = await run(wrk, ["-t", "1", "-c", String(connections), "-d", `${seconds}s`, "--timeout", "10s", "--latency", ...args], {
    capture: true,
    quiet: true,
  });
  if (code !== 0) throw new Error(`wrk failed:\n${text}`);
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${args.at(-1)}: not every answer was good:\n${text}`);
  const number = (pattern) => Number(pattern.exec(text)?.[1]);
  const ms = (percent) => inMs(new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(text));
  return { text, figures: { per_s: number(/Requests\/sec:\s+([\d.]+)/), count: number(/(\d+) requests in/), p50_ms: ms(50), p99_ms: ms(99) } };
}

const inMs = (/** @type {string[]} */ [, value, unit]) => Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit];
const ok = ({ status }) => status >= 200 && status <= 299;

async function byNode({ port, connections, seconds, next, check }) {
  const times = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const one = async () => {
    const line = await Line.open(port);
    for (let text = next(); text && performance.now() < endAt; text = next()) {
      const at = performance.now();
      const answer = await line.send(text);
      if (!check(answer)) throw new Error(`answered ${answer.status}: ${text.slice(0, 80)}`);
      times.push(performance.now() - at);
    }
    line.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
  return { per_s: times.length / ((performance.now() - startedAt) / 1000), count: times.length, ...summary(times) };
}
