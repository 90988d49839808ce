// An origin behind a URL: it learns how the visitor came, and what it says of its own address means the visitor's. Which values
// are changed is in tests/gate/relocate.rs; here it is that they are, on every kind of answer.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import WebSocket, { WebSocketServer } from "ws";
import { raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const PASS = "baton-onsale-pass";

test("an origin learns the visitor's host, scheme and address, and no other than these", async (t) => {
  const origin = await startOrigin(t, (request, response) => response.end(JSON.stringify(request.rawHeaders)));
  const world = await startWorld(t, { origin: origin.url });
  const seen = async (path, headers) => {
    const names = JSON.parse((await raw(world.baton.port, path, { headers: { accept: "text/html", ...headers } })).body);
    return Object.fromEntries(
      names.flatMap((name, at) => (at % 2 === 0 && /^(?:x.forwarded|host)/i.test(name) ? [[name.toLowerCase(), names[at + 1]]] : [])),
    );
  };
  const lies = {
    "x-forwarded-for": "6.6.6.6, 7.7.7.7",
    x_forwarded_for: "6.6.6.6",
    "X-Forwarded-Host": "evil.example",
    "x-forwarded-proto": "https",
    "x-forwarded-port": "1",
    forwarded: "for=6.6.6.6",
  };
  for (const path of ["/buy/", "/open"]) {
    const ours = { host: new URL(origin.url).host, "x-forwarded-host": "tickets.example.com", "x-forwarded-proto": "http" };
    const host = { host: "tickets.example.com" };
    assert.deepEqual(await seen(path, { ...lies, ...host, "cf-connecting-ip": "192.0.2.9" }), { ...ours, "x-forwarded-for": "192.0.2.9" }, path);
    assert.deepEqual(await seen(path, { ...lies, ...host, "cf-connecting-ip": "2001:db8::9" }), { ...ours, "x-forwarded-for": "2001:db8::9" }, path);
    assert.deepEqual(await seen(path, { ...lies, ...host }), ours, `${path}: without one of the platform's there is none`);
    assert.deepEqual(await seen(path, { ...lies, ...host, "cf-connecting-ip": "6.6.6.6, 7.7.7.7" }), ours, `${path}: what is no address is none`);
  }
});

test("what an answer says of the origin's address means the visitor's; all else is left, byte for byte", async (t) => {
  let own;
  const origin = await startOrigin(t, (request, response) => {
    const { pathname } = new URL(request.url, own);
    const { port } = new URL(own);
    const answers = {
      moved: [302, { location: `${own}/a?to=${own}/b#c` }],
      made: [201, { location: `http://127.0.0.1:${port}/seat/7`, "content-location": `${own}/seat/7` }],
      later: [200, { refresh: `3; url="${own}/a"` }],
      away: [303, { location: `https://bank.example/pay?back=${own}/done` }],
      relative: [302, { location: "/buy/x" }],
      failed: [503, { location: `${own}/sorry` }],
      odd: [302, { location: `http://127.0.0.1:${port}@evil.example/` }],
      bytes: [302, { location: `/%ff?\u00e9=${own}` }],
      in: [200, {}],
    };
    const [status, headers] = answers[pathname.split("/").at(-1)] ?? answers.in;
    response.writeHead(status, headers).end(`a body with ${own}/a in it`);
  });
  own = origin.url;
  const world = await startWorld(t, { origin: own });
  const visitor = world.visitor();
  const { url } = world.baton;
  const expected = {
    moved: { location: `${url}/a?to=${own}/b#c` },
    made: { location: `${url}/seat/7`, "content-location": `${url}/seat/7` },
    later: { refresh: `3; url="${url}/a"` },
    away: { location: `https://bank.example/pay?back=${own}/done` },
    relative: { location: "/buy/x" },
    failed: { location: `${url}/sorry` },
    odd: { location: `http://127.0.0.1:${origin.port}@evil.example/` },
  };
  // The first answer to the visitor brings the pass, those after it do not, and an open path needs none.
  for (const folder of ["/buy", "/buy", "/open"]) {
    for (const [path, headers] of Object.entries(expected)) {
      const answer = await raw(world.baton.port, `${folder}/${path}`, { headers: { accept: "text/html", cookie: visitor.jar.header() } });
      visitor.jar.take(answer.headers["set-cookie"]);
      const got = Object.fromEntries(Object.keys(headers).map((name) => [name, answer.headers[name]]));
      assert.deepEqual(got, headers, `${folder}/${path}`);
      assert.equal(answer.body, `a body with ${own}/a in it`);
    }
  }
  const public_ = await raw(world.baton.port, "/open/moved", { headers: { host: "tickets.example.com:8443" } });
  assert.equal(public_.headers.location, `http://tickets.example.com:8443/a?to=${own}/b#c`, "the visitor's own host and port");
  const bytes = await raw(world.baton.port, "/open/bytes");
  assert.equal(bytes.headers.location, `/%ff?\u00e9=${own}`);
});

test("a cookie for the origin's host becomes the visitor's host's own; others, and Baton's, are as ever", async (t) => {
  const lines = [
    "a=1; Domain=127.0.0.1; Path=/; HttpOnly",
    'b="x y"; domain=.127.0.0.1',
    "c=3; Domain=shop.example; Secure",
    "d=4; Path=/x",
    "__Host-baton-onsale-pass=stolen; Domain=127.0.0.1",
  ];
  const origin = await startOrigin(t, (request, response) => response.writeHead(200, { "set-cookie": lines }).end("ok"));
  const world = await startWorld(t, { origin: origin.url });
  const expected = ["a=1; Path=/; HttpOnly", 'b="x y"', lines[2], lines[3]];
  const ask = (path, headers) => raw(world.baton.port, path, { headers: { accept: "text/html", host: "tickets.example.com", ...headers } });
  assert.deepEqual((await ask("/open")).headers["set-cookie"], expected);
  const first = await ask("/buy/");
  assert.equal(first.status, 200);
  const theirs = first.headers["set-cookie"].filter((line) => !line.includes("baton-"));
  assert.deepEqual(theirs, expected, "beside the pass that comes with it");
  assert.ok(setCookies(first)[`__Host-${PASS}`]);
  const same = await raw(world.baton.port, "/open", { headers: { host: "127.0.0.1" } });
  assert.deepEqual(same.headers["set-cookie"].slice(0, 2), lines.slice(0, 2), "a host with another port is the same to a cookie");
});

test("a binding's origin is asked at the visitor's address, and what it says of another is its own affair", async (t) => {
  const world = await startWorld(t, { service: true });
  const visitor = world.visitor();
  await visitor.arrive("/buy/echo");
  const answer = await visitor.request(`/buy/redirect?status=302&to=${world.shop.url}/x`);
  assert.equal(answer.headers.location, `${world.shop.url}/x`);
  assert.equal(
    (await visitor.request("/buy/echo", { headers: { "cf-connecting-ip": "192.0.2.9", "x-forwarded-for": "6.6.6.6" } })).json.headers[
      "x-forwarded-for"
    ],
    "192.0.2.9",
  );
});

test("WebSockets and uploads likewise", async (t) => {
  let uploaded;
  const origin = await startOrigin(t, (request, response) => {
    const hash = createHash("sha256");
    request.on("data", (chunk) => hash.update(chunk));
    request.on("end", () => {
      uploaded = { hash: hash.digest("hex"), headers: request.headers };
      response.writeHead(201, { location: `${origin.url}/files/1` }).end();
    });
  });
  const sockets = new WebSocketServer({ server: origin.server });
  sockets.on("headers", (headers) => headers.push("Set-Cookie: s=1; Domain=127.0.0.1"));
  sockets.on("connection", (socket, { headers }) => socket.send(JSON.stringify(headers)));
  t.after(() => sockets.close());
  const world = await startWorld(t, { origin: origin.url });
  const headers = { host: "tickets.example.com", "cf-connecting-ip": "192.0.2.9", "x-forwarded-for": "6.6.6.6" };
  const body = randomBytes(3 * 1024 * 1024);
  const sent = await raw(world.baton.port, "/open/upload", { method: "POST", body, headers: { ...headers, "content-length": body.length } });
  assert.deepEqual([sent.status, sent.headers.location], [201, "http://tickets.example.com/files/1"]);
  assert.equal(uploaded.hash, createHash("sha256").update(body).digest("hex"));
  const told = (of) => [of["x-forwarded-host"], of["x-forwarded-proto"], of["x-forwarded-for"], of["baton-target"]];
  assert.deepEqual(told(uploaded.headers), ["tickets.example.com", "http", "192.0.2.9", "/open/upload"]);
  const socket = new WebSocket(`ws://127.0.0.1:${world.baton.port}/open/ws?a=%2F`, { headers });
  const [[upgrade], [hello]] = await Promise.all([once(socket, "upgrade"), once(socket, "message")]);
  assert.deepEqual(told(JSON.parse(hello.toString())), ["tickets.example.com", "http", "192.0.2.9", "/open/ws?a=%2F"]);
  assert.deepEqual(upgrade.headers["set-cookie"], ["s=1"]);
  socket.close(1000);
  await once(socket, "close");
});
