// Doors that stood open once: what a raw client, a sibling host's page and a proxy could do. Each on the real runtime, with an
// origin that writes down what reached it.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { setCookies } from "../runtime/support/world.mjs";
import { JSON_ONLY, PAGE, catalogue, each } from "./stage.mjs";
import { send } from "./wire.mjs";

const row = catalogue({ runtime: { door: false } });
const lines = (...all) => `${all.join("\r\n")}\r\n\r\n`;
const UPGRADE = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
const textOf = ({ headers, body }) => JSON.stringify([headers["set-cookie"], body]);

/** Somebody inside whom the origin has let go: her pass cookie is a farewell now. */
async function withFarewell(it, { keep = false } = {}) {
  const holder = await it.holder();
  const pass = holder.cookie("pass");
  it.origin((request, response, body) => {
    if (request.url.endsWith("/release")) response.setHeader("Baton-Release", "1");
    response.end(JSON.stringify({ url: request.url, headers: request.headers, body }));
  });
  await holder.request(`${it.base}release`, { headers: JSON_ONLY });
  assert.notEqual(holder.cookie("pass"), pass);
  return { holder, pass: keep ? pass : undefined, farewell: holder.cookie("pass") };
}

// The room in which strangers wait; the one beside it is open to everybody.
row(
  "c111_a_room_opens_no_other_room: no spelling of a path leads from an open room into a shut one",
  { permits: 0, paths: ["/c111/*", "/c111-shut/*"] },
  async (it) => {
    const open = "/c120";
    for (const way of [
      "/%2e%2e/c111/seat",
      "/\\..\\..\\c111/seat",
      "/..%2fc111/seat",
      "/..%5cc111/seat",
      "/..;/c111/seat",
      "/%252e%252e/c111/seat",
      "/.%2e/c111/seat",
      "/x/../../c111/seat",
      "/..%00/c111/seat",
      "/..%2f..%2fc111%2fseat",
    ]) {
      for (const headers of [PAGE, JSON_ONLY]) {
        const answer = await it.rawAt(open + way, { headers });
        assert.ok(answer.headers["baton-state"] === "waiting" || [400, 429].includes(answer.status), `${way}: ${answer.status}`);
      }
    }
    assert.deepEqual([it.hits(), it.hits("c111-shut")], [[], []]);
  },
);

row("c114_cookies_that_only_look_like_ours: blanks of Unicode, commas, two that contradict each other", {}, async (it) => {
  const [holder, other] = [await it.holder(), it.visitor()];
  await other.arrive();
  const [name, pass] = [it.cookie("pass"), holder.cookie("pass")];
  const bytes = (text) => Buffer.from(text).toString("latin1");
  for (const blank of ["\u2000", "\u00a0", "\u3000", "\ufeff", "\v", "\f"]) {
    const cookie = `Cookie: ${bytes(blank)}${name}=${pass}`;
    const { statuses } = await send(
      it.port,
      lines(`GET ${it.base}x HTTP/1.1`, `Host: ${it.host}`, "Accept: application/json", "Connection: close", cookie),
    );
    assert.ok(
      statuses.every((status) => status >= 400),
      `${JSON.stringify(blank)}: ${statuses}`,
    );
  }
  for (const cookie of [`cart=1,${name}=${pass}`, `cart=1, ${name}=${pass}`, `cart="${name}=${pass}"`])
    await it.refused("x", { headers: { cookie } }, cookie.slice(0, 40));
  const names = [holder, other].map((who) => `${it.cookie("visitor")}=${who.cookie("visitor")}`);
  const status = async (cookie) => JSON.parse((await it.rawAt(`/__baton/${it.room}/status`, { headers: { cookie } })).body).state;
  assert.equal(await status(names[0]), "admitted");
  for (const both of [names.join("; "), names.toReversed().join("; ")]) assert.equal(await status(both), "none", "of two visitors neither counts");
});

row("c115_a_farewell_opens_no_socket: it loads pages, and nothing that goes on", { pass_ttl_s: 30, strict: "all" }, async (it) => {
  const { farewell } = await withFarewell(it);
  const cookie = `${it.cookie("pass")}=${farewell}`;
  for (const method of ["GET", "HEAD"]) assert.equal((await it.raw("thanks", { method, headers: { ...JSON_ONLY, cookie } })).status, 200, method);
  const before = it.hits().length;
  for (const upgrade of ["websocket", "WebSocket", "h2c"]) {
    const answer = await it.raw("live", { headers: { ...UPGRADE, upgrade, cookie } });
    assert.equal(answer.status, 429, upgrade);
  }
  assert.equal(it.hits().length, before);
});

row("c116_a_sibling_hosts_page_changes_nothing: leave, join, claim, carry, with every header that a browser sends", {}, async (it) => {
  const holder = await it.holder();
  const cookie = holder.jar.header();
  const port = it.port;
  const sibling = `http://blog.127.0.0.1.nip.io:${port}`;
  for (const call of ["leave", "join", "claim", "carry", "verify", "language/ja"]) {
    for (const headers of [
      { origin: sibling, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
      { "sec-fetch-site": "same-site" },
      { origin: "null", "sec-fetch-site": "same-site" },
    ]) {
      const answer = await it.rawAt(`/__baton/${it.room}/${call}`, { method: "POST", headers: { cookie, ...headers } });
      assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [403, "forbidden_origin"], `${call} ${JSON.stringify(headers)}`);
    }
  }
  const socket = await it.rawAt(`/__baton/${it.room}/socket`, { headers: { ...UPGRADE, cookie, origin: sibling, "sec-fetch-site": "same-site" } });
  assert.equal(socket.status, 403);
  assert.equal((await holder.status()).json.state, "admitted", "still inside");
  // Forms of the page itself, and a bank's return, go on.
  const form = { "content-type": "application/x-www-form-urlencoded", ...PAGE, cookie };
  const own = await it.rawAt(`/__baton/${it.room}/join`, {
    method: "POST",
    headers: { ...form, origin: `http://${it.host}`, "sec-fetch-site": "same-origin" },
    body: "",
  });
  assert.equal(own.status, 303);
  const bank = await it.raw("paid", {
    method: "POST",
    headers: { ...form, origin: "https://bank.example", "sec-fetch-site": "cross-site", cookie: `${it.cookie("pass")}=${holder.cookie("pass")}` },
    body: "ok=1",
  });
  assert.deepEqual([bank.status, JSON.parse(bank.body).body], [200, "ok=1"]);
});

row("c118_other_cookies_byte_for_byte: whatever stands beside ours, and a cookie that cannot be carried is left out, not altered", {}, async (it) => {
  const holder = await it.holder();
  const own = `${it.cookie("pass")}=${holder.cookie("pass")}`;
  const got = async (cookie) => {
    const before = it.hits().length;
    await send(it.port, lines(`GET ${it.base}x HTTP/1.1`, `Host: ${it.host}`, "Accept: application/json", "Connection: close", `Cookie: ${cookie}`));
    const hit = it.hits().slice(before)[0];
    assert.ok(hit, "it arrived");
    return hit.headers.cookie;
  };
  const utf8 = Buffer.from("a=ö漢; b=\u00a0x").toString("latin1");
  for (const others of ['a=1; b= 2 ;c="x,y"', utf8, "a=1,2; =x; b", "x=\t1"]) {
    assert.equal(await got(`${others}; ${own}`), others, "behind it ours");
    assert.equal(await got(`${own}; ${others}`), others, "in front of it ours");
  }
  for (const bytes of ["caf\xe9", "\xff\xfe", "\x83\x60"]) {
    assert.equal(await got(`a=1; shop=${bytes}; ${own}; b=2`), "a=1; b=2", "left out, the rest whole");
  }
});

row("c119_odd_methods_and_hosts: TRACE, CONNECT, two hosts, a preflight with a body", { permits: 0 }, async (it) => {
  const ask = async (method, ...more) =>
    (await send(it.port, lines(`${method} ${it.base}x HTTP/1.1`, "Accept: application/json", "Connection: close", ...more))).statuses[0];
  assert.equal(await ask("TRACE", `Host: ${it.host}`), 405);
  assert.equal((await it.rawAt("/open/x", { method: "TRACE" })).status, 405, "on paths of no room as well");
  for (const host of [`Host: ${it.host}, evil.example`, `Host: ${it.host}\r\nHost: evil.example`]) assert.equal(await ask("GET", host), 400, host);
  // The runtime answers it before Baton hears of it, and opens nothing.
  assert.ok((await send(it.port, lines(`CONNECT ${it.host} HTTP/1.1`, `Host: ${it.host}`))).statuses.every((status) => status >= 400));
  const preflight = { origin: "https://a.example", "access-control-request-method": "PUT" };
  assert.equal((await it.raw("x", { method: "OPTIONS", headers: preflight })).status, 200);
  assert.equal(it.hits().length, 1);
  await it.refused("x", { method: "OPTIONS", headers: { ...preflight, "content-length": "3" }, body: "a=1" }, "with a length");
  await it.refused("x", { method: "OPTIONS", headers: { ...preflight, "transfer-encoding": "chunked" }, body: "a=1" }, "in chunks");
});

row("c120_headers_that_name_another_path: none of them reaches the origin from a client, by any spelling", { permits: 9 }, async (it) => {
  const lies = [
    "Forwarded",
    "X-Forwarded-Prefix",
    "X-Forwarded-Uri",
    "X-Original-Uri",
    "X_Original_URI",
    "X-Original-URL",
    "X-Rewrite-URL",
    "X-Forwarded-Port",
    "X-Forwarded-Path",
    "X-Original-Host",
    "X-Host",
    "X-Script-Name",
    "SCRIPT_NAME",
    "PATH_INFO",
    "Daphne-Root-Path",
    "X-Ingress-Path",
    "X-Forwarded-Script-Name",
    "Proxy",
    "X.Forwarded.Prefix",
  ];
  const headers = Object.fromEntries(lies.map((name) => [name, "/evil;host=evil.example"]));
  for (const path of [`${it.base}x`, "/open/x"]) {
    const answer = await it.rawAt(path, {
      headers: { ...PAGE, ...headers, "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher", "X-Kept": "1" },
    });
    assert.doesNotMatch(answer.body, /evil|gopher/);
    const { headers: got } = JSON.parse(answer.body);
    assert.deepEqual([got["x-forwarded-host"], got["x-forwarded-proto"], got["x-kept"]], [it.host, "http", "1"]);
  }
});

/** A socket's frames by hand: opens, sends a close, and waits for what comes. */
class Raw {
  static async open(it, cookie) {
    const socket = net.connect(it.port, "127.0.0.1");
    socket.on("error", () => {});
    const raw = new Raw(socket);
    socket.write(
      lines(
        `GET /__baton/${it.room}/socket HTTP/1.1`,
        `Host: ${it.host}`,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
        `Cookie: ${cookie}`,
      ),
    );
    await once(socket, "readable");
    return raw;
  }

  constructor(socket) {
    this.socket = socket;
    this.bytes = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      this.bytes = Buffer.concat([this.bytes, chunk]);
    });
    this.ended = new Promise((resolve) => socket.on("close", () => resolve(Date.now())));
  }

  close(code) {
    const payload = Buffer.alloc(code === undefined ? 0 : 2);
    if (code !== undefined) payload.writeUInt16BE(code);
    this.socket.write(Buffer.concat([Buffer.from([0x88, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
  }

  /** The code of the close frame that came, if one did. */
  get code() {
    const head = this.bytes.indexOf("\r\n\r\n") + 4;
    for (let at = head; at + 2 <= this.bytes.length; ) {
      const [first, second] = [this.bytes[at], this.bytes[at + 1]];
      const length = second < 126 ? second : this.bytes.readUInt16BE(at + 2);
      const from = at + (second < 126 ? 2 : 4);
      if ((first & 15) === 8) return length >= 2 ? this.bytes.readUInt16BE(from) : 1005;
      at = from + length;
    }
    return undefined;
  }
}

row(
  "c121_a_close_is_answered: at once, with its code, and the connection ends; who was told to go does not count; the place stays",
  { linger_s: 3600 },
  async (it) => {
    await it.holder();
    const waiter = await it.waiter();
    for (const code of [1000, 1001, 3000, 4999, undefined]) {
      const socket = await Raw.open(it, waiter.jar.header());
      const at = Date.now();
      socket.close(code);
      const endedAt = await within(5_000, socket.ended);
      assert.ok(endedAt - at < 2_000, `${code}: ended after ${endedAt - at} ms`);
      assert.equal(socket.code, code ?? 1000, `${code}: answered`);
    }
    await toldToGo(it, waiter);
    assert.equal((await waiter.status()).json.number, waiter.number);
  },
);

/**
 * Sixty sockets on one ticket: 54 are told to go. The runtime keeps the connection of a socket that *we* closed until the object
 * sleeps or its memory is collected, whatever the client answers; so what matters is that they are not counted.
 */
async function toldToGo(it, waiter) {
  const sockets = [];
  for (let i = 0; i < 60; i += 1) sockets.push(await Raw.open(it, waiter.jar.header()));
  for (const socket of sockets.slice(0, 54)) {
    while (socket.code === undefined) await once(socket.socket, "data");
    assert.equal(socket.code, 1001);
  }
  // They have not answered yet: three that come push out three that are open, and no others.
  for (let i = 0; i < 3; i += 1) sockets.push(await Raw.open(it, waiter.jar.header()));
  for (const socket of sockets.slice(54, 57)) while (socket.code === undefined) await once(socket.socket, "data");
  assert.deepEqual(
    sockets.slice(57).map(({ code }) => code),
    Array(6).fill(undefined),
    "six are open",
  );
  sockets.slice(0, 57).forEach((socket) => socket.close(1001));
  assert.equal((await waiter.status()).json.number, waiter.number);
  assert.deepEqual(
    sockets.slice(57).map(({ code }) => code),
    Array(6).fill(undefined),
    "and stay so",
  );
  sockets.forEach(({ socket }) => socket.destroy());
}

/** What a promise gives, or `Infinity` when it takes too long. */
const within = (ms, promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, ms, Infinity).unref())]);

row("c124_a_pass_alone_is_a_pass: it brings its holder's name and ticket to nobody", {}, async (it) => {
  const holder = await it.holder();
  const cookie = `${it.cookie("pass")}=${holder.cookie("pass")}`;
  const secrets = [it.cookie("visitor"), it.cookie("ticket")];
  const asked = [
    await it.raw("x", { headers: { ...PAGE, cookie } }),
    await it.raw("x", { method: "POST", headers: { ...PAGE, cookie } }),
    await it.rawAt(`/__baton/${it.room}/status`, { headers: { cookie } }),
    await it.rawAt(`/__baton/${it.room}/claim`, { method: "POST", headers: { cookie } }),
    await it.rawAt(`/__baton/${it.room}/join`, { method: "POST", headers: { cookie } }),
  ];
  for (const [at, answer] of asked.entries())
    assert.deepEqual(
      Object.keys(setCookies(answer)).filter((name) => secrets.includes(name)),
      [],
      `${at}: ${textOf(answer).slice(0, 200)}`,
    );
  await holder.leave();
  // Over: whoever shows it comes as anybody, with a name of their own.
  const after = await it.raw("x", { headers: { ...PAGE, cookie } });
  const named = setCookies(after)[it.cookie("visitor")]?.value;
  if (named) {
    const own = JSON.parse((await it.rawAt(`/__baton/${it.room}/status`, { headers: { cookie: `${it.cookie("visitor")}=${named}` } })).body);
    assert.notEqual(own.number, holder.number);
  }
});

row("c125_several_cookies_of_one_name: the best of one visitor's, none of two visitors'", { permits: 2, pass_ttl_s: 30 }, async (it) => {
  const { holder, farewell } = await withFarewell(it);
  const second = await it.holder();
  const name = it.cookie("pass");
  // The same visitor comes back in: a farewell in front of the new pass shuts nobody out.
  const again = await it.raw("x", { headers: { ...PAGE, cookie: `${it.cookie("visitor")}=${holder.cookie("visitor")}` } });
  const pass = setCookies(again)[name].value;
  for (const both of [`${name}=${farewell}; ${name}=${pass}`, `${name}=${pass}; ${name}=${farewell}`]) {
    const answer = await it.raw("x", { method: "POST", headers: { ...JSON_ONLY, cookie: both } });
    assert.equal(answer.status, 200, "the lease counts");
  }
  const stranger = second.cookie("pass");
  await each(
    [`${name}=${pass}; ${name}=${stranger}`, `${name}=${stranger}; ${name}=${pass}`],
    (cookie) => it.refused("x", { headers: { cookie } }, "two visitors'"),
    1,
  );
  const own = `${it.cookie("visitor")}=${holder.cookie("visitor")}`;
  const named = await it.raw("x", { headers: { ...JSON_ONLY, cookie: `${own}; ${name}=${stranger}; ${name}=${pass}` } });
  assert.equal(
    JSON.parse(named.body).headers["baton-ticket"],
    String(JSON.parse((await it.raw("x", { headers: { ...JSON_ONLY, cookie: `${name}=${pass}` } })).body).headers["baton-ticket"]),
    "the visitor's own",
  );
});
