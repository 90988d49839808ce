// What passes through the front to the origin and back: untouched, streamed, less what is Baton's.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import WebSocket from "ws";
import { makeProof } from "../../demo/proof.mjs";
import { coded } from "../support/logs.mjs";
import { eventually, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const PASS = "baton-onsale-pass";
/** Greater than the time in ms at which the room came into memory. */
const FENCE = /^\d{13}$/;

/** A visitor whose pass is confirmed. */
async function admitted(world, options) {
  const visitor = world.visitor(options);
  assert.equal((await visitor.arrive("/buy/")).state, "shop");
  assert.equal((await visitor.arrive("/buy/")).state, "shop");
  return visitor;
}

/** An origin that answers every path with the headers that it saw. */
const startEcho = (t) =>
  startOrigin(t, (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ raw_headers: request.rawHeaders }));
  });

/** The headers, keyed by lower-case name, all values of each. */
function seen(rawHeaders) {
  const all = {};
  for (let i = 0; i < rawHeaders.length; i += 2) (all[rawHeaders[i].toLowerCase()] ??= []).push(rawHeaders[i + 1]);
  return all;
}

test("c15_headers_a_client_claims: the origin sees the lease's headers and a proof, and nothing that the client claimed to be Baton's", async (t) => {
  const world = await startWorld(t);
  const visitor = await admitted(world);
  const liar = {
    "Baton-Fence": "999",
    "baton-room": "vip",
    Baton_Ticket: "7",
    "BATON-PROOF": "v1",
    "Baton-Target": "/buy/other",
    Baton_Target: "/buy/other",
    "Baton-Anything": "x",
    "X-Forwarded-Host": "evil.example",
  };
  const { json } = await visitor.request("/buy/echo?q=%2F&a=b&a=%zz", { headers: liar });
  assert.equal(json.path, "/buy/echo?q=%2F&a=b&a=%zz", "byte for byte");
  const headers = seen(json.raw_headers);
  const ours = Object.keys(headers)
    .filter((name) => /^baton/i.test(name))
    .sort();
  assert.deepEqual(ours, ["baton-edition", "baton-ends-at-ms", "baton-fence", "baton-proof", "baton-room", "baton-target", "baton-ticket"]);
  assert.deepEqual(headers["baton-target"], ["/buy/echo?q=%2F&a=b&a=%zz"], "the bytes that the proof covers");
  assert.deepEqual([headers["baton-room"], headers["baton-ticket"]], [["onsale"], ["1"]]);
  const [fence] = headers["baton-fence"];
  assert.match(fence, FENCE);
  const [, atMs, nonce] = /^v1;t=(\d+);n=(\w+);/.exec(headers["baton-proof"][0]);
  const said = {
    secret: world.vars.ORIGIN_SECRET,
    atMs,
    method: "GET",
    host: headers["x-forwarded-host"][0],
    path: headers["baton-target"][0],
    room: "onsale",
    fence,
    nonce,
  };
  assert.deepEqual(headers["baton-proof"], [makeProof(said)]);
  const left = Number(headers["baton-ends-at-ms"][0]) - Date.now();
  assert.ok(left > 200_000 && left <= 300_500, `the lease's idle end, ${left} ms away`);
  assert.deepEqual(headers["x-forwarded-host"], [`127.0.0.1:${world.baton.port}`]);
  assert.deepEqual(headers["x-forwarded-proto"], ["http"]);
  assert.deepEqual(headers.host, [new URL(world.shop.url).host]);
});

test("c120_headers_by_rule: what moves a request or says who a client is stays behind, what the operator names goes on", async (t) => {
  const vars = { PASS_HEADERS: ["api_key", "X-Store-Path"], FRONT_HEADERS: ["Remote-User"] };
  const origin = await startEcho(t);
  const world = await startWorld(t, { origin: origin.url, vars });
  const visitor = world.visitor();
  for (let i = 0; i < 2; i += 1) await visitor.arrive("/buy/");
  const lies = {
    SCRIPT_NAME: "/buy",
    PATH_INFO: "/x",
    "Daphne-Root-Path": "/buy",
    "X-New-Server-Path": "/x",
    "X-Scheme": "https",
    "X-Backend-Host": "evil.example",
    "X-Real-IP": "10.0.0.1",
    "True-Client-IP": "10.0.0.1",
    "X-Forwarded-User": "root",
    "X-Forwarded-Client-Cert": "Subject=root",
    other_key: "k",
  };
  const honest = {
    api_key: "k",
    "X-Store-Path": "/7",
    "Remote-User": "from the front",
    "HX-Current-URL": "http://x/",
    "X-Api-Key": "k",
    Traceparent: "00-1",
    "X-Requested-With": "XMLHttpRequest",
  };
  for (const path of ["/buy/echo", "/open/echo"]) {
    const { json } = await visitor.request(path, { headers: { ...lies, ...honest } });
    const headers = seen(json.raw_headers);
    assert.deepEqual(
      Object.keys(lies).filter((name) => headers[name.toLowerCase()]),
      [],
      path,
    );
    for (const [name, value] of Object.entries(honest)) assert.deepEqual(headers[name.toLowerCase()], [value], `${path}: ${name}`);
  }
  const known = { "CF-Connecting-IP": "192.0.2.7", "X-Real-IP": "192.0.2.7", "True-Client-IP": "192.0.2.8" };
  const { json } = await visitor.request("/buy/echo", { headers: known });
  const headers = seen(json.raw_headers);
  assert.deepEqual([headers["x-real-ip"], headers["true-client-ip"]], [["192.0.2.7"], undefined], "the very address, under another name");
});

test("c120_headers_while_all_rooms_observe: nothing changes for the shop, and the log says what would stay", async (t) => {
  const gated = { paths: ["/buy/*"], permits: 10, tick_ms: 50 };
  const origin = await startEcho(t);
  for (const [mode, goes] of [
    ["observe", true],
    ["open", false],
  ]) {
    const world = await startWorld(t, {
      origin: origin.url,
      rooms: { onsale: { ...gated, mode: "observe" }, other: { ...gated, paths: ["/other/*"], mode } },
    });
    const visitor = world.visitor();
    for (let i = 0; i < 2; i += 1) await visitor.arrive("/buy/");
    for (const path of ["/buy/echo", "/open/echo"]) {
      const { json } = await visitor.request(path, { headers: { SCRIPT_NAME: "/other", "Baton-Fence": "9", X_Forwarded_Host: "evil.example" } });
      const headers = seen(json.raw_headers);
      assert.deepEqual([headers.script_name, headers.x_forwarded_host], [goes ? ["/other"] : undefined, undefined], `${mode} ${path}`);
    }
    await eventually(async () => coded(world.logs(), "header_stays").length === 1, { what: "a line" });
    const [{ header, why }] = coded(world.logs(), "header_stays");
    assert.deepEqual([header, why.includes("observe")], ["script_name", goes]);
  }
});

test("c16_cookies_on_the_way_in: Baton's cookies never reach the origin, the others byte for byte", async (t) => {
  const world = await startWorld(t);
  const visitor = await admitted(world);
  const own = visitor.jar.header();
  const others = ["a=1", 'b="x y"', "c", "d=é=;", "__Host-shop=1"].join(";");
  for (const cookie of [`${own};${others}`, `${others}; ${own}`, `x=0; ${own};${others}`]) {
    visitor.jar.header = () => Buffer.from(cookie).toString("latin1");
    const { json } = await visitor.request("/buy/echo");
    const arrived = Buffer.from(json.headers.cookie, "latin1").toString();
    assert.doesNotMatch(arrived, /baton/);
    for (const other of others.split(";")) assert.ok(arrived.includes(other), `${other} in ${arrived}`);
  }
  visitor.jar.header = () => own;
  assert.equal((await visitor.request("/buy/echo")).json.headers.cookie, undefined, "no empty Cookie header");
  const free = await raw(world.baton.port, "/buy/echo", { headers: { cookie: own, accept: "application/json" } });
  assert.equal(free.status, 200, "the cookies by themselves admit");
});

test("c25_cookies_on_the_way_out: the origin's cookies come through byte for byte, less those that would be Baton's", async (t) => {
  const lines = [
    "a=1; Path=/; Expires=Wed, 01 Jan 2070 00:00:00 GMT",
    "baton-onsale-pass=stolen; Path=/",
    "b=; Max-Age=0",
    "__Host-baton-visitor=x; Secure; Path=/",
    'c="q"; SameSite=Lax;Path=/x',
    "=baton-visitor=nameless",
    "baton-shop=theirs",
  ];
  const origin = await startOrigin(t, (_request, response) => {
    response.writeHead(200, { "set-cookie": lines, "baton-state": "waiting", "baton-secret": "1", "cache-control": "no-store" });
    response.end("ok");
  });
  const world = await startWorld(t, { origin: origin.url });
  const visitor = world.visitor();
  await visitor.arrive();
  const fromOrigin = [lines[0], lines[2], lines[4], lines[6]];
  for (const path of ["/buy/x", "/open"]) {
    const answer = await raw(world.baton.port, path, { headers: { cookie: visitor.jar.header() } });
    assert.deepEqual(
      answer.headers["set-cookie"].filter((line) => !line.startsWith(`${PASS}=`) || line === lines[1]),
      fromOrigin,
    );
    assert.equal(answer.headers["baton-state"], undefined);
    assert.equal(answer.headers["baton-secret"], undefined);
  }
});

test("c26_c59_redirects_and_errors: relayed, an error is kept by no cache and costs no lease", async (t) => {
  const world = await startWorld(t);
  const visitor = await admitted(world);
  for (const status of [301, 302, 303, 307, 308]) {
    const answer = await visitor.request(`/buy/redirect?status=${status}&to=https://bank.example/pay?x=1`);
    assert.deepEqual([answer.status, answer.headers.location], [status, "https://bank.example/pay?x=1"]);
  }
  for (const status of [400, 404, 500, 503]) {
    const answer = await visitor.request(`/buy/error?status=${status}`);
    assert.equal(answer.status, status);
    if (status >= 500) assert.equal(answer.headers["cache-control"], "private, no-store");
  }
  assert.match(String((await visitor.arrive()).fence), FENCE);
});

test("c59_an_origin_that_does_not_answer: 502, and the lease is kept", async (t) => {
  let alive = true;
  const origin = await startOrigin(t, (request, response) => (alive ? response.end(request.headers["baton-fence"]) : request.socket.destroy()));
  const world = await startWorld(t, { origin: origin.url });
  const visitor = world.visitor();
  alive = false;
  const first = await visitor.arrive();
  assert.equal(first.status, 502);
  assert.match(first.body, /data-state="down"/, "a page for who takes one: tests/platform/down.test.mjs");
  assert.ok(setCookies(first)[PASS], "a walk-in keeps the pass that it was given");
  assert.equal(first.headers["cache-control"], "private, no-store");
  alive = true;
  assert.match((await visitor.arrive()).body, FENCE);
});

test("c27_bodies_stream_down: the first part is there before the origin has written the last", async (t) => {
  let finish;
  const origin = await startOrigin(t, (request, response) => {
    if (!request.url.startsWith("/buy/slow")) return response.end("in");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("first");
    finish = () => response.end("last");
    return undefined;
  });
  const world = await startWorld(t, { origin: origin.url });
  const visitor = world.visitor();
  await visitor.arrive();
  for (const path of ["/buy/slow", "/buy/slow?again"]) {
    const request = http.get(`${world.baton.url}${path}`, { headers: { cookie: visitor.jar.header() }, agent: false });
    const [response] = await once(request, "response");
    const [first] = await once(response, "data");
    assert.equal(first.toString(), "first");
    finish();
    const [last] = await once(response, "data");
    assert.equal(last.toString(), "last");
  }
});

for (const strict of [false, "unsafe", "all"]) {
  test(`c27_a_slow_upload_outlives_its_lease, strict ${strict}: what was begun with a pass arrives whole, and the next request waits`, async (t) => {
    const origin = await startOrigin(t, async (request, response) => {
      let bytes = 0;
      for await (const chunk of request) bytes += chunk.length;
      response.writeHead(201).end(`${bytes}`);
    });
    const world = await startWorld(t, { origin: origin.url, room: { permits: 1, lease_idle_s: 1, lease_max_s: 2, pass_ttl_s: 1, strict } });
    const visitor = await admitted(world);
    const part = randomBytes(1_000_000);
    const headers = { cookie: visitor.jar.header(), "content-type": "application/octet-stream" };
    const upload = http.request(`${world.baton.url}/buy/upload`, { method: "POST", headers, agent: false });
    const answered = once(upload, "response");
    upload.write(part);
    const next = world.visitor();
    await eventually(async () => (await next.arrive("/buy/")).state === "shop", {
      what: "the next one's way in, after the lease",
      timeoutMs: 30_000,
    });
    for (let at = 0; at < 3; at += 1) upload.write(part);
    upload.end();
    const [response] = await answered;
    const body = Buffer.concat(await response.toArray()).toString();
    assert.deepEqual([response.statusCode, body], [201, "4000000"]);
    assert.equal((await visitor.arrive("/buy/")).state, "waiting");
  });
}

test("c27_bodies_stream_up: the origin sees the first part before the client has sent the last", async (t) => {
  const parts = [];
  let arrived;
  const firstPart = new Promise((resolve) => {
    arrived = resolve;
  });
  const origin = await startOrigin(t, (request, response) => {
    request.on("data", (chunk) => {
      parts.push(chunk.toString());
      arrived();
    });
    request.on("end", () => response.end("in"));
  });
  const world = await startWorld(t, { origin: origin.url });
  const visitor = world.visitor();
  await visitor.arrive();
  const request = http.request(`${world.baton.url}/buy/up`, { method: "POST", headers: { cookie: visitor.jar.header() }, agent: false });
  request.write("first");
  await firstPart;
  request.end("last");
  const [response] = await once(request, "response");
  assert.equal(response.statusCode, 200);
  response.resume();
  assert.equal(parts.join(""), "firstlast");
});

test("c27_a_large_body: it arrives whole, with every method there is", async (t) => {
  const world = await startWorld(t);
  const visitor = await admitted(world);
  const body = randomBytes(20 * 1024 * 1024);
  const { json } = await visitor.request("/buy/echo", { method: "POST", body, headers: { "content-length": body.length } });
  assert.equal(json.sha256, createHash("sha256").update(body).digest("hex"));
  assert.equal(json.headers["content-length"], String(body.length));
  for (const method of ["PUT", "PATCH", "DELETE", "PROPFIND", "OPTIONS"]) {
    const answer = await visitor.request("/buy/echo", { method, body: "x=1" });
    assert.deepEqual([answer.json.method, answer.json.body], [method, "x=1"]);
  }
  const head = await visitor.request("/buy/echo", { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [200, ""]);
  const odd = await visitor.request("/buy/echo", { method: "GET", body: "a body on a GET", headers: { "content-length": 15 } });
  assert.ok([200, 400].includes(odd.status), `a body on a GET is no reason for a ${odd.status}`);
});

test("conditions and ranges reach the origin of an admitted visitor, 304 and 206 come back", async (t) => {
  const origin = await startOrigin(t, (request, response) => {
    const { "if-none-match": match, range } = request.headers;
    response.writeHead(match ? 304 : range ? 206 : 200, { etag: '"e"' });
    response.end(match ? undefined : "part");
  });
  const world = await startWorld(t, { origin: origin.url });
  const visitor = world.visitor();
  await visitor.arrive();
  assert.equal((await visitor.request("/buy/a", { headers: { "if-none-match": '"e"' } })).status, 304);
  assert.equal((await visitor.request("/buy/a", { headers: { range: "bytes=0-3" } })).status, 206);
});

test("WebSockets go through with a pass, and only with a pass", async (t) => {
  const world = await startWorld(t);
  const visitor = await admitted(world);
  const url = `ws://127.0.0.1:${world.baton.port}/buy/ws?hello=1`;
  const socket = new WebSocket(url, { headers: { cookie: visitor.jar.header() }, perMessageDeflate: false });
  const [hello] = await once(socket, "message");
  const headers = JSON.parse(hello.toString());
  assert.deepEqual([headers["baton-room"], headers.cookie], ["onsale", undefined]);
  assert.match(headers["baton-fence"], FENCE);
  socket.send("text");
  assert.deepEqual((await once(socket, "message")).map(String), ["text", "false"]);
  socket.send(Buffer.from([1, 2, 3]));
  const [data, binary] = await once(socket, "message");
  assert.deepEqual([[...data], binary], [[1, 2, 3], true]);
  socket.close(1000);
  await once(socket, "close");
  const refused = new WebSocket(url);
  const [, response] = await once(refused, "unexpected-response");
  assert.equal(response.statusCode, 429);
  response.resume();
});

test("c21_a_true_preflight: it and the exceptions go to the origin without a pass, with a proof", async (t) => {
  const rooms = { onsale: { paths: ["/buy/*"], permits: 0, bypass_paths: ["/buy/echo"] } };
  const world = await startWorld(t, { rooms });
  const preflight = { origin: "https://pay.example", "access-control-request-method": "POST", accept: "*/*" };
  const { status, body } = await raw(world.baton.port, "/buy/echo2", { method: "OPTIONS", headers: preflight });
  assert.equal(status, 403, body); // the shop knows no such page, and permits nothing
  const open = await raw(world.baton.port, "/buy/echo", { headers: { cookie: "baton-visitor=x; a=1" } });
  const echoed = JSON.parse(open.body);
  assert.equal(open.status, 200);
  assert.deepEqual([echoed.headers["baton-fence"], echoed.headers["baton-room"], echoed.headers.cookie], [undefined, undefined, "a=1"]);
  assert.match(echoed.headers["baton-proof"], /^v1;t=\d+;n=[0-9a-f]{16};mac=[0-9a-f]{64}$/);
  const options = await raw(world.baton.port, "/buy/other", { method: "OPTIONS", headers: { accept: "application/json" } });
  assert.equal(options.status, 429, "OPTIONS that is no preflight");
  assert.equal((await raw(world.baton.port, "/buy/./echo")).status, 200, "judged as it is sent");
  for (const path of ["/buy//echo", "/buy/%65cho", "/BUY/echo"]) {
    assert.equal((await raw(world.baton.port, path, { headers: { accept: "application/json" } })).status, 429, path);
  }
});

test("a path of no room goes on untouched, less Baton's cookies and headers", async (t) => {
  const origin = await startOrigin(t, (request, response) => response.end(JSON.stringify({ url: request.url, headers: request.headers })));
  const world = await startWorld(t, { origin: origin.url });
  const headers = { cookie: "a=1; baton-visitor=v; baton-onsale-pass=p; b=2", "baton-fence": "9", "x-own": "1" };
  const answer = await raw(world.baton.port, "/about/%E3%81%82?x=%20", { headers });
  const { url, headers: got } = JSON.parse(answer.body);
  assert.equal(url, "/about/%E3%81%82?x=%20");
  assert.deepEqual([got.cookie, got["baton-fence"], got["x-own"]], ["a=1; b=2", undefined, "1"]);
  assert.equal(got["baton-target"], "/about/%E3%81%82?x=%20");
  assert.equal(answer.headers["set-cookie"], undefined);
  assert.equal((await raw(world.baton.port, "/buy/x", { headers: { accept: "application/json" } })).status, 429);
});

test("c19_c20_no_spelling_of_a_gated_path_slips_by", async (t) => {
  const world = await startWorld(t, { room: { permits: 0 }, runtime: { door: false } });
  const spellings = [
    "/buy/x.css",
    "/BUY/x",
    "//buy/x",
    "/%62uy/x",
    "/buy;v=1/x",
    "/a/../buy/x",
    "/%2562uy/x",
    "/buy%2fx",
    "/buy\\x",
    "/./buy/x",
    "/buy/%zz",
    "/buy/%ff",
    "/%u0062uy/x",
    "/buy",
    "/buy?x",
    "/x/..%2fbuy/y",
  ];
  for (const path of spellings) {
    const answer = await raw(world.baton.port, path, { headers: { accept: "application/json" } });
    assert.ok([400, 429].includes(answer.status), `${path}: ${answer.status}`);
  }
  assert.equal((await raw(world.baton.port, "/b%zzy", {})).status, 400, "what may hide a room's path is open to nobody");
});

test("an answer that shared caches keep keeps nothing back when a pass goes out, and only becomes private otherwise", async (t) => {
  const world = await startWorld(t);
  const visitor = world.visitor();
  const first = await visitor.arrive("/buy/cached");
  assert.ok(setCookies(first)[PASS]);
  assert.equal(first.headers["cache-control"], "private, no-store");
  const later = await visitor.arrive("/buy/cached");
  assert.equal(later.headers["cache-control"], "private, max-age=60");
  assert.equal(later.headers["set-cookie"], undefined, "the shop meant it for everybody");
});

test("an answer that needed a pass is for no shared cache; that of a free page, or of a room that keeps nobody out, is as the shop wrote it", async (t) => {
  const said = {
    public: { "cache-control": "public, max-age=600, s-maxage=900" },
    cdn: {
      "cache-control": "public, max-age=5",
      "cdn-cache-control": "max-age=60",
      "surrogate-control": "max-age=60",
      "cloudflare-cdn-cache-control": "max-age=60",
      "vercel-cdn-cache-control": "max-age=60",
      "edge-control": "max-age=60",
      "x-accel-expires": "60",
    },
    behind: { "cache-control": "private", "x-accel-expires": "60" },
    nothing: {},
    kept: { "cache-control": "No-Store", "x-accel-expires": "0" },
    mine: { "cache-control": "max-age=60, private" },
  };
  const origin = await startOrigin(t, (request, response) => response.writeHead(200, said[request.url.split("/").at(-1)] ?? {}).end("ok"));
  const cachedAs = ({ headers }) =>
    Object.fromEntries(
      Object.keys(said.cdn)
        .filter((name) => headers[name] !== undefined)
        .map((name) => [name, headers[name]]),
    );
  const inside = {
    ...said,
    public: { "cache-control": "private, max-age=600" },
    cdn: { "cache-control": "private, max-age=5" },
    behind: { "cache-control": "private" },
    nothing: { "cache-control": "private" },
  };
  for (const [mode, expected] of [
    ["open", inside],
    ["bypass", said],
    ["observe", said],
  ]) {
    const world = await startWorld(t, { origin: origin.url, room: { mode } });
    const visitor = world.visitor();
    for (let i = 0; i < 2; i += 1) await visitor.arrive("/buy/");
    for (const name of Object.keys(said)) {
      assert.deepEqual(cachedAs(await visitor.request(`/buy/${name}`)), expected[name], `${mode}: ${name}`);
      assert.deepEqual(cachedAs(await visitor.request(`/open/${name}`)), said[name], `free: ${name}`);
    }
  }
});

test("a service binding gets the request at the visitor's own address", async (t) => {
  const world = await startWorld(t, { service: true });
  const visitor = world.visitor();
  const { json } = await visitor.arrive("/buy/echo?x=%2F");
  assert.deepEqual([json.path, json.headers.host], ["/buy/echo?x=%2F", `127.0.0.1:${world.baton.port}`]);
  assert.equal(json.headers["x-forwarded-host"], `127.0.0.1:${world.baton.port}`);
  assert.match(json.headers["baton-fence"], FENCE);
});

test("without ORIGIN the request goes to where it was going", async (t) => {
  const world = await startWorld(t, { vars: { ORIGIN: undefined } });
  const host = new URL(world.shop.url).host;
  world.shop.trustHost(host);
  const answer = await raw(world.baton.port, "/buy/echo", { headers: { host, accept: "text/html" } });
  assert.equal(answer.status, 200);
  const { headers } = JSON.parse(answer.body);
  assert.equal(headers.host, host);
  assert.match(headers["baton-fence"], FENCE);
});
