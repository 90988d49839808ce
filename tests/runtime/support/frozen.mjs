// A sale that stands still: what a version's objects stored of it, and what its people, its operators and its receivers keep. `freeze()` plays it and
// writes it down; `thaw()` lays it before the worker of now, at the moment at which it stopped.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { inRoot } from "../../../scripts/common.mjs";
import { CookieJar, Visitor } from "../../support/visitor.mjs";
import { housed, TOKEN } from "./housed.mjs";
import { SECRET, startReceiver } from "./receiver.mjs";
import { clock } from "./set_clock.mjs";
import { cookieOf, eventually } from "./world.mjs";

const FOLDER = inRoot("tests", "fixtures", "frozen");
const ORIGIN_SECRET = "the origin's secret of the frozen sales";
/** Long enough that nobody's time ends while the sale is thawed, and nothing of it happens by itself. */
const LONG = {
  permits: 1,
  tick_ms: 50,
  claim_within_s: 600,
  linger_s: 3_600,
  grace_s: 3_600,
  lease_idle_s: 3_600,
  lease_max_s: 7_200,
  pass_ttl_s: 600,
};
const CRM = { name: "crm", url: "https://hooks.example.net/baton" };
/** What people keep is good at this host only. */
const HOST = "tickets.example.com";
const AT_HOST = { host: HOST, origin: `http://${HOST}` };
export const NOOR = "noor's token, which nobody guesses";

/** Somebody at that host. */
class Guest extends Visitor {
  constructor(url, room) {
    super({ url: new URL(room === "onsale" ? "/buy/" : "/shows/1", url).href, room, headers: AT_HOST });
  }

  call(name, options = {}) {
    return super.call(name, { ...options, headers: { origin: AT_HOST.origin, ...options.headers } });
  }
}

/** The versions with a sale. */
export const versions = () => readdirSync(FOLDER).filter((version) => existsSync(path.join(FOLDER, version, "sale.json")));

/**
 * A world with these objects. Its receiver takes nothing before `takes.now`.
 *
 * @param {import("node:test").TestContext} t
 * @param {{ dataDir: string, offsetMs?: number, env?: NodeJS.ProcessEnv }} how
 */
async function world(t, { dataDir, offsetMs = 0, env }) {
  const takes = { now: false };
  const receiver = await startReceiver(t, (_message, response) => response.writeHead(takes.now ? 204 : 503).end());
  const it = await housed(t, {
    rooms: { onsale: { ...LONG, paths: ["/buy/*"], page_title: "Frozen" } },
    shop: { originSecret: ORIGIN_SECRET, now: () => Date.now() + offsetMs },
    runtime: { dataDir, env },
    vars: { ORIGIN_SECRET, WEBHOOKS: [CRM], WEBHOOK_SECRET: SECRET, WEBHOOK_STAND_IN: receiver.url },
  });
  it.shop.trustHost(HOST);
  return { ...it, receiver, takes };
}

/** Somebody inside and two in line, in each room. Resolves to who they are. */
async function people({ url }) {
  const all = [];
  for (const room of ["onsale", "shows"]) {
    for (const state of ["shop", "waiting", "waiting"]) {
      const person = new Guest(url, room);
      await eventually(async () => (await person.arrive()).state === state, { what: `${state} in ${room}` });
      if (state === "shop") await eventually(async () => (await person.status()).json?.state === "admitted", { what: "a lease" });
      else await person.openSocket();
      all.push({ room, state, number: person.number, ahead: person.ahead ?? null, cookies: person.jar.header() });
      person.closeSocket();
    }
  }
  return all;
}

/** What an operator leaves: a room of the house, an operator, a brand with a picture, a session at the desk, and changes that a receiver has not taken. */
async function operators({ house, raw, url, receiver }) {
  const must = async (where, options) => {
    const answer = await house.call(where, options);
    if (answer.status >= 300) throw new Error(`${where}: ${answer.status} ${answer.text}`);
    return answer;
  };
  await must("webhooks");
  await house.put("shows", { ...LONG, paths: ["/shows/*"] });
  await must("house/operators/noor", {
    method: "PUT",
    body: { role: "operate", rooms: ["onsale", "shows"], sha256: createHash("sha256").update(NOOR).digest("hex") },
  });
  const logo = readFileSync(inRoot("tests", "fixtures", "images", "logo.png"));
  const headers = { authorization: `Bearer ${TOKEN}` };
  const picture = await (await fetch(new URL("/__baton/admin/images", url), { method: "PUT", headers, body: logo })).json();
  const { etag } = await house.look();
  await must("house/brands/shows", {
    method: "PUT",
    body: { page_title: "Shows", page_logo: `/__baton/images/${picture.name}` },
    headers: { "if-match": etag },
  });
  await house.patch("onsale", { message: "Frozen in line" });
  const desk = await raw("/__baton/admin/session", { method: "POST", headers: { ...headers, host: HOST } });
  await eventually(() => receiver.messages.length > 0, { what: "a message that is not taken", timeoutMs: 30_000 });
  const { name, value } = cookieOf(desk.headers["set-cookie"][0]);
  return { picture: picture.name, desk: `${name}=${value}` };
}

/** Each file of a folder of objects, gzipped. What SQLite has beside a file is in the file before. */
function packed(dataDir) {
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sqlite"));
  return Object.fromEntries(
    files.sort().map((file) => {
      const db = new DatabaseSync(path.join(dataDir, file));
      db.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM");
      db.close();
      return [file, gzipSync(readFileSync(path.join(dataDir, file)), { level: 9 }).toString("base64")];
    }),
  );
}

/** Plays the sale with the worker of now and writes it down as the one of `version`. */
export async function freeze(t, version) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-freeze-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const it = await world(t, { dataDir });
  const operator = await operators(it);
  const persons = await people(it);
  const [first] = it.receiver.messages;
  await it.baton.kill("SIGTERM");
  const folder = path.join(FOLDER, version);
  mkdirSync(folder, { recursive: true });
  const sale = { stopped_at_ms: Date.now(), ...operator, untold: first.id, people: persons };
  writeFileSync(path.join(folder, "sale.json"), `${JSON.stringify(sale, null, 2)}\n`);
  writeFileSync(path.join(folder, "objects.json"), `${JSON.stringify(packed(dataDir), null, 1)}\n`);
}

/** The sale of a version before the worker of now: its world, and its people with their cookies. */
export async function thaw(t, version) {
  const sale = JSON.parse(readFileSync(path.join(FOLDER, version, "sale.json"), "utf8"));
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-thaw-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  for (const [file, bytes] of Object.entries(JSON.parse(readFileSync(path.join(FOLDER, version, "objects.json"), "utf8")))) {
    mkdirSync(path.dirname(path.join(dataDir, file)), { recursive: true });
    writeFileSync(path.join(dataDir, file), gunzipSync(Buffer.from(bytes, "base64")));
  }
  const { env, set } = clock(t);
  const offsetS = Math.round((sale.stopped_at_ms - Date.now()) / 1_000) + 2;
  set(offsetS);
  const it = await world(t, { dataDir, offsetMs: offsetS * 1_000, env });
  const persons = sale.people.map(({ cookies, ...person }) => {
    const visitor = new Guest(it.url, person.room);
    visitor.jar = new CookieJar();
    visitor.jar.take(cookies.split("; "));
    return { ...person, visitor };
  });
  return { ...it, sale, people: persons, newcomer: () => new Guest(it.url, "onsale"), host: HOST };
}
