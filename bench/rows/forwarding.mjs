// Forwarding with a fresh pass beside the smallest worker that forwards; how many objects such a request asks, which must be none; what a
// renewal asks; what `strict` costs.

import { inRoot } from "../../scripts/common.mjs";
import { BORDER, crossings } from "../lib/crossings.mjs";
import { load } from "../lib/load.mjs";
import { cookiesSet, Line, requestText } from "../lib/line.mjs";
import { OPEN, ask } from "../lib/stage.mjs";

const COUNTED = 500;
const RENEWING_S = 3;
const AT_ONCE = 32;
const STRICT = { ...OPEN, strict: "all" };

/** Walks a visitor in and loads pages until no answer sets a cookie any more. Resolves to the cookies. */
export async function walkIn(baton, room) {
  const jar = new Map();
  const keep = (pairs) => pairs.forEach((pair) => jar.set(pair.slice(0, pair.indexOf("=")), pair));
  keep(await baton.visitors(1));
  const line = await Line.open(baton.port);
  const cookie = () => [...jar.values()].join("; ");
  for (let i = 0; i < 50; i++) {
    const { status, head } = await line.send(
      requestText("GET", `/${room}/page`, {
        host: `127.0.0.1:${baton.port}`,
        cookie: cookie(),
        accept: "text/html",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
      }),
    );
    if (status !== 200 || /baton-state: waiting/i.test(head)) throw new Error(`/${room}/page: expected to walk in, was answered ${status}`);
    const set = cookiesSet(head);
    keep(set);
    if (i > 0 && set.length === 0) {
      line.close();
      return cookie();
    }
  }
  // In a strict room every answer may set a new pass: the question that was asked anyway renews it.
  line.close();
  return cookie();
}

export const forwarding = {
  name: "forwarding",
  async begin(stage) {
    const [origin, ceilings] = [await stage.origin(), await stage.ceilings()];
    const baton = await stage.baton({ in: OPEN, strict: STRICT });
    // Every step sends this same request, since a longer one costs the runtime more, whoever forwards it.
    const headers = { cookie: await walkIn(baton, "in"), accept: "text/html" };
    const checked = { cookie: await walkIn(baton, "strict"), accept: "text/html" };
    const often = { connections: stage.options.connections, seconds: stage.options.seconds, headers };
    return {
      steps: {
        origin: () => load(`${origin.url}/page`, often),
        rust: () => load(`${ceilings.url}/forward/page`, often),
        marked: () => load(`${ceilings.url}/marked/page`, often),
        pass: () => load(`${baton.url}/in/page`, often),
        strict: () => load(`${baton.url}/strict/page`, { ...often, headers: checked }),
        js: () => load(`${ceilings.jsUrl}/page`, often),
        open: () => load(`${baton.url}/open/page`, often),
        empty: () => load(`${ceilings.url}/empty`, often),
        health: () => load(`${baton.url}/__baton/health`, often),
      },
      async rows(of) {
        const row = (what, step, ceiling, ceiling_of, target) => ({
          what,
          value: of(step, "per_s"),
          unit: "requests/s",
          ceiling: of(ceiling, "per_s"),
          ceiling_of,
          target,
        });
        const time = (figure) => ({
          what: `a forwarded request with a fresh pass, ${figure.slice(0, 3)}`,
          value: of("pass", figure),
          unit: "ms",
          ceiling: of("rust", figure),
          ceiling_of: "the least forwarding",
        });
        const strict = (figure) => ({
          what: `a forwarded request in a strict room, ${figure.slice(0, 3)}`,
          value: of("strict", figure),
          unit: "ms",
          ceiling: of("pass", figure),
          ceiling_of: "the same without strict",
        });
        return [
          row("forwarding with a fresh pass", "pass", "rust", "the least forwarding, Rust", "≥ 0.88×"),
          row("the same, against what its headers alone cost", "pass", "marked", "the least forwarding with Baton's headers, Rust"),
          row("the least forwarding with Baton's headers", "marked", "rust", "the least forwarding, Rust"),
          row("forwarding with a fresh pass, against JavaScript", "pass", "js", "the least forwarding, JS"),
          row("forwarding what is not gated", "open", "rust", "the least forwarding, Rust"),
          time("p50_ms"),
          time("p99_ms"),
          row("forwarding in a strict room", "strict", "pass", "the same without strict"),
          strict("p50_ms"),
          strict("p99_ms"),
          row("the least forwarding, Rust", "rust", "origin", "the origin itself"),
          row("an answer of Baton's own (health)", "health", "empty", "an empty worker"),
          ...(await counted(stage)),
          ...(await border(stage)),
        ];
      },
    };
  },
};

/** Counts the calls across the border of the wasm for a request that asks no object. */
async function border(stage) {
  const baton = await stage.baton({ in: OPEN, shut: { ...OPEN, permits: 0 } }, { wrapper: BORDER });
  const page = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  /** @type {[string, string, Record<string, string>, string?][]} */
  const kinds = [
    ["a forwarded request with a fresh pass", "/in/page", { accept: "text/html", cookie: await walkIn(baton, "in") }, "≤ 9"],
    ["the waiting page for a stranger", "/shut/page", page],
  ];
  const rows = [];
  for (const [what, path, headers, target] of kinds) {
    rows.push({
      what: `calls between wasm and JavaScript: ${what}`,
      value: await crossings(baton, () => fetch(`${baton.url}${path}`, { headers, redirect: "manual" })),
      unit: "",
      target,
    });
  }
  return rows;
}

/** Counts what reaches Baton's objects: first with fresh passes, then with passes that must be renewed. */
async function counted(stage) {
  const baton = await stage.baton(
    { in: OPEN, strict: STRICT, short: { ...OPEN, pass_ttl_s: 1 } },
    { wrapper: inRoot("bench", "lib", "counting.js") },
  );
  const objects = async () => JSON.parse(await ask(baton.port, "/bench/counts")).requests;
  const line = await Line.open(baton.port);
  const visit = async (room, cookie) => {
    const { status, head } = await line.send(requestText("GET", `/${room}/page`, { host: `127.0.0.1:${baton.port}`, cookie, accept: "text/html" }));
    if (status !== 200) throw new Error(`/${room}/page: answered ${status}`);
    return cookiesSet(head);
  };
  const fresh = await walkIn(baton, "in");
  const before = await objects();
  for (let i = 0; i < COUNTED; i++) await visit("in", fresh);
  const asked = (await objects()) - before;
  const jar = new Map((await walkIn(baton, "short")).split("; ").map((pair) => [pair.split("=")[0], pair]));
  const from = await objects();
  let [requests, renewals] = [0, 0];
  for (const end = performance.now() + RENEWING_S * 1000; performance.now() < end; requests++) {
    const set = await visit("short", [...jar.values()].join("; "));
    set.forEach((pair) => jar.set(pair.split("=")[0], pair));
    renewals += set.length > 0 ? 1 : 0;
  }
  const renewing = (await objects()) - from;
  const checks = await countedChecks(baton, objects, visit);
  line.close();
  await baton.stop();
  return [
    ...checks,
    { what: `requests to objects in ${COUNTED} requests with a fresh pass`, value: asked, target: "= 0" },
    { what: "requests to objects for a renewal of a pass (lobby and room)", value: renewals === 0 ? 0 : renewing / renewals },
    { what: `requests to objects a request, passes of 1 s (${requests} requests, ${renewals} renewals)`, value: renewing / requests },
  ];
}

/** Counts what strict requests ask: one after the other, then many at once, which share their questions to the room. */
async function countedChecks(baton, objects, visit) {
  const cookie = await walkIn(baton, "strict");
  const from = await objects();
  for (let i = 0; i < COUNTED; i++) await visit("strict", cookie);
  const alone = (await objects()) - from;
  const text = requestText("GET", "/strict/page", { host: `127.0.0.1:${baton.port}`, cookie, accept: "text/html" });
  const crowd = async () => {
    const line = await Line.open(baton.port);
    for (let i = 0; i < COUNTED / AT_ONCE; i++) {
      const { status } = await line.send(text);
      if (status !== 200) throw new Error(`/strict/page: answered ${status}`);
    }
    line.close();
    return Math.ceil(COUNTED / AT_ONCE);
  };
  const before = await objects();
  const requests = (await Promise.all(Array.from({ length: AT_ONCE }, crowd))).reduce((a, b) => a + b, 0);
  const shared = (await objects()) - before;
  return [
    { what: "requests to objects a request in a strict room, one by one", value: alone / COUNTED, target: "≤ 2" },
    { what: `the same, ${AT_ONCE} at once`, value: shared / requests, target: "≤ 2" },
  ];
}
