// What each proxy is asked. A question resolves to nothing if all is as it should be, else to what is wrong, in a few words for a cell of the table.

import { once } from "node:events";
import { HOST, NO_HTTP2, Person } from "./person.mjs";

const POLL_S = 25;
const PING_EVERY_MS = 25_000;
const PINGS = 3;
/** A room's limit by address is five numbers at once. */
const JOINS_MAX = 8;
/** More than a proxy reads before it asks at all. */
const HALF = "first ".repeat(10_000);
const HALF_MS_MAX = 20_000;
const FORGED_ADDRESS = "198.51.100.7";
const FORGED = {
  "cf-connecting-ip": FORGED_ADDRESS,
  "x-forwarded-for": FORGED_ADDRESS,
  forwarded: `for=${FORGED_ADDRESS};host=evil.example;proto=http`,
  "x-forwarded-proto": "http",
  "x-forwarded-host": "evil.example",
};
const BIG = `shop=${"c".repeat(8_192)}`;

/** No question takes half as long. */
const ALL_MS_MAX = 200_000;

const after = (ms, said) => new Promise((resolve) => setTimeout(resolve, ms, said).unref());
const stored = ({ headers }) => (/no-store/.test(headers["cache-control"]) ? undefined : "may be stored");
const isWaiting = ({ headers, body }) => headers["baton-state"] === "waiting" && body.includes("<html");
const visitorOf = ({ headers }) => headers["set-cookie"]?.find((line) => line.startsWith("__Host-baton-visitor="))?.split(";")[0];

/** What the shop gets of a request. */
const seenBy = async (at, person) => (await new Person(at, person).ask("/seen")).json ?? {};

/** The first that is wrong, of what was told in order. */
const first = (...told) => told.find(Boolean);

async function page({ at, room }) {
  const one = new Person(at, { room });
  const seen = await one.page();
  if (!isWaiting(seen)) return `page ${seen.status}`;
  if (!visitorOf(seen)) return "not https";
  const program = await one.ask(`/${room}/`, { headers: { accept: "application/json" } });
  if (program.status !== 429) return `without HTML ${program.status}`;
  const other = await one.call("join", "POST", { origin: `http://${HOST}` });
  const joined = await one.call("join", "POST");
  return first(
    stored(seen),
    stored(program),
    joined.status !== 201 && `join ${joined.status}`,
    other.status !== 403 && `http's join ${other.status}`,
  );
}

async function poll({ at, room }) {
  const one = new Person(at, { room: `${room}-poll` });
  await one.join();
  const beganMs = performance.now();
  const { status, json } = await one.call(`status?wait_s=${POLL_S}`);
  const tookS = Math.round((performance.now() - beganMs) / 1_000);
  return status === 200 && json?.state === "waiting" && tookS >= POLL_S - 1 ? undefined : `${status} after ${tookS} s`;
}

async function socket({ at, room }) {
  const one = new Person(at, { room });
  await one.join();
  const open = await one.socket();
  let pongs = 0;
  const isOver = new Promise((resolve) => {
    open.on("message", (data) => data.toString() === "pong" && (pongs += 1) === PINGS && resolve());
    open.once("close", resolve);
  });
  const timer = setInterval(() => open.readyState === open.OPEN && open.send("ping"), PING_EVERY_MS);
  await Promise.race([isOver, after(2 * PINGS * PING_EVERY_MS)]);
  clearInterval(timer);
  open.terminate();
  return pongs === PINGS ? undefined : `closed after ${pongs} pings`;
}

/** Two people's addresses reach the shop and the limits as they are; a third way in would be a header of one's own. */
async function address({ at, room }) {
  const [here, there] = ["127.0.0.2", "127.0.0.3"];
  const seen = await Promise.all([here, there].map(async (from) => (await seenBy(at, { address: from }))["x-forwarded-for"]));
  if (seen.every((each) => each === undefined)) return "none: no limit by address";
  if (`${seen}` !== `${[here, there]}`) return `seen as ${seen}`;
  const joins = async (from, headers) => (await new Person(at, { room: `${room}-crowd`, address: from, headers }).join()).status;
  let last = 201;
  for (let count = 0; count < JOINS_MAX && last === 201; count += 1) last = await joins(here);
  if (last !== 429) return `no limit: ${last}`;
  return first((await joins(here, FORGED)) !== 429 && "a forged one gets in", (await joins(there)) !== 201 && "one limit for both");
}

async function forged({ at, room }) {
  const seen = await seenBy(at, { headers: FORGED });
  const { "x-forwarded-for": from = "", "x-forwarded-proto": scheme, host } = seen;
  const joined = await new Person(at, { room, headers: FORGED }).join();
  const isThere = Object.entries(seen).find(([, value]) => value === FORGED_ADDRESS || `${value}`.includes("evil"));
  return first(
    isThere && `${isThere}`,
    from.includes(FORGED_ADDRESS) && from,
    scheme !== "https" && `${scheme}`,
    host !== HOST && `${host}`,
    joined.status !== 201 && `join ${joined.status}`,
  );
}

async function cookies({ at, room }) {
  const one = new Person(at, { room, cookies: false, headers: { cookie: BIG } });
  const seen = await one.ask("/seen");
  const waiting = await one.page();
  return first(
    seen.status !== 200 && `${seen.status}`,
    seen.json?.cookie !== BIG && "cut",
    seen.headers["set-cookie"]?.length !== 4 && "the shop's are cut",
    !isWaiting(waiting) && `page ${waiting.status}`,
  );
}

async function streams({ at, room, shop }) {
  const one = new Person(at);
  const down = one.begin(`/down/${room}`);
  down.request.end();
  const halves = async () => once(await down.answer, "data");
  const isDown = await Promise.race([halves().then(() => true), after(HALF_MS_MAX, false)]);
  shop.half(`/down/${room}`).resolve();
  const up = one.begin(`/up/${room}`, { method: "POST", headers: { "content-type": "text/plain" } });
  up.request.write(HALF);
  const isUp = await Promise.race([shop.half(`/up/${room}`).promise.then(() => true), after(HALF_MS_MAX, false)]);
  up.request.end("second");
  const isWhole = await up.answer.then(
    (answer) => answer.resume() && true,
    () => false,
  );
  return first(!isDown && !isUp && "neither way", !isDown && "not the answer", !isUp && "not the request", !isWhole && "cuts the request");
}

async function http2({ at, room }) {
  const one = new Person(at, { room });
  const told = await one.overHttp2(async (over) => {
    const seen = await over.page();
    const joined = await over.join();
    const closed =
      over.offersSockets &&
      (await over.socket().then(
        () => undefined,
        (error) => `socket: ${error.message}`,
      ));
    return first(!isWaiting(seen) && `page ${seen.status}`, joined.status !== 201 && `join ${joined.status}`, closed);
  });
  return told === NO_HTTP2 ? "none" : told;
}

/** With the proxy's own cache on, if it has one. */
async function cache({ cached, room }) {
  if (!cached) return "has none";
  const kept = async () => (await new Person(cached).ask("/kept")).body;
  const first = await kept();
  if (first !== (await kept())) return "keeps nothing";
  const people = Array.from({ length: 3 }, () => new Person(cached, { room }));
  const visitors = [],
    told = [];
  for (const one of people) visitors.push(visitorOf(await one.page()));
  for (const one of people) told.push((await one.call("join", "POST")).json?.number);
  for (const one of people) told.push((await one.call("status")).json?.number);
  const pages = [];
  for (const one of people) pages.push((await one.page()).body);
  const apps = Array.from({ length: 2 }, () => new Person(cached, { room, cookies: false }));
  for (const app of apps)
    for (let times = 0; times < 2; times += 1) app.headers = { "baton-credentials": (await app.call("enter", "POST")).headers["baton-credentials"] };
  const asked = [];
  for (const app of apps) asked.push((await app.call("status")).json?.number);
  const are = (list, count) => !list.includes(undefined) && new Set(list).size === count;
  return first(
    !are(visitors, 3) && "visitors shared",
    !are(told, 3) && `numbers ${told}`,
    !are(pages, 3) && "pages shared",
    !are(asked, 2) && `apps' numbers ${asked}`,
  );
}

export const QUESTIONS = { page, "25 s poll": poll, socket, address, forged, cookies, streams, "HTTP/2": http2, cache };

/** Asks all at once. Resolves to question → what is wrong. */
export async function askAll(stage) {
  const told = Object.entries(QUESTIONS).map(async ([question, ask]) => [
    question,
    await Promise.race([ask(stage), after(ALL_MS_MAX, "no answer")]).catch((error) => error.message.split("\n")[0]),
  ]);
  return Object.fromEntries(await Promise.all(told));
}
