// Attacks on the room's socket and on the calls of visitors: floods, nonsense, other people's names, readers who do not read.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import WebSocket from "ws";
import { startScripted, told } from "../runtime/support/scripted.mjs";
import { eventually, raw } from "../runtime/support/world.mjs";
import { JSON_ONLY, catalogue } from "./stage.mjs";

const row = catalogue();

/** Opens a socket for a visitor; what it hears is in `heard`, `closed()` waits for the code with which the server ends it. */
async function open(it, visitor, query = "") {
  const socket = new WebSocket(`ws://${it.host}/__baton/${it.room}/socket${query}`, {
    headers: { cookie: visitor.jar.header(), origin: `http://${it.host}` },
    perMessageDeflate: false,
  });
  socket.heard = [];
  socket.on("message", (data) => socket.heard.push(data.toString()));
  const ended = new Promise((resolve) => socket.on("close", resolve));
  socket.closed = async () => {
    await eventually(() => socket.readyState >= WebSocket.CLOSING, { what: "a close" });
    socket.terminate(); // the connection itself may linger
    return ended;
  };
  socket.on("error", () => {});
  await once(socket, "message");
  return socket;
}

/** Opens a socket for a visitor, whose client is written by hand. */
async function upgraded(it, visitor, what) {
  const socket = net.connect(it.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(
    `GET /__baton/${it.room}/socket HTTP/1.1\r\nHost: ${it.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nCookie: ${visitor.jar.header()}\r\n\r\n`,
  );
  const [opened] = await once(socket, "data");
  assert.match(opened.toString("latin1"), /^HTTP\/1\.1 101/, what);
  return socket;
}

/** The room and its lobby go on: somebody new gets the next number, a holder is let through. */
async function livesOn(it, holder) {
  const before = (await it.report()).next_number;
  const somebody = await it.waiter();
  assert.equal(somebody.number, before, "the next number");
  assert.equal((await holder.arrive()).status, 200);
}

test("c29_no_object_is_asked_for_another_site: null, foreign, another port, whatever the call", async (t) => {
  const world = await startScripted(t, { script: () => ({ told: told() }) });
  const visitor = world.visitor();
  await visitor.status();
  const before = world.calls.length;
  const cookie = visitor.jar.header();
  for (const headers of [
    { origin: "null" },
    { origin: "https://evil.example" },
    { origin: `http://127.0.0.1:${world.port + 1}` },
    { "sec-fetch-site": "cross-site" },
    { origin: "http://127.0.0.1.evil.example" },
  ]) {
    for (const call of ["join", "claim", "leave"]) {
      assert.equal((await raw(world.port, `/__baton/onsale/${call}`, { method: "POST", headers: { cookie, ...headers } })).status, 403);
    }
    const upgrade = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
    assert.equal((await raw(world.port, "/__baton/onsale/socket", { headers: { cookie, ...headers, ...upgrade } })).status, 403);
  }
  assert.equal(world.calls.length, before);
  assert.equal(
    (await raw(world.port, "/__baton/onsale/join", { method: "POST", headers: { cookie } })).status,
    503,
    "who is no browser is heard (and told nothing here)",
  );
  assert.equal(world.calls.length, before + 1);
});

row("c32_what_a_socket_may_say: binary, too long, no JSON, too much; the lobby lives", {}, async (it) => {
  const holder = await it.holder();
  const says = {
    1003: [Buffer.from([1, 2, 3]), Buffer.alloc(0), Buffer.alloc(100_000)],
    1009: ["x".repeat(4_097), `{"a":"${"x".repeat(900_000)}"}`],
    1008: ["{", "null", "[]", '"ping"', "Ping", "", "1e999", `${"[".repeat(2_000)}`],
  };
  for (const [code, messages] of Object.entries(says)) {
    for (const message of messages) {
      const socket = await open(it, await it.waiter());
      socket.send(message);
      assert.equal(await socket.closed(), Number(code), `${String(message).slice(0, 20)} (${message.length})`);
    }
  }
  const flooding = await open(it, await it.waiter());
  for (let i = 0; i < 21; i += 1) flooding.send("{}");
  assert.equal(await flooding.closed(), 1008, "twenty in ten seconds are enough");
  const pings = await open(it, await it.waiter());
  for (let i = 0; i < 500; i += 1) pings.send("ping");
  await eventually(() => pings.heard.filter((text) => text === "pong").length === 500, { what: "500 pongs, by nobody's work" });
  pings.terminate();
  await livesOn(it, holder);
});

row("c33_too_many_sockets_on_one_ticket: the oldest goes, the place stays", {}, async (it) => {
  await it.holder();
  const waiter = await it.waiter();
  const sockets = [];
  for (let i = 0; i < 8; i += 1) sockets.push(await open(it, waiter));
  assert.deepEqual(await Promise.all(sockets.slice(0, 2).map(({ closed }) => closed())), [1001, 1001]);
  assert.ok(
    sockets.slice(2).every(({ readyState }) => readyState === WebSocket.OPEN),
    "six are open",
  );
  assert.equal((await waiter.status()).json.number, waiter.number);
  sockets.forEach((socket) => socket.terminate());
});

row("c34_a_reader_that_does_not_read: everybody else hears in time", { permits: 1, tick_ms: 50, linger_s: 3600 }, async (it) => {
  const holder = await it.holder();
  const deaf = [];
  for (let i = 0; i < 10; i += 1) {
    const waiter = await it.waiter();
    const socket = net.connect(it.port, "127.0.0.1");
    socket.on("error", () => {});
    const key = randomBytes(16).toString("base64");
    socket.write(
      `GET /__baton/${it.room}/socket HTTP/1.1\r\nHost: ${it.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nCookie: ${waiter.jar.header()}\r\n\r\n`,
    );
    await once(socket, "readable");
    // Asks without end and takes nothing: masked pings, as texts.
    const frame = Buffer.concat([Buffer.from([0x81, 0x84, 0, 0, 0, 0]), Buffer.from("ping")]);
    socket.write(Buffer.concat(Array.from({ length: 20_000 }, () => frame)));
    deaf.push({ socket, waiter });
  }
  const listening = await it.waiter();
  await listening.openSocket();
  for (let i = 0; i < 20; i += 1) await it.waiter(); // each a frame for everybody
  for (const { waiter } of deaf) await waiter.leave();
  const startedAt = Date.now();
  await holder.leave();
  await listening.waitForState("called", 10_000);
  assert.ok(Date.now() - startedAt < 3_000, `told after ${Date.now() - startedAt} ms`);
  deaf.forEach(({ socket }) => socket.destroy());
});

row("c92_frames_that_are_none: unmasked, reserved bits, a length of 2^63, broken UTF-8, endless parts", {}, async (it) => {
  const holder = await it.holder();
  const masked = (head, payload = []) => Buffer.from([...head, 0, 0, 0, 0, ...payload]);
  const bad = {
    unmasked: Buffer.from([0x81, 0x02, 0x7b, 0x7d]),
    "a reserved bit": masked([0xf1, 0x82], [0x7b, 0x7d]),
    "an unknown kind": masked([0x83, 0x80]),
    "a huge length": masked([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255]),
    "a long ping": masked([0x89, 0xfe, 0x01, 0x00], Array(256).fill(0)),
    "broken UTF-8": masked([0x81, 0x82], [0xff, 0xfe]),
    "a part of nothing": masked([0x80, 0x82], [0x7b, 0x7d]),
    "a close of one byte": masked([0x88, 0x81], [0x03]),
    "no frame": randomBytes(2_000),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    const waiter = await it.waiter();
    const socket = await upgraded(it, waiter, name);
    socket.resume();
    socket.end(bytes);
    await Promise.race([once(socket, "close"), eventually(async () => (await waiter.status()).status === 200)]);
    socket.destroy();
    assert.equal((await waiter.status()).json.number, waiter.number, `${name} costs no place`);
  }
  await livesOn(it, holder);
});

row("c195_who_ignores_a_close: what comes from a closed socket is nothing, and keeps nobody present", { linger_s: 1 }, async (it) => {
  const holder = await it.holder();
  const waiter = await it.waiter();
  const socket = await upgraded(it, waiter, "a socket");
  const heard = [];
  socket.on("data", (data) => heard.push(data));
  const say = (count) => socket.write(Buffer.concat(Array(count).fill(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]))));
  say(21);
  await eventually(() => Buffer.concat(heard).includes("too many"), { what: "a close, which this client never answers" });
  const isAway = async () => {
    say(1);
    return (await it.report()).away === 1;
  };
  await eventually(isAway, { timeoutMs: 30_000, everyMs: 200, what: "away" });
  // A new window of ten seconds lets nobody be heard again either.
  const end = Date.now() + 11_000;
  const isOver = async () => {
    assert.ok(await isAway(), "still away");
    return Date.now() > end;
  };
  await eventually(isOver, { timeoutMs: 30_000, everyMs: 250, what: "the window's end" });
  socket.destroy();
  await livesOn(it, holder);
});

row("c93_polls_of_one_visitor_are_bounded: the oldest is answered for a new one", {}, async (it) => {
  await it.holder();
  const waiter = await it.waiter();
  const startedAt = Date.now();
  const took = [];
  const polls = Array.from({ length: 40 }, () =>
    waiter
      .fork()
      .status({ wait_s: 25 })
      .then(({ status, json }) => {
        took.push(Date.now() - startedAt);
        return [status, json?.number];
      }),
  );
  await eventually(() => took.length >= 34, { what: "all but six answered" });
  assert.ok(Math.max(...took) < 10_000, "long before their 25 s");
  await waiter.leave();
  const answers = await Promise.all(polls);
  assert.ok(answers.every(([status]) => status === 200));
});

row("c94_a_socket_ends_with_its_ticket: left in another tab, it is told so and hears no more", {}, async (it) => {
  await it.holder();
  const waiter = await it.waiter();
  const socket = await open(it, waiter);
  await waiter.fork().leave();
  assert.equal(await socket.closed(), 1000);
  assert.equal(JSON.parse(socket.heard.at(-1)).state, "over");
  assert.notEqual((await waiter.status()).json.state, "waiting");
});

row("c95_a_word_is_no_wish: whatever JSON a socket says, it is only a sign of life", {}, async (it) => {
  await it.holder();
  const [one, two] = [await it.waiter(), await it.waiter()];
  const socket = await open(it, two);
  for (const wish of ["claim", "leave", { release: 1 }, { renew: 1 }, "join"]) {
    socket.send(JSON.stringify({ wish, number: one.number, visitor: Array(16).fill(0), fence: 1, lease: { fence: 1 }, __proto__: { admin: true } }));
  }
  await eventually(async () => (await two.status()).json.state === "waiting");
  assert.equal(socket.readyState, WebSocket.OPEN);
  assert.deepEqual([(await one.status()).json.ahead, (await two.status()).json.ahead], [0, 1]);
  socket.terminate();
});

row("c96_bodies_of_calls_are_not_looked_at: megabytes, other people's numbers, broken JSON", {}, async (it) => {
  await it.holder();
  const [one, two] = [await it.waiter(), await it.waiter()];
  for (const body of [JSON.stringify({ number: one.number, wish: "leave" }), "{", "x".repeat(3_000_000), "\0\0"]) {
    const answer = await two.call("join", { method: "POST", body, headers: { "content-type": "application/json" } });
    assert.deepEqual([answer.status, answer.json.number], [200, two.number]);
  }
  assert.equal((await one.status()).json.number, one.number);
});

row("c97_a_stranger_takes_no_number: a socket or a join without the cookie, a thousand times", { permits: 0 }, async (it) => {
  const before = await it.report();
  await Promise.all(Array.from({ length: 200 }, () => it.rawAt(`/__baton/${it.room}/join`, { method: "POST" })));
  await Promise.all(Array.from({ length: 200 }, () => it.rawAt(`/__baton/${it.room}/status?wait_s=25`)));
  await Promise.all(Array.from({ length: 200 }, () => it.raw("x", { headers: JSON_ONLY })));
  const { waiting, next_number: next } = await it.report();
  assert.deepEqual([waiting, next], [0, before.next_number]);
});
