// The straight way to the origin (src/edge/front/straight.rs) and the long one are one way: byte for byte the same request to the
// origin, byte for byte the same answer to the visitor. And the straight one stays short.

import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { eventually, startWorld } from "./support/world.mjs";

/** From the issue: a request that is only forwarded makes fewer than ten calls between wasm and JavaScript. */
const CROSSINGS_MAX = 9;
const ASKED = 50;
const WAYS = inRoot("tests", "runtime", "support", "ways.js");
/** A lease so long that everything may go straight, uploads too. */
const ROOM = { lease_idle_s: 3_600, lease_max_s: 7_200, pass_ttl_s: 3_600, app_origins: ["https://app.example"] };
const HEAD_END = "\r\n\r\n";

/** What the origin answers, by the last part of the path: raw. `null`: it hangs up. */
const ANSWERS = {
  plain: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Two: 1\r\nX-Two: 2\r\nContent-Length: 2\r\n\r\nok",
  chunked: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1\r\n!\r\n0\r\n\r\n",
  latin: Buffer.from("HTTP/1.1 200 OK\r\nConnection: close\r\nX-Name: Andr\xe9\r\nContent-Length: 2\r\n\r\nok", "latin1"),
  cookies:
    "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: baton-onsale-pass=stolen\r\nSet-Cookie: b=2; Domain=127.0.0.1\r\nContent-Length: 2\r\n\r\nok",
  baton: "HTTP/1.1 200 OK\r\nBaton-Checked: ok\r\nBaton_Secret: x\r\nB-Own: theirs\r\nContent-Length: 2\r\n\r\nok",
  cached: "HTTP/1.1 200 OK\r\nCache-Control: public, max-age=60\r\nCDN-Cache-Control: max-age=9\r\nContent-Length: 2\r\n\r\nok",
  public: "HTTP/1.1 200 OK\r\nCache-Control: public, max-age=60\r\nContent-Length: 2\r\n\r\nok",
  mine: "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 2\r\n\r\nok",
  moved: "HTTP/1.1 303 See Other\r\nLocation: ORIGIN/buy/next?x=1\r\nRefresh: 3; url=ORIGIN/buy/x\r\nContent-Length: 0\r\n\r\n",
  away: "HTTP/1.1 302 Found\r\nLocation: https://bank.example/pay\r\nContent-Length: 0\r\n\r\n",
  unchanged: 'HTTP/1.1 304 Not Modified\r\nETag: "e"\r\n\r\n',
  none: "HTTP/1.1 204 No Content\r\n\r\n",
  lost: "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
  broken: "HTTP/1.1 500 Internal Server Error\r\nCache-Control: public, max-age=60\r\nContent-Length: 2\r\n\r\nno",
  spoken: "HTTP/1.1 200 OK\r\nBaton-Release: 1\r\nContent-Length: 2\r\n\r\nok",
  edge: "HTTP/1.1 522 Connection Timed Out\r\nContent-Length: 2\r\n\r\nno",
  odd: "HTTP/1.1 600 Odd\r\nContent-Length: 2\r\n\r\nno",
  dead: null,
};

/** What visitors send, beside the pass: request line and headers, raw. `PASS` stands for their own cookies. */
const REQUESTS = [
  ...Object.keys(ANSWERS)
    .filter((name) => name !== "spoken")
    .map((name) => [`GET /buy/${name} HTTP/1.1`, "Cookie: PASS"]),
  ...["plain", "cookies", "moved", "broken", "dead"].map((name) => [`GET /buy/${name} HTTP/1.1`, "Cookie: PASS", "Accept: text/html"]),
  ["GET /buy/plain?q=%2F&a=b&a=%zz HTTP/1.1", 'Cookie: a=1; PASS;b="x y"; c', "Accept: */*", "X-Two: 1", "X-Two: 2", "Accept-Language: de"],
  ["GET /buy/./x/../plain HTTP/1.1", "Cookie: PASS"],
  ["GET /buy/plain HTTP/1.1", "Cookie: PASS; d=\xe9", "X-Name: Andr\xe9"],
  [
    "GET /buy/plain HTTP/1.1",
    "Cookie: PASS",
    "Baton-Fence: 9",
    "Baton_Ticket: 7",
    "BATON.PROOF: x",
    "X-Original-URL: /admin",
    "X-HTTP-Method-Override: DELETE",
    "SCRIPT_NAME: /x",
    "X-Real-IP: 10.0.0.1",
    "X-Forwarded-Host: evil.example",
    "X-Forwarded-For: 1.2.3.4",
  ],
  ["GET /buy/plain HTTP/1.1", "Cookie: PASS", "CF-Connecting-IP: 192.0.2.7", "Range: bytes=0-1", 'If-None-Match: "e"'],
  ["GET /buy/plain HTTP/1.1", "Cookie: PASS", "Purpose: prefetch"],
  ["GET /buy/spoken HTTP/1.1", "Cookie: PASS", "Purpose: prefetch"],
  ["GET /buy/cookies HTTP/1.1", "Baton-Credentials: CREDENTIALS", "Origin: https://app.example"],
  ["GET /buy/dead HTTP/1.1", "Baton-Credentials: CREDENTIALS", "Origin: https://app.example"],
  ["HEAD /buy/plain HTTP/1.1", "Cookie: PASS"],
  ["HEAD /buy/dead HTTP/1.1", "Cookie: PASS", "Accept: text/html"],
  ["POST /buy/plain HTTP/1.1", "Cookie: PASS", "Content-Type: text/plain", "Content-Length: 5", "", "hello"],
  ["POST /buy/moved HTTP/1.1", "Cookie: PASS", "Transfer-Encoding: chunked", "", "5\r\nhello\r\n0\r\n\r\n"],
  ["POST /buy/plain HTTP/1.1", "Cookie: PASS", "X-HTTP-Method-Override: PUT", "Content-Length: 0"],
  ["PUT /buy/dead HTTP/1.1", "Cookie: PASS", "Content-Length: 1", "", "x"],
  ["DELETE /buy/none HTTP/1.1", "Cookie: PASS"],
  ["OPTIONS /buy/plain HTTP/1.1", "Cookie: PASS"],
  ["GET /buy/plain HTTP/1.1", "Cookie: PASS; baton-onsale-pass=planted"],
];

/** The last of them: which of two passes counts is not for the straight way to say. */
const LONG = 1;

/** An origin that keeps what it was sent, byte for byte, and hangs up after each answer. */
async function startRawOrigin(t) {
  const heard = [];
  let url;
  const server = net.createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (!isWhole(bytes.toString("latin1"))) return;
      heard.push(bytes.toString("latin1"));
      const [, name] = /^\S+ \/buy\/(\w*)/.exec(heard.at(-1)) ?? [];
      const answer = ANSWERS[name] ?? (name === "" ? ANSWERS.plain : null);
      if (answer === null) return socket.destroy();
      socket.end(Buffer.isBuffer(answer) ? answer : answer.replaceAll("ORIGIN", url).replace("\r\n", "\r\nConnection: close\r\n"));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  url = `http://127.0.0.1:${port}`;
  t.after(() => server.close());
  return { url, port, heard };
}

/** Whether a request has arrived with its body. */
function isWhole(text) {
  const end = text.indexOf(HEAD_END);
  if (end < 0) return false;
  const [head, body] = [text.slice(0, end), text.slice(end + HEAD_END.length)];
  if (/^transfer-encoding: chunked/im.test(head)) return body.endsWith("0\r\n\r\n");
  return body.length >= Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
}

/** Sends raw bytes on a connection of their own; resolves to the answer's. */
async function sendRaw(port, [line, ...rest], filled) {
  const split = rest.indexOf("");
  const [headers, body] = split < 0 ? [rest, ""] : [rest.slice(0, split), rest[split + 1]];
  const head = [line, `Host: 127.0.0.1:${port}`, "Connection: close", ...headers].join("\r\n");
  const socket = net.connect(port, "127.0.0.1");
  const parts = [];
  socket.on("data", (chunk) => parts.push(chunk));
  socket.write(Buffer.from(filled(head) + HEAD_END + body, "latin1"));
  await once(socket, "close");
  return Buffer.concat(parts).toString("latin1");
}

/** Each request has another nonce and time in its proof, each page for an origin that is down another pause. */
const alike = (text) =>
  text.replace(/^(baton-proof: v1);t=\d+;n=[0-9a-f]{16};mac=[0-9a-f]{64}\r$/im, "$1\r").replace(/^(retry-after|refresh): \d+\r$/gim, "$1\r");

/** The origin by its address, and as a binding, where the request keeps the visitor's. */
const ORIGINS = {
  "by URL": ({ url }) => ({ origin: url }),
  "through a service binding": ({ port }) => ({ vars: { ORIGIN: undefined }, runtime: { originService: `127.0.0.1:${port}` } }),
};

const waysAreOne = async (t, reached) => {
  const origin = await startRawOrigin(t);
  const { runtime, ...options } = reached(origin);
  const world = await startWorld(t, { ...options, room: ROOM, runtime: { ...runtime, wrapper: WAYS } });
  const visitor = world.visitor();
  const turn = async (way) => (await world.raw(`/test/way/${way}`)).body;
  const goesStraight = async () => {
    await turn("straight");
    assert.equal((await visitor.arrive("/buy/")).status, 200);
    return (await turn("straight")) === "1";
  };
  await eventually(goesStraight, { what: "a pass that is fresh" });
  const cookie = visitor.jar.header();
  const credentials = cookie.replaceAll("baton-", "");
  const filled = (text) => text.replaceAll("PASS", cookie).replaceAll("CREDENTIALS", credentials);
  const through = async (request) => {
    const from = origin.heard.length;
    const answer = await sendRaw(world.baton.port, request, filled);
    return { sent: origin.heard.slice(from).map(alike), answer: alike(answer) };
  };
  await turn("straight");
  let straight = 0;
  for (const request of REQUESTS) {
    const short = await through(request);
    straight += Number(await turn("long"));
    const long = await through(request);
    assert.equal(await turn("straight"), "0", "the switch works");
    assert.deepEqual(short, long, filled(request.join(" | ")));
    assert.equal(short.sent.length, 1, `the origin is asked once: ${request.join(" | ")}`);
    assert.match(short.sent[0], /^baton-fence: \d{13}\r$/im, request.join(" | "));
  }
  assert.equal(straight, REQUESTS.length - LONG, "nearly all of them went straight");
};

for (const [how, reached] of Object.entries(ORIGINS)) {
  test(`both ways to an origin ${how} are one: the same request byte for byte, and the same answer`, { timeout: 120_000 }, (t) =>
    waysAreOne(t, reached),
  );
}

test("a request that is only forwarded crosses the border of wasm fewer than ten times", async (t) => {
  const wrapper = ["border.js", "border_counts.js"].map((name) => inRoot("bench", "lib", name));
  const world = await startWorld(t, { room: ROOM, runtime: { wrapper } });
  const visitor = world.visitor();
  const send = async () => assert.equal((await visitor.arrive("/buy/echo")).status, 200);
  const crossed = async () => JSON.parse((await world.raw("/bench/border")).body);
  for (let warm = 0; warm < 3; warm += 1) await send();
  // A lobby may still be telling the room of the arrival.
  await eventually(async () => Object.keys(await crossed()).length === 0, { everyMs: 300, what: "quiet" });
  for (let sent = 0; sent < ASKED; sent += 1) await send();
  const counts = await crossed();
  const each = Object.values(counts).reduce((sum, count) => sum + count, 0) / ASKED;
  assert.ok(each > 2 && each <= CROSSINGS_MAX, `${each} crossings a request: ${JSON.stringify(counts)}`);
});
