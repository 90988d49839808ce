// What can be tried from outside, without a secret. Each attempt is `[row, name, try]`: the row of docs/security.md, and a
// function that resolves to `{ refused, seen }`. `skipped` says why something could not be tried here.

import { READINGS, spelt } from "../spellings/spellings.mjs";

const SCRIPT = { accept: "application/json" };
const PAGE = { accept: "text/html" };
const EVIL = "https://evil.example";

/** Whether this is the waiting answer to a script. */
export const isWaiting = ({ status, json }) => status === 429 && json?.state === "waiting";
/** Whether something refused it that is no shop: Baton by a code of its own, or an edge in front of it by a 4xx of HTTP's. */
const isError = ({ status, json }) => typeof json?.error?.code === "string" || [400, 403, 405, 411, 413, 414, 421, 431, 501].includes(status);

const seenIn = ({ status, json, headers }) => `${status} ${json?.error?.code ?? json?.state ?? headers["baton-state"] ?? ""}`.trim();
const verdict = (answer, refused) => ({ refused, seen: seenIn(answer) });
const mustWait = async (asked) => {
  const answer = await asked;
  return verdict(answer, (isWaiting(answer) && answer.headers["cache-control"] === "private, no-store") || isError(answer));
};
const mustSay = async (asked, ...statuses) => {
  const answer = await asked;
  return verdict(answer, statuses.includes(answer.status));
};

/** Spellings of a gated path that some origin would take for it: those of the gate's list, and some that nobody reads otherwise. */
function spellings(path) {
  const [, first, ...rest] = path.split("/");
  const tail = rest.join("/");
  const plain = [
    `/a/../${first}/${tail}`,
    `/./${first}/${tail}`,
    `/${first}/${tail}x.css`,
    `/${first}/${tail}%00.png`,
    `/${first}/${tail}?x=/../../`,
    `/${first}/%ff${tail}`,
    `/${first}/%zz`,
  ];
  return [...new Set([...READINGS.flatMap((reading) => spelt(reading, first, tail)), ...plain])];
}

export function* attempts(it) {
  const { client, room, path } = it;
  const own = (call) => `/__baton/${room}/${call}`;
  const ask = (headers = {}, more = {}) => client.ask(path, { headers: { ...SCRIPT, ...headers }, ...more });

  for (const spelling of spellings(path)) yield ["c20", `spelt ${spelling}`, () => mustWait(client.ask(spelling, { headers: SCRIPT }))];
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND", "OPTIONS"])
    yield ["c21", `${method} without a pass`, () => mustWait(ask({}, { method, body: "x=1" }))];
  for (const [purpose, value] of [
    ...["sec-purpose", "purpose", "x-purpose", "x-moz", "x-sec-purpose"].map((name) => [name, "prefetch"]),
    ["vnd.prefetch", "true"],
    ["next-router-prefetch", "1"],
  ]) {
    yield [
      "c76",
      `prefetch by ${purpose}`,
      async () => {
        const answer = await client.ask(path, { headers: { ...PAGE, [purpose]: value } });
        return verdict(answer, answer.status === 503 && answer.headers["baton-state"] === "waiting" && !answer.headers["set-cookie"]);
      },
    ];
  }
  const lies = { "Baton-Fence": "1", "Baton-Room": room, "Baton-Ticket": "1", "Baton-Proof": `v1;t=${Date.now()};mac=${"0".repeat(64)}` };
  yield ["c15", "says itself that it has a lease", () => mustWait(ask(lies))];
  yield ["c68", "the path in a header", () => mustWait(ask({ "X-Original-URL": "/", "X-Rewrite-URL": "/" }))];
  yield [
    "c69",
    "the method in a header",
    () => mustWait(ask({ "X-HTTP-Method-Override": "OPTIONS", origin: EVIL, "access-control-request-method": "GET" })),
  ];
  for (const name of ["X-Forwarded-For", "CF-Connecting-IP", "X-Real-IP", "True-Client-IP"])
    yield ["c55", `an address of its own by ${name}`, () => mustWait(ask({ [name]: "127.0.0.1" }))];
  yield ["c71", "headers named hop-by-hop", () => mustWait(ask({ connection: "close, Baton-Proof, Cookie" }))];
  yield [
    "c81",
    "an upgrade to h2c",
    () => mustWait(ask({ connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQAAP__" })),
  ];
  yield [
    "c81",
    "a WebSocket of the shop's without a pass",
    async () => {
      const answer = await ask({
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      });
      return verdict(answer, answer.status !== 101 && answer.status >= 400);
    },
  ];
  yield* odd(it, ask);
  yield* madeUpCookies(it, ask);
  yield* calls(it, own);
  yield* hosts(it, own);
  yield* operator(it);
  yield* wire(it);
}

/** Ways from one room into another, and what no origin should see. */
function* odd({ client, path, room, names }, ask) {
  const [, first, ...rest] = path.split("/");
  const tail = rest.join("/");
  for (const way of [
    `/open/%2e%2e/${first}/${tail}`,
    `/open/..%2f${first}/${tail}`,
    `/open/..%5c${first}/${tail}`,
    `/open/..;/${first}/${tail}`,
    `/open/%252e%252e/${first}/${tail}`,
    `/open/\\..\\..\\${first}/${tail}`,
    `/${first};/x/../${tail}`,
  ]) {
    yield ["c111", `from an open path by ${way}`, () => mustWait(client.ask(way, { headers: SCRIPT }))];
  }
  for (const method of ["TRACE", "TRACK"]) yield ["c119", method, () => mustSay(ask({}, { method }), 405, 400, 501)];
  const preflight = { origin: EVIL, "access-control-request-method": "PUT", "content-length": "3" };
  yield ["c119", "a preflight with a body", () => mustWait(ask(preflight, { method: "OPTIONS", body: "x=1" }))];
  yield [
    "c21",
    "a preflight that would do something",
    async () => {
      const answer = await client.ask(`${path}?add=A1`, {
        method: "OPTIONS",
        headers: { origin: EVIL, "access-control-request-method": "GET", cookie: "basket=mine", authorization: "Basic eDp5" },
      });
      return verdict(answer, isError(answer) || (answer.body === "" && answer.headers["set-cookie"] === undefined));
    },
  ];
  for (const name of ["Forwarded", "X-Forwarded-Prefix", "X-Forwarded-Uri", "X-Original-Uri", "SCRIPT_NAME", "PATH_INFO", "Daphne-Root-Path"])
    yield ["c120", `another path by ${name}`, () => mustWait(ask({ [name]: "/" }))];
  for (const blank of ["\u00a0", "\u0085"])
    yield ["c114", `a pass behind the blank ${JSON.stringify(blank)}`, () => mustWait(ask({ cookie: `${blank}${names.pass}=x` }))];
  yield ["c114", "a pass in another cookie's value", () => mustWait(ask({ cookie: `cart=1,${names.pass}=x` }))];
  const sibling = { origin: `https://sibling.${client.host}`, "sec-fetch-site": "same-site" };
  for (const call of ["leave", "join", "claim", "carry"])
    yield ["c116", `${call} from a sibling host`, () => mustSay(client.ask(`/__baton/${room}/${call}`, { method: "POST", headers: sibling }), 403)];
}

function* madeUpCookies({ names }, ask) {
  const b64 = (bytes) => Buffer.from(bytes).toString("base64url");
  const made = {
    zeros: b64(Buffer.alloc(97)),
    "a right header and noise": b64([1, 3, ...Buffer.alloc(95, 7)]),
    "a farewell of noise": b64([1, 4, ...Buffer.alloc(70, 7)]),
    nothing: "",
    huge: "A".repeat(12_000),
    "a JWT that says none": `${b64('{"alg":"none"}')}.${b64('{"admitted":true}')}.`,
  };
  for (const [what, value] of Object.entries(made)) yield ["c05", `a pass of ${what}`, () => mustWait(ask({ cookie: `${names.pass}=${value}` }))];
  yield [
    "c64",
    "ninety passes at once",
    () => mustWait(ask({ cookie: Array.from({ length: 90 }, (_, i) => `${names.pass}=${b64([1, 3, ...Buffer.alloc(95, i)])}`).join("; ") })),
  ];
}

function* calls({ client, room }, own) {
  for (const call of ["join", "claim"]) yield ["c97", `${call} without a cookie`, () => mustSay(client.ask(own(call), { method: "POST" }), 403)];
  for (const call of ["join", "claim", "leave"]) {
    yield ["c29", `${call} from another site`, () => mustSay(client.ask(own(call), { method: "POST", headers: { origin: EVIL } }), 403)];
    yield ["c29", `${call} from a hidden site`, () => mustSay(client.ask(own(call), { method: "POST", headers: { origin: "null" } }), 403)];
    yield ["c35", `${call} by GET`, () => mustSay(client.ask(own(call)), 405)];
  }
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  yield ["c29", "a socket from another site", () => mustSay(client.ask(own("socket"), { headers: { ...upgrade, origin: EVIL } }), 403)];
  yield ["c97", "a socket without a cookie", () => mustSay(client.ask(own("socket"), { headers: upgrade }), 403)];
  yield ["c31", "a socket without an upgrade", () => mustSay(client.ask(own("socket")), 426)];
  yield ["c80", "a wait of −1 s", () => mustSay(client.ask(own("status?wait_s=-1")), 400)];
  for (const name of ["__proto__", `${room}x`, "%2e%2e"])
    yield [
      "c79",
      `the room ${name}`,
      () =>
        mustSay(client.ask(`/__baton/${name}/status`), 404, 400, 200 /* the edge made a path of the shop's of it */).then((said) => ({
          ...said,
          refused: said.refused && !/waiting|called|admitted/.test(said.seen),
        })),
    ];
  yield [
    "c74",
    "reading from another site",
    async () => {
      const answer = await client.ask(own("status"), { headers: { origin: EVIL, "sec-fetch-site": "cross-site" } });
      return verdict(answer, answer.headers["access-control-allow-origin"] === undefined);
    },
  ];
}

function* hosts({ client, path }, own) {
  const reflect = async (asked) => {
    const answer = await asked;
    return verdict(answer, !JSON.stringify([answer.headers, answer.body]).includes("evil.example"));
  };
  yield [
    "c17",
    "another host in headers",
    () =>
      reflect(
        client.ask(path, { headers: { ...PAGE, "x-forwarded-host": "evil.example", forwarded: "host=evil.example", "sec-purpose": "prefetch" } }),
      ),
  ];
  yield [
    "c73",
    "a way back to another site",
    () =>
      reflect(
        client.ask(own("join"), {
          method: "POST",
          headers: { ...PAGE, "content-type": "application/x-www-form-urlencoded", referer: `${client.origin}/\t/evil.example/..;${path}` },
        }),
      ),
  ];
}

function* operator({ client, room }) {
  const refused =
    (headers, query = "") =>
    async () => {
      const answer = await client.ask(`/__baton/admin/rooms/${room}${query}`, { headers });
      return verdict(answer, [401, 404].includes(answer.status));
    };
  yield ["c37", "the operator's rooms without a token", refused({})];
  yield ["c37", "with a short one", refused({ authorization: "Bearer x" })];
  yield ["c37", "with a long one", refused({ authorization: `Bearer ${"x".repeat(4_000)}` })];
  yield ["c84", "with one in the query", refused({}, "?token=x")];
  yield ["c37", "metrics without a token", () => mustSay(client.ask("/__baton/metrics"), 401, 404)];
  yield [
    "c123",
    "a dozen guesses at the operator's token",
    async () => {
      let last;
      for (let at = 0; at < 12; at += 1) last = await client.ask("/__baton/admin/rooms", { headers: { authorization: `Bearer guess ${at}` } });
      // Each isolate counts by itself: behind a large edge a dozen may meet several.
      return { refused: [429, 404, 401].includes(last.status), seen: `${last.status} after twelve` };
    },
  ];
}

function* wire({ client, path }) {
  const lines = (...all) => `${all.join("\r\n")}\r\n\r\n`;
  const hidden = lines(`GET ${path}hidden HTTP/1.1`, `Host: ${client.host}`, "Accept: application/json", "Connection: close");
  const tricks = {
    "lengths and chunks": `${lines("POST / HTTP/1.1", `Host: ${client.host}`, `Content-Length: ${hidden.length + 5}`, "Transfer-Encoding: chunked")}0\r\n\r\n${hidden}`,
    "two lengths": lines("POST / HTTP/1.1", `Host: ${client.host}`, "Content-Length: 0", `Content-Length: ${hidden.length}`) + hidden,
    "a body on a look": lines("GET / HTTP/1.1", `Host: ${client.host}`, `Content-Length: ${hidden.length}`) + hidden,
  };
  for (const [what, bytes] of Object.entries(tricks)) {
    yield [
      "c87",
      `a request hidden behind ${what}`,
      async () => {
        const statuses = [...(await client.send(bytes)).matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
        return { refused: statuses.slice(1).every((status) => status >= 400), seen: statuses.join(", ") || "closed" };
      },
    ];
  }
}
