// One room over several hosts that share a domain: one place in line and one pass for all of them, and nothing of it for
// any other host, above all not for a hostile sibling below the same domain.

import assert from "node:assert/strict";
import { test } from "node:test";
import { seal, open } from "../catalogue/forge.mjs";
import { cookieOf, eventually, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const [A, B, SIBLING, STRANGER] = ["a.example.com", "b.example.com", "blog.example.com", "a.example.net"];
const ROOM = { paths: ["/buy/*"], hosts: [A, B], cookie_domain: "example.com", permits: 1, tick_ms: 50, claim_within_s: 60 };
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

async function world(t, { rooms = {} } = {}) {
  const origin = await startOrigin(t, ({ headers }, response) => response.end(JSON.stringify(headers)));
  return startWorld(t, { origin: origin.url, rooms: { onsale: ROOM, ...rooms } });
}

/** A browser as far as hosts and cookies go: who gets which cookie is decided by `Domain`, as browsers do. */
class Browser {
  #cookies = [];

  constructor({ baton }) {
    this.port = baton.port;
  }

  async go(host, path, { method = "GET", headers = {} } = {}) {
    const cookie = this.header(host);
    const answer = await raw(this.port, path, { method, headers: { host, ...(cookie && { cookie }), ...headers } });
    for (const line of answer.headers["set-cookie"] ?? []) this.#keep(host, cookieOf(line));
    return answer;
  }

  page(host, path = "/buy/") {
    return this.go(host, path, { headers: PAGE });
  }

  /** A call as a page of the same host makes it. */
  call(host, name, method = "POST", headers = {}) {
    return this.go(host, `/__baton/onsale/${name}`, { method, headers: { origin: `http://${host}`, "sec-fetch-site": "same-origin", ...headers } });
  }

  async status(host) {
    return JSON.parse((await this.call(host, "status", "GET")).body);
  }

  header(host) {
    return this.#cookies
      .filter((cookie) => cookie.at === host || (cookie.shared && host.endsWith(`.${cookie.at}`)))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  value(name) {
    return this.#cookies.find((cookie) => cookie.name === name)?.value;
  }

  #keep(host, { name, value, attributes }) {
    const domain = attributes.find((attribute) => attribute.startsWith("Domain="))?.slice("Domain=".length);
    if (domain && (name.startsWith("__Host-") || !host.endsWith(`.${domain}`))) return;
    const at = domain ?? host;
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.at !== at);
    if (!attributes.includes("Max-Age=0")) this.#cookies.push({ name, value, at, shared: domain !== undefined });
  }
}

/** Somebody inside, and somebody behind with a number. */
async function lineOfTwo(it) {
  const [first, second] = [new Browser(it), new Browser(it)];
  assert.equal((await first.page(A)).headers["baton-state"], undefined, "the first walks in");
  await first.page(A);
  assert.equal((await second.page(A)).headers["baton-state"], "waiting");
  assert.equal((await second.call(A, "join")).status, 201);
  return { first, second };
}

test("a number that was got at one host is the place at the other, and one pass opens both", async (t) => {
  const it = await world(t);
  const { first, second } = await lineOfTwo(it);
  const { number } = await second.status(A);
  assert.deepEqual([(await second.status(B)).number, (await second.call(B, "join")).status], [number, 200]);
  assert.equal((await second.page(B)).headers["baton-state"], "waiting");
  assert.equal((await first.call(B, "leave")).status, 204, "given up at the host where it was not got");
  await eventually(async () => (await second.status(B)).state === "called", { what: "the call" });
  const landed = await second.page(B);
  const pass = setCookies(landed)["__Secure-baton-onsale-pass"];
  assert.ok(pass.attributes.includes("Domain=example.com") && pass.attributes.includes("Secure"), pass.attributes.join());
  const [atB, atA] = [JSON.parse(landed.body), JSON.parse((await second.page(A)).body)];
  assert.deepEqual([atA["baton-ticket"], atA["baton-fence"]], [atB["baton-ticket"], atB["baton-fence"]]);
  assert.equal(Number(atA["baton-ticket"]), number);
  assert.equal(atA.cookie, undefined, "no cookie of Baton's reaches the origin");
});

test("a host that the room does not name shares nothing, below the domain or not", async (t) => {
  const it = await world(t);
  const { second } = await lineOfTwo(it);
  const { number } = await second.status(A);
  for (const host of [SIBLING, STRANGER, "example.com"]) {
    // As if the browser sent them there: some do, to siblings.
    const answer = await raw(it.baton.port, "/__baton/onsale/join", { method: "POST", headers: { host, cookie: second.header(A) } });
    assert.equal(answer.status, 421, host);
    assert.deepEqual(Object.keys(setCookies(answer)), [], host);
  }
  assert.equal((await second.status(A)).number, number);
});

test("c109_a_sibling_host_makes_no_token: what it got for itself, renamed, bound to the bare name, put in front of the true one", async (t) => {
  const it = await world(t, { rooms: { blog: { paths: ["/buy/*"], hosts: [SIBLING, "example.com"], permits: 9 } } });
  const { second } = await lineOfTwo(it);
  const names = ["visitor", "onsale-ticket"].map((name) => `__Secure-baton-${name}`);
  const [visitor, ticket] = names.map((name) => second.value(name));
  const { number } = await second.status(A);
  const at = async (host, cookie, path = "status") =>
    JSON.parse((await raw(it.baton.port, `/__baton/onsale/${path}`, { headers: { host, cookie } })).body);
  assert.equal((await at(B, `${names[0]}=${visitor}; ${names[1]}=${ticket}`)).number, number, "the true ones");

  const blogger = new Browser(it);
  await blogger.page(SIBLING);
  const theirs = Object.fromEntries(["visitor", "blog-ticket", "blog-pass"].map((name) => [name, blogger.value(`__Host-baton-${name}`)]));
  assert.ok(theirs["blog-pass"], "the sibling has a pass of its own");
  const pass = (value) =>
    raw(it.baton.port, "/buy/", { headers: { host: A, cookie: `__Secure-baton-onsale-pass=${value}`, accept: "application/json" } });
  assert.equal((await pass(theirs["blog-pass"])).status, 429);
  // Signed by whoever could, for the host that is called like the domain: still no token of the domain.
  const bare = (token, room) => seal(it.vars.BATON_SECRET, { room, host: "example.com" }, open(token).signed);
  const shared = (token, room) => seal(it.vars.BATON_SECRET, { room, host: ".example.com" }, open(token).signed);
  assert.equal((await pass(bare(theirs["blog-pass"], "onsale"))).status, 429);
  assert.equal((await pass(shared(theirs["blog-pass"], "onsale"))).status, 200, "and only the name was wrong");
  for (const forged of [theirs.visitor, bare(visitor, "")]) {
    assert.equal((await at(A, `${names[0]}=${forged}; ${names[1]}=${ticket}`)).state, "none", "nobody's ticket is no place");
  }
  assert.equal((await at(A, `__Host-baton-visitor=${visitor}; __Host-baton-onsale-ticket=${ticket}`)).state, "none", "under the host's own names");
  // Planted in front, as a sibling may: the true one is found behind.
  const junk = [theirs.visitor, "", "x", bare(visitor, ""), visitor.slice(1)].map((value) => `${names[0]}=${value}`).join("; ");
  const planted = [theirs["blog-ticket"], "y"].map((value) => `${names[1]}=${value}`).join("; ");
  assert.equal((await at(A, `${junk}; ${planted}; ${names[0]}=${visitor}; ${names[1]}=${ticket}`)).number, number);
});

test("c110_a_sibling_hosts_page_changes_nothing: only the room's own hosts may call, whatever the browser says of the site", async (t) => {
  const it = await world(t);
  const { second } = await lineOfTwo(it);
  const { number } = await second.status(A);
  const calls = ["join", "claim", "leave", "carry", "language/ja"];
  const foreign = [
    { origin: `http://${SIBLING}`, "sec-fetch-site": "same-site" },
    { origin: "http://example.com", "sec-fetch-site": "same-site" },
    { origin: `https://${B}`, "sec-fetch-site": "same-site" },
    { origin: `http://${B}:8443`.replace(B, STRANGER), "sec-fetch-site": "same-site" },
    { origin: "null", "sec-fetch-site": "same-site" },
    { origin: `http://${B}`, "sec-fetch-site": "cross-site" },
  ];
  for (const headers of foreign) {
    for (const call of calls) assert.equal((await second.call(A, call, "POST", headers)).status, 403, `${call} ${JSON.stringify(headers)}`);
  }
  assert.equal((await second.status(A)).number, number, "still in place");
  // A browser that says nothing about sites is believed about its host.
  const kin = await second.go(A, "/__baton/onsale/leave", { method: "POST", headers: { origin: `http://${B}` } });
  assert.equal(kin.status, 204);
  assert.equal((await second.status(B)).state, "over");
});
