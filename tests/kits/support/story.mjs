// One purchase through a running Baton, the same for every framework. A shop of the test has these routes:
//
//   GET  /buy/…       JSON: `csrf`, `absolute` (the address of /buy/seat as the framework builds it), `name` from the login's
//                     cookie, `path` as the framework shows it, `visit` as the kit knows it
//   POST /buy/login   form `csrf`, `name`: a login cookie, and a redirect to /buy/ by an absolute address
//   POST /buy/seat    form `csrf`, `seat`: the fence guard on the shop's database
//   POST /buy/upload  multipart `csrf`, `ticket`: the file's length and SHA-256
//   GET  /buy/more    extends the lease, tells the stock
//   POST /buy/paid    a hosted payment's return, from another site and without a token: 303
//   POST /buy/done    releases
//
// A framework without CSRF protection gives `csrf` as null.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { eventually, startWorld } from "../../runtime/support/world.mjs";
import { Buyer } from "./buyer.mjs";
import { HOST } from "./programs.mjs";

export const OPERATOR = "operator-operator-operator-operator";
const ORIGIN = `http://${HOST}`;

/** Starts a shop and a Baton with one permit in front of it. */
export async function startBoth(t, shop, mode) {
  const secret = randomBytes(24).toString("hex");
  const behind = await shop.start(t, { secret, mode });
  const vars = { ORIGIN_SECRET: secret, BATON_ADMIN_TOKEN: OPERATOR };
  const room = { permits: 1, stock_line: true, lease_extend_max_s: 600 };
  const world = await startWorld(t, { origin: `http://127.0.0.1:${behind.port}`, vars, room });
  return { world, behind, secret };
}

/** The room's figures, as the desk has them. */
export async function report(world) {
  const { body } = await world.raw("/__baton/admin/rooms", { headers: { host: HOST, authorization: `Bearer ${OPERATOR}` } });
  return JSON.parse(body).rooms[0].report;
}

/** A purchase from the door to the release, while somebody else waits. */
export async function purchase(world) {
  const buyer = new Buyer(world.baton.port);
  const token = await enter(buyer);
  await login(buyer, token);
  await reserve(buyer);
  await upload(buyer);
  await speak(world, buyer);
  await payAndLeave(world, buyer);
}

/** The token of the shop's forms, with the header and the field names of the frameworks. */
const tokenOf = (json) => (json.csrf === null ? {} : { csrfmiddlewaretoken: json.csrf, _csrf: json.csrf, authenticity_token: json.csrf });

async function enter(buyer) {
  const first = await buyer.ask("/buy/%E3%81%82?x=%2F&y=a+b");
  assert.equal(first.status, 200, first.body.slice(0, 300));
  assert.ok(first.json, `the shop, not the waiting page: ${first.body.slice(0, 200)}`);
  const { fence } = first.json.visit;
  assert.deepEqual([first.json.visit, decodeURI(first.json.path)], [{ room: "onsale", ticket: 1, fence }, "/buy/あ"]);
  assert.ok(Number.isSafeInteger(fence) && fence > 0, `${fence}`);
  assert.equal(first.json.absolute, `${ORIGIN}/buy/seat`, "an absolute address leads back through Baton");
  assert.deepEqual(
    Object.keys(first.headers).filter((name) => name.startsWith("baton-")),
    [],
    "what shop and Baton say to each other stays there",
  );
  return tokenOf(first.json);
}

async function login(buyer, token) {
  const answer = await buyer.post("/buy/login", { ...token, name: "mika" });
  assert.deepEqual([answer.status, answer.headers.location], [302, `${ORIGIN}/buy/`], answer.body.slice(0, 300));
  const { json } = await buyer.ask("/buy/");
  assert.equal(json.name, "mika", "the login's cookie");
  if (json.csrf === null) return;
  const forged = await buyer.post("/buy/login", { name: "eve" }, { headers: { origin: "http://evil.example" } });
  assert.equal(forged.status, 403, "the framework's CSRF protection still refuses");
}

const formOf = async (buyer) => tokenOf((await buyer.ask("/buy/")).json);

async function reserve(buyer) {
  const answer = await buyer.post("/buy/seat", { ...(await formOf(buyer)), seat: "4-12" });
  assert.deepEqual([answer.status, answer.json], [200, { seat: "4-12" }], answer.body.slice(0, 300));
}

async function upload(buyer) {
  const file = randomBytes(1_000_000);
  const answer = await buyer.upload("/buy/upload", await formOf(buyer), "ticket", file);
  assert.deepEqual(answer.json, { bytes: file.length, sha256: createHash("sha256").update(file).digest("hex") }, answer.body.slice(0, 300));
}

async function speak(world, buyer) {
  const answer = await buyer.ask("/buy/more");
  assert.deepEqual([answer.status, answer.headers["baton-stock"], answer.headers["baton-extend"]], [200, undefined, undefined]);
  await eventually(async () => (await report(world)).stock === 1_200, { what: "the stock at the desk" });
}

async function payAndLeave(world, buyer) {
  const next = new Buyer(world.baton.port);
  assert.equal((await next.ask("/buy/")).json, undefined, "the only permit is taken: the waiting page");
  const paid = await buyer.post("/buy/paid", { receipt: "1" }, { headers: { origin: "https://bank.example" } });
  assert.deepEqual([paid.status, new URL(paid.headers.location, ORIGIN).href], [303, `${ORIGIN}/buy/thanks`], paid.body.slice(0, 300));
  const done = await buyer.post("/buy/done", await formOf(buyer));
  assert.deepEqual([done.status, done.json], [200, { done: true }], done.body.slice(0, 300));
  await eventually(async () => (await report(world)).totals.released === 1, { what: "the release" });
  await eventually(async () => (await next.ask("/buy/")).json?.visit?.ticket > 1, { what: "the next visitor inside" });
}
