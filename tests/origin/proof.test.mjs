// The checks of `Baton-Proof`, by running them: the kits on bare Node and Python, in nginx by njs, in nginx by a verifier (docs/origin/).
// Each gets the same attempts, and then the requests of a real Baton.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { makeProof } from "../../demo/proof.mjs";
import { eventually, raw, setCookies, startWorld } from "../runtime/support/world.mjs";
import { nginx, njs, python, startAuthRequest, startNjs, startNode, startPython } from "./origins.mjs";

const HOST = "tickets.example.com";
const ORIGINS = {
  Node: { start: startNode, missing: false },
  "Python, by WSGI": { start: startPython, missing: !python && "python3 is not installed" },
  "nginx with njs": { start: startNjs, missing: !njs && "nginx with its JavaScript module is not installed (Debian: nginx, libnginx-mod-http-js)" },
  "any nginx, by a verifier": { start: startAuthRequest, missing: (!nginx || !python) && "nginx or python3 is not installed" },
};

const PYTHON_STORE = `
class Store:
    seen = set()
    def take(self, key, now_ms, until_ms):
        return key not in self.seen and not self.seen.add(key)
`;

for (const [name, { start, missing }] of Object.entries(ORIGINS)) {
  test(`c112_c122_${name}: who came through Baton is let in, nobody else is`, { skip: missing, timeout: 60_000 }, async (t) => {
    const secret = randomBytes(24).toString("hex");
    const port = await start(t, { secret, host: HOST });
    await attempts(port, secret);
  });

  test(`${name}: behind a real Baton`, { skip: missing, timeout: 60_000 }, async (t) => {
    const secret = randomBytes(24).toString("hex");
    const port = await start(t, { secret, host: HOST });
    const world = await startWorld(t, { origin: `http://127.0.0.1:${port}`, vars: { ORIGIN_SECRET: secret } });
    const ask = (path, options = {}) => raw(world.baton.port, path, { ...options, headers: { host: HOST, accept: "text/html", ...options.headers } });
    const first = await ask("/buy/%E3%81%82?x=%2F&y='");
    assert.equal(first.status, 200, first.body);
    assert.equal(first.headers["shop-host"], HOST, "the application sees the visitors' host");
    const cookie = Object.values(setCookies(first))
      .map(({ name: of, value }) => `${of}=${value}`)
      .join("; ");
    for (const body of ["seats=1", "seats=1"]) {
      const post = await ask("/buy/book?a=b%20c", { method: "POST", body, headers: { cookie } });
      assert.deepEqual([post.status, JSON.parse(post.body)], [200, { method: "POST", url: "/buy/book?a=b%20c", body }]);
    }
    assert.equal((await ask("/open")).status, 200, "a path of no room has a proof too");
    assert.equal((await raw(port, "/buy/", { headers: { host: HOST, cookie } })).status, 403, "past Baton, with all its cookies");
  });
}

/** Requests as Baton sends them, and as others would. Long because it is a table of both. */
async function attempts(port, secret) {
  const now = () => Date.now();
  /** A request with a proof of something, maybe of something else. */
  const send = ({ method = "GET", path = "/buy/", room = "onsale", fence = "7", ...proven } = {}, headers = {}) => {
    const proof = makeProof({ secret, atMs: now(), method, host: HOST, path, room, fence, ...proven });
    const all = {
      host: HOST,
      "x-forwarded-host": HOST,
      "baton-target": path,
      "baton-proof": proof,
      "baton-room": room,
      "baton-fence": fence,
      ...headers,
    };
    return raw(port, path, {
      method,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      body: method === "POST" ? "x=1" : undefined,
    });
  };
  const status = async (...request) => (await send(...request)).status;

  const genuine = await send({ path: "/buy/%e3%81%82;v=1/..%2f?x=%2F&a=%zz&a=+" });
  assert.equal(genuine.status, 200, genuine.body);
  assert.equal(JSON.parse(genuine.body).url, "/buy/%e3%81%82;v=1/..%2f?x=%2F&a=%zz&a=+", "the path as it was sent");
  assert.equal(await status({}, { host: `127.0.0.1:${port}` }), 200, "forwarded under the origin's own host");
  const farewell = { "baton-fence": undefined };
  assert.equal(await status({ fence: "0" }, farewell), 200, "no fence is fence 0");
  assert.equal(await status({ room: "" }, { "baton-room": undefined }), 200, "a path of no room");
  const atMs = now();
  const [nonce, other] = ["00000000000000aa", "00000000000000ab"];
  assert.deepEqual([await status({ atMs, nonce }), await status({ atMs, nonce })], [200, 200], "a look may repeat");
  assert.deepEqual(
    [await status({ method: "POST", atMs, nonce }), await status({ method: "POST", atMs, nonce })],
    [200, 403],
    "a change counts once",
  );
  assert.equal(await status({ method: "POST", atMs, nonce: other }), 200, "the next change is another, in the same millisecond too");

  const wrong = {
    "no proof": [{}, { "baton-proof": undefined }],
    "an empty one": [{}, { "baton-proof": "" }],
    "another fence": [{}, { "baton-fence": "8" }],
    "the fence spelt otherwise": [{}, { "baton-fence": "07" }],
    "the fence taken away": [{}, { "baton-fence": undefined }],
    "another secret": [{ secret: "another" }],
    "another host": [{ host: "evil.example" }],
    "another host, and it in Host": [{ host: "evil.example" }, { host: "evil.example", "x-forwarded-host": "evil.example" }],
    "another room": [{}, { "baton-room": "parking" }],
    "the room taken away": [{}, { "baton-room": undefined }],
    "a room put there": [{ room: "" }, { "baton-room": "onsale" }],
    "too old": [{ atMs: atMs - 62_000 }],
    "of the future": [{ atMs: atMs + 62_000 }],
  };
  for (const [what, request] of Object.entries(wrong)) assert.equal(await status(...request), 403, what);
  const proof = makeProof({ secret, atMs, method: "GET", host: HOST, path: "/buy/", room: "onsale", fence: "7" });
  const carried = (path, method = "GET") =>
    raw(port, path, { method, headers: { host: HOST, "baton-target": "/buy/", "baton-proof": proof, "baton-room": "onsale", "baton-fence": "7" } });
  assert.equal((await carried("/buy/")).status, 200);
  for (const path of ["/buy/x", "/buy/?a", "/buy", "/Buy/", "/buy/%2e", "/%2562uy/"]) assert.equal((await carried(path)).status, 403, path);
  for (const method of ["POST", "HEAD", "DELETE"]) assert.equal((await carried("/buy/", method)).status, 403, method);
  const [t, n, mac] = [/t=(\d+)/.exec(proof)[1], /n=(\w+)/.exec(proof)[1], /mac=(.*)/.exec(proof)[1]];
  for (const odd of [
    `v1;t=${t};mac=${mac}`,
    `v1;t=${t};n=${n}0;mac=${mac}`,
    `v1;t=${t};n=;mac=${mac}`,
    `v1;n=${n};t=${t};mac=${mac}`,
    `v2;t=${t};n=${n};mac=${mac}`,
    `v1;t=0${t};n=${n};mac=${mac}`,
    `v1;t=${t};n=${n.toUpperCase()}A;mac=${mac.toUpperCase()}`,
    `v1;t=${t};n=${n};mac=${mac}0`,
    `v1;t=${t};n=${n};mac=`,
    `v1;t=;n=${n};mac=${mac}`,
    `v1;t=-1;n=${n};mac=${mac}`,
    `v1;t=1e13;n=${n};mac=${mac}`,
    `${proof}, ${proof}`,
  ]) {
    assert.equal(
      (await raw(port, "/buy/", { headers: { host: HOST, "baton-target": "/buy/", "baton-proof": odd, "baton-room": "onsale", "baton-fence": "7" } }))
        .status,
      403,
      odd,
    );
  }
}

test("c122_a_store: with one each proof counts once, whatever the method, and a store that fails lets nobody in", { timeout: 60_000 }, async (t) => {
  const secret = randomBytes(24).toString("hex");
  const seen = new Set();
  const store = { take: async (key) => !seen.has(key) && Boolean(seen.add(key)) };
  const port = await startNode(t, { secret, host: HOST, store });
  const proof = () => makeProof({ secret, atMs: Date.now(), method: "GET", host: HOST, path: "/buy/" });
  const send = async (value) => (await raw(port, "/buy/", { headers: { host: HOST, "baton-target": "/buy/", "baton-proof": value } })).status;
  const once = proof();
  assert.deepEqual([await send(once), await send(once), await send(proof())], [200, 403, 200]);
  store.take = async () => {
    throw new Error("the store is away");
  };
  assert.equal(await send(proof()), 403);
});

test("c122_a_store_in_python: the same", { skip: !python && "python3 is not installed", timeout: 60_000 }, async (t) => {
  const secret = randomBytes(24).toString("hex");
  const port = await startPython(t, { secret, host: HOST, more: PYTHON_STORE });
  const proof = makeProof({ secret, atMs: Date.now(), method: "GET", host: HOST, path: "/buy/" });
  const send = async () => (await raw(port, "/buy/", { headers: { host: HOST, "baton-target": "/buy/", "baton-proof": proof } })).status;
  assert.deepEqual([await send(), await send()], [200, 403]);
});

for (const [name, { start, missing }] of Object.entries(ORIGINS)) {
  test(`${name}: in report-only mode everybody is let in, and what would be refused is said`, { skip: missing, timeout: 60_000 }, async (t) => {
    const secret = randomBytes(24).toString("hex");
    const said = [];
    const port = await start(t, { secret, host: HOST, reportOnly: true, said });
    const proof = makeProof({ secret, atMs: Date.now(), method: "GET", host: HOST, path: "/buy/good" });
    assert.equal((await raw(port, "/buy/good", { headers: { host: HOST, "baton-target": "/buy/good", "baton-proof": proof } })).status, 200);
    assert.equal((await raw(port, "/buy/bad", { headers: { host: HOST, "baton-target": "/buy/good", "baton-proof": proof } })).status, 200);
    await eventually(() => /would refuse GET .*\/buy\/bad.*(wrong|target)/.test(said.join("")), { what: "the report" });
    assert.doesNotMatch(said.join(""), /would refuse GET .*good/);
  });
}
