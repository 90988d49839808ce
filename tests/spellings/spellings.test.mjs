// Baton and real origins read the same ten thousand spellings of paths. Whatever Baton lets through must belong, as the origin
// resolved it, to the room that Baton judged it to be: no more, no less, but for origins that take a first segment for a host, and for parameters and
// letters (`%u0062`) that only some origins read. corpus.json keeps every spelling that was ever read
// differently, and each run tries them.
//
// Baton forwards each spelling to a recorder, which says what was sent and for which room. Each origin gets the bytes that were
// sent. `BATON_SPELLINGS=100000` tries more, `BATON_SEED=7` others; with `BATON_ALL_ORIGINS=1` none may be missing.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { raw, setCookies, startWorld } from "../runtime/support/world.mjs";
import { ORIGINS } from "./origins.mjs";
import { spellings } from "./spellings.mjs";
import { askAll, startRecorder } from "./wire.mjs";

const SEED = Number(process.env.BATON_SEED ?? 20_261_122);
const COUNT = Number(process.env.BATON_SPELLINGS ?? 10_000);
const CORPUS = inRoot("tests", "spellings", "corpus.json");
const HOST = "tickets.example.com";
/** What only some origins read as parts of a path: parameters, and letters as `%u0062`. */
const READ_BY_SOME = /;|%u[0-9a-f]{4}/i;
const LIMIT = { timeout: 15 * 60_000 };

/** Several ways to lay rooms out; each exact, below or by beginning. */
const SETS = {
  neighbours: { buy: ["/buy/*"], parking: ["/parking/*"] },
  nested: { all: ["/*"], buy: ["/buy/*"], vip: ["/buy/vip/*"] },
  exact: { seat: ["/seat", "/"], buy: ["/buy*"], parking: ["/x/parking/*"] },
};

/** Whose segments are, said once more and simply: case, empty segments and dots that stayed do not matter. */
function ownerOf(rooms, segments) {
  const plain = segments.map((segment) => segment.toLowerCase()).filter((segment) => segment !== "" && segment !== ".");
  const matches = (pattern) => {
    const parts = pattern.split("/").filter((part) => part !== "" && part !== "*");
    const begins = !pattern.endsWith("/*") && pattern.endsWith("*");
    const fits = parts.every((part, at) =>
      begins && at + 1 === parts.length ? (plain[at] ?? "").startsWith(part.slice(0, -1)) : plain[at] === part,
    );
    return fits && (pattern.endsWith("*") || plain.length === parts.length);
  };
  const found = Object.entries(rooms).flatMap(([room, patterns]) =>
    patterns.filter(matches).map((pattern) => ({ room, length: pattern.replace(/\*$/, "").length })),
  );
  return found.sort((a, b) => b.length - a.length || (a.room < b.room ? -1 : 1))[0]?.room ?? null;
}

/** What Baton does with each target: `{ sent, room }` for what it forwards, nothing for what it refuses. */
async function judged(t, rooms, targets) {
  const settings = Object.fromEntries(
    Object.entries(rooms).map(([room, paths]) => [
      room,
      { paths, permits: 9, pass_ttl_s: 3_600, lease_idle_s: 86_400, lease_max_s: 86_400, tick_ms: 50 },
    ]),
  );
  const recorder = await startRecorder(t, (target, headers) => JSON.stringify({ sent: target, room: headers["baton-room"] ?? null }));
  const world = await startWorld(t, { rooms: settings, origin: `http://127.0.0.1:${recorder}`, runtime: { door: false } });
  const cookies = [];
  for (const [room, [pattern]] of Object.entries(rooms)) {
    const answer = await raw(world.baton.port, pattern.replace(/\*$/, ""), { headers: { host: HOST, accept: "text/html" } });
    const pass = setCookies(answer)[`__Host-baton-${room}-pass`];
    assert.ok(pass, `${room}: ${answer.status} ${answer.body.slice(0, 200)}`);
    cookies.push(`${pass.name}=${pass.value}`);
  }
  // Passes alone: nothing is asked of any object, and each room's pass opens that room only.
  const answers = await askAll(world.baton.port, targets, [`Host: ${HOST}`, "Accept: application/json", `Cookie: ${cookies.join("; ")}`]);
  return answers.map(({ status, body }) => {
    if (status === 200) return JSON.parse(body);
    assert.ok([400, 404, 405, 421, 501].includes(status), `answered ${status}: ${body.slice(0, 200)}`);
    return undefined;
  });
}

const installed = Object.entries(ORIGINS).filter(([, origin]) => origin);
const missing = Object.keys(ORIGINS).filter((name) => !ORIGINS[name]);
const corpus = JSON.parse(readFileSync(CORPUS, "utf8"));

test(
  `c111_real_origins: ${installed.map(([name]) => name).join(", ") || "none"}${missing.length > 0 ? `; not installed: ${missing.join(", ")}` : ""}`,
  LIMIT,
  async (t) => {
    if (process.env.BATON_ALL_ORIGINS) assert.deepEqual(missing, [], "node tests/spellings/install.mjs");
    const targets = [...new Set([...corpus, ...spellings({ seed: SEED, count: COUNT, host: HOST })])];
    const verdicts = {};
    for (const [set, rooms] of Object.entries(SETS)) verdicts[set] = await judged(t, rooms, targets);
    const sent = [
      ...new Set(
        Object.values(verdicts)
          .flat()
          .filter(Boolean)
          .map((verdict) => verdict.sent),
      ),
    ];
    const wrong = [];
    for (const [name, { start, read, takesHosts }] of installed) {
      const answers = await askAll(await start(t), sent, [`Host: ${HOST}`]);
      const resolved = new Map(answers.flatMap(({ status, body }, at) => (status === 200 ? [[sent[at], read(body)]] : [])));
      let compared = 0;
      for (const [set, rooms] of Object.entries(SETS)) {
        for (const [at, verdict] of verdicts[set].entries()) {
          const segments = verdict && resolved.get(verdict.sent);
          if (!segments) continue;
          compared += 1;
          const owner = ownerOf(rooms, segments);
          // A room that is asked for its pass where an origin shows what everybody may see is no way past.
          const isStricter = owner === null && (takesHosts || READ_BY_SOME.test(verdict.sent.split("?")[0]));
          if (owner !== verdict.room && !isStricter) wrong.push({ origin: name, set, target: targets[at], ...verdict, segments, owner });
        }
      }
      t.diagnostic(`${name}: ${sent.length} paths, ${resolved.size} of them resolved, ${compared} compared`);
      assert.ok(compared > COUNT / 20, `${name}: only ${compared} were compared`);
    }
    if (wrong.length > 0)
      writeFileSync(CORPUS, `${JSON.stringify([...new Set([...corpus, ...wrong.map(({ target }) => target)])].sort().slice(0, 2_000), null, 1)}\n`);
    const refused = Object.entries(verdicts).map(([set, all]) => `${set} ${all.filter((verdict) => !verdict).length}`);
    t.diagnostic(`refused of ${targets.length}: ${refused.join(", ")}`);
    assert.deepEqual(wrong.slice(0, 8), [], `${wrong.length} differ; they are in corpus.json now`);
  },
);
