// Asks one address again and again over kept connections, and says how often it was answered and how fast: with `wrk`
// where it is installed, otherwise from this process, which is then part of what is measured. Every answer must
// be a good one: a benchmark of errors would look fast.

import http from "node:http";
import { findProgram, run } from "../scripts/common.mjs";

const wrk = findProgram("wrk");

/** Who asks. */
export const client = wrk ? "wrk" : "node:http";

/** Resolves to `{ per_s, p50_ms, p99_ms }`. */
export async function load(url, { headers = {}, connections = 16, seconds = 3 } = {}) {
  return wrk ? byWrk(url, { headers, connections, seconds }) : byNode(url, { headers, connections, seconds });
}

async function byWrk(url, { headers, connections, seconds }) {
  const shown = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const { code, text } = await run(wrk, ["-t", "1", "-c", String(connections), "-d", `${seconds}s`, "--latency", ...shown, url], { capture: true, quiet: true });
  if (code !== 0) throw new Error(`wrk failed:\n${text}`);
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${url}: not every answer was good:\n${text}`);
  const number = (pattern) => Number(pattern.exec(text)?.[1]);
  const ms = (percent) => inMs(new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(text));
  return { per_s: number(/Requests\/sec:\s+([\d.]+)/), p50_ms: ms(50), p99_ms: ms(99) };
}

const inMs = ([, value, unit]) => Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit];

async function byNode(url, { headers, connections, seconds }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const times = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const one = async () => {
    while (performance.now() < endAt) {
      const at = performance.now();
      const status = await get(url, headers, agent);
      if (status < 200 || status > 299) throw new Error(`${url}: answered ${status}`);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  const took_s = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return { per_s: times.length / took_s, p50_ms: percentile(times, 50), p99_ms: percentile(times, 99) };
}

function get(url, headers, agent) {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers, agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    request.on("error", reject);
  });
}

/** The value below which `percent` of the values lie (nearest rank). */
export function percentile(values, percent) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

/** The middle of the values. */
export const median = (values) => percentile(values, 50);
