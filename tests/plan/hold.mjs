// Holds one sale on the real runtime, and says what was seen in the planner's words.

import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inRoot } from "../../scripts/common.mjs";
import { interpolated, mean } from "../../scripts/figures.mjs";
import { startRuntime } from "../../scripts/runtime.mjs";
import { Person } from "./person.mjs";
import { ms, opensMs } from "./sales.mjs";

const PAGE = Buffer.alloc(1_024, "x");
/** From the start of the runtime to the first who may come. */
const LEAD_MS = 1_000;
const LIMIT_MS = 4 * 60_000;

/** The shop: pages, `Baton-Release` where it is asked for, and seats. */
class Shop {
  left;
  seatsEndAt = null;
  #secret;
  #server;
  #onEmpty;

  constructor(seats, secret, onEmpty) {
    this.left = seats ?? Infinity;
    this.#secret = secret;
    this.#onEmpty = onEmpty;
    this.#server = http.createServer((request, response) => this.#answer(request, response));
  }

  async start() {
    this.#server.keepAliveTimeout = 65_000;
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** So many are wanted; how many there were. */
  sell(wanted) {
    const sold = Math.min(this.left, wanted);
    this.left -= sold;
    if (sold > 0 && this.left === 0) {
      this.seatsEndAt = performance.now();
      this.#onEmpty();
    }
    return sold;
  }

  #answer(request, response) {
    response.setHeader("content-type", "text/html").setHeader("cache-control", "no-store");
    if (request.url.endsWith("/release")) response.setHeader("baton-release", "1");
    if (Number.isFinite(this.left)) {
      const at = Date.now();
      const mac = createHmac("sha256", this.#secret).update(`baton-stock-v1\n${at}\nsale\n${this.left}`).digest("hex");
      response.setHeader("baton-stock", `v1;left=${this.left};t=${at};mac=${mac}`);
    }
    response.end(PAGE);
  }
}

/** Plays `plans` (of `plan --print-people`) at a Baton of its own. Resolves to the figures that the planner has, and to how people ended. */
export async function holdSale(sale, plans) {
  const [secret, token] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-plan-"));
  let baton;
  const soldOut = () =>
    sleep(ms(sale.event.sold_out_after)).then(() => operate(baton, token, { method: "PATCH", body: JSON.stringify({ mode: "sold_out" }) }));
  let ending = Promise.resolve();
  const shop = new Shop(sale.event.seats, secret, () => {
    ending = soldOut();
  });
  try {
    await shop.start();
    const beganAtMs = Date.now() + LEAD_MS + 1_000;
    const opens = opensMs(sale) > 0 ? { opens_at: new Date(beganAtMs + opensMs(sale)).toISOString() } : {};
    const vars = {
      ROOMS: { sale: { paths: ["/sale/*"], crowd: plans.length, ...sale.room, ...opens } },
      ORIGIN: shop.url,
      BATON_SECRET: randomBytes(48).toString("base64"),
      ORIGIN_SECRET: secret,
      BATON_ADMIN_TOKEN: token,
    };
    baton = await startRuntime({ vars, door: false, wrapper: inRoot("bench", "lib", "counting.js"), dataDir: folder });
    const beganAt = performance.now() + (beganAtMs - Date.now());
    const people = plans.map((plan) => new Person(plan, { sale, port: baton.port, beganAt, shop }));
    await Promise.race([Promise.all(people.map((person) => person.live())), sleep(LIMIT_MS, undefined, { ref: false })]);
    await ending;
    people.forEach((person) => person.leave());
    const { report } = await operate(baton, token);
    const counts = await (await fetch(`${baton.url}/bench/counts`)).json();
    return figures(sale, people, { counts, report }, shop.seatsEndAt === null ? null : shop.seatsEndAt - beganAt);
  } finally {
    await baton?.stop();
    shop.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 });
  }
}

async function operate(baton, token, options = {}) {
  const answer = await fetch(`${baton.url}/__baton/admin/rooms/sale`, { ...options, headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`the operator was refused: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

function figures(sale, people, { counts, report }, seatsEndMs) {
  const opens = opensMs(sale);
  const waits = people
    .filter(({ inMs }) => inMs !== null)
    .map(({ cameMs, inMs }) => inMs - Math.max(cameMs, opens))
    .sort((a, b) => a - b);
  const by = (name) => counts.by[name] ?? 0;
  const rows = Object.entries(counts.rows)
    .filter(([name]) => !/create|name$/.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
  const ends = {};
  for (const { end } of people) ends[end] = (ends[end] ?? 0) + 1;
  const lastInMs = Math.max(...people.map(({ inMs }) => inMs ?? 0)) - opens;
  return {
    wait_p50_ms: interpolated(waits, 0.5),
    wait_p99_ms: interpolated(waits, 0.99),
    entered: waits.length,
    end_ms: seatsEndMs === null ? lastInMs : seatsEndMs - opens,
    requests: counts.worker - counts.operator + counts.requests + counts.alarms,
    rows: rows + by("room alarm set") + by("lobby alarm set"),
    answer_ms: mean(people.flatMap(({ answersMs }) => answersMs)),
    dead_share: report.dead_permit_ms / (report.dead_permit_ms + report.used_permit_ms),
    ends,
    counts,
  };
}
