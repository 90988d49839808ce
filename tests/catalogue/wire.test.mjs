// Requests that no client would send, byte by byte: two that look like one, one that looks like two, hosts that are none.
// Cloudflare's edge refuses most of them long before Baton; here they meet the runtime itself.

import assert from "node:assert/strict";
import { JSON_ONLY, catalogue } from "./stage.mjs";
import { send } from "./wire.mjs";

const row = catalogue({ runtime: { door: false } });
const lines = (...all) => `${all.join("\r\n")}\r\n\r\n`;
const isRefused = (status) => status >= 400;

row("c87_no_request_hides_in_another: lengths that disagree, chunks that lie, folded lines", { permits: 0 }, async (it) => {
  const { host, base } = it;
  const hidden = lines(`GET ${base}smuggled HTTP/1.1`, `Host: ${host}`, "Baton-Fence: 1");
  const post = (...headers) => lines(`POST /open/page HTTP/1.1`, `Host: ${host}`, ...headers);
  const tricks = {
    "length and chunks": `${post(`Content-Length: ${hidden.length + 5}`, "Transfer-Encoding: chunked")}0\r\n\r\n${hidden}`,
    "chunks, spelt with a blank": `${post("Content-Length: 5", "Transfer-Encoding : chunked")}0\r\n\r\n${hidden}`,
    "chunks, twice": `${post("Content-Length: 5", "Transfer-Encoding: chunked, chunked")}0\r\n\r\n${hidden}`,
    "chunks, a tab": `${post("Content-Length: 5", "Transfer-Encoding:\tchunked")}0\r\n\r\n${hidden}`,
    "chunks, something else": `${post("Content-Length: 5", "Transfer-Encoding: xchunked")}0\r\n\r\n${hidden}`,
    "two lengths": post("Content-Length: 0", `Content-Length: ${hidden.length}`) + hidden,
    "a list of lengths": post(`Content-Length: 0, ${hidden.length}`) + hidden,
    "a length with a sign": post("Content-Length: +0") + hidden,
    "a length below nothing": post("Content-Length: -1") + hidden,
    "a length in hex": post("Content-Length: 0x0") + hidden,
    "a folded line": post("X-A: b", ` Content-Length: 0`, `Content-Length: ${hidden.length}`) + hidden,
    "a bare line feed": `POST /open/page HTTP/1.1\r\nHost: ${host}\r\nX-A: b\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    "a bare carriage return": `POST /open/page HTTP/1.1\r\nHost: ${host}\r\nX-A: b\rTransfer-Encoding: chunked\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    "a NUL": post("X-A: b\0c", `Content-Length: ${hidden.length}`) + hidden,
    "a chunk of a strange size": `${post("Transfer-Encoding: chunked")}fffffffffffffffff1\r\n${hidden}`,
    "a body on a look": lines("GET /open/page HTTP/1.1", `Host: ${host}`, `Content-Length: ${hidden.length}`) + hidden,
  };
  for (const [name, bytes] of Object.entries(tricks)) {
    const { statuses } = await send(it.port, bytes);
    const reached = it.hits("open").splice(0);
    for (const hit of reached) assert.equal(hit.headers["baton-fence"], undefined, `${name}: a client's own header arrived`);
    assert.ok(reached.length <= 1, `${name}: the origin saw ${reached.length} requests`);
    // A second answer means that the runtime read a second request: then the gate saw it as well.
    assert.ok(statuses.slice(1).every(isRefused), `${name}: ${statuses}`);
  }
  assert.deepEqual(it.hits(), [], "the hidden request reached the origin");
});

row("c88_one_host_and_a_plain_one: two, none, a user, a path, a port that is none", { permits: 0 }, async (it) => {
  const { host, base } = it;
  const get = (...headers) => lines(`GET ${base}x HTTP/1.1`, "Connection: close", "Accept: application/json", ...headers);
  const hosts = {
    none: get(),
    two: get(`Host: ${host}`, "Host: evil.example"),
    "a user": get(`Host: u@${host}`),
    "a path": get(`Host: ${host}/open`),
    "a list": get(`Host: ${host}, evil.example`),
    "a port of letters": get("Host: 127.0.0.1:abc"),
    "a huge port": get("Host: 127.0.0.1:99999999999"),
    "a blank inside": get("Host: a b"),
    empty: get("Host:"),
    "a bracket": get("Host: [::1"),
    "not ASCII": get("Host: \xe9vil"),
    "a question": get(`Host: ${host}?`),
    "a hash": get(`Host: ${host}#`),
    long: get(`Host: ${"a".repeat(300)}`),
    "a backslash": get(`Host: ${host}\\evil.example`),
  };
  // What the runtime reads into the address (`Host: a/b`) is judged and sent on as that address, and as no other.
  const elsewhere = ["a path", "a question", "a hash", "a backslash"];
  for (const [name, bytes] of Object.entries(hosts)) {
    const { statuses, text } = await send(it.port, bytes);
    assert.ok(statuses.length <= 1 && (statuses.every(isRefused) || elsewhere.includes(name)), `${name}: ${statuses}`);
    assert.doesNotMatch(text, /evil/, name);
  }
  assert.deepEqual(it.hits(), []);
});

row("c89_addresses_that_are_no_paths: a whole URL, another host's, a star, a hash, a blank", { permits: 0 }, async (it) => {
  const { host, base } = it;
  const targets = {
    "a whole URL": `http://${host}${base}x`,
    "another scheme": `https://${host}${base}x`,
    "another host's": `http://evil.example${base}x`,
    "a user in it": `http://evil.example@${host}${base}x`,
    "a hash before the path": `/open/#/..${base}x`,
    "a blank": `${base} x`,
    "a backslash": `\\${base.slice(1)}x`,
    "no slash": `${base.slice(1)}x`,
    "a tab": `${base}\tx`,
    dots: `/open/../..${base}x`,
    "encoded dots": `/open/%2e%2e${base}x`,
  };
  for (const [name, target] of Object.entries(targets)) {
    const { statuses } = await send(it.port, lines(`GET ${target} HTTP/1.1`, `Host: ${host}`, "Accept: application/json", "Connection: close"));
    const isOpen = target.startsWith("/open/#");
    assert.ok(
      statuses.every((status) => isRefused(status) || isOpen),
      `${name}: ${statuses}`,
    );
  }
  for (const request of [`OPTIONS * HTTP/1.1`, `CONNECT ${host} HTTP/1.1`, `get ${base}x HTTP/1.1`, `GET ${base}x HTTP/9.9`, `GET ${base}x`]) {
    const { statuses } = await send(it.port, lines(request, `Host: ${host}`, "Accept: application/json", "Connection: close"));
    assert.ok(statuses.every(isRefused), `${request}: ${statuses}`);
  }
  assert.deepEqual(it.hits(), []);
});

row("c90_two_requests_on_one_line: each is judged by itself, a pass in one lets no other in", { permits: 1 }, async (it) => {
  const holder = await it.holder();
  const before = it.hits().length;
  const get = (path, ...more) => lines(`GET ${it.base}${path} HTTP/1.1`, `Host: ${it.host}`, "Accept: application/json", ...more);
  const bytes =
    get("one", `Cookie: ${holder.jar.header()}`) + get("two") + get("three", `Cookie: ${holder.jar.header()}`) + get("four", "Connection: close");
  const { statuses } = await send(it.port, bytes, { silenceMs: 2_000 });
  assert.deepEqual(statuses, [200, 429, 200, 429]);
  assert.deepEqual(
    it
      .hits()
      .slice(before)
      .map(({ url }) => url),
    [`${it.base}one`, `${it.base}three`],
  );
});

row("c91_a_client_that_stops_in_the_middle: nothing hangs for the others", { permits: 1 }, async (it) => {
  const holder = await it.holder();
  const half = [
    `POST ${it.base}x HTTP/1.1\r\nHost: ${it.host}\r\nContent-Le`,
    `${lines(`POST ${it.base}x HTTP/1.1`, `Host: ${it.host}`, "Content-Length: 1000000", `Cookie: ${holder.jar.header()}`)}some`,
    lines(`POST /__baton/${it.room}/join HTTP/1.1`, `Host: ${it.host}`, "Content-Length: 1000000"),
    lines(`GET /__baton/${it.room}/socket HTTP/1.1`, `Host: ${it.host}`, "Upgrade: websocket", "Connection: Upgrade"),
  ];
  await Promise.all(Array.from({ length: 40 }, (_, i) => send(it.port, half[i % half.length], { silenceMs: 300 })));
  const startedAt = Date.now();
  assert.equal((await it.raw("x", { headers: { ...JSON_ONLY, cookie: holder.jar.header() } })).status, 200);
  assert.ok(Date.now() - startedAt < 5_000);
});
