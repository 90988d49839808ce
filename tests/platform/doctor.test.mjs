// The doctor before a Baton that is well, and before each fault once.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { before, test } from "node:test";
import { findProgram, inRoot, npmProgram } from "../../scripts/common.mjs";
import { examine, patientOf, table } from "../../scripts/doctor.mjs";
import { startOrigin } from "../runtime/support/world.mjs";
import { startPlatform } from "./platform.mjs";
import { startSpoiler } from "./spoiler.mjs";

const TOKEN = "operator-token-of-the-doctor-tests-0123456789";
const ROOMS = { onsale: { paths: ["/buy/*"], permits: 0, location: "weur" } };

/** One Baton for all: everything here only looks. */
const shared = { ends: [] };
const ofFile = { after: (end) => shared.ends.push(end) };
before(async () => {
  const trace = await startOrigin(ofFile, (request, response) => response.end("fl=1\ncolo=FRA\nwarp=off\n"));
  shared.trace = trace.url;
  shared.it = await startPlatform(ofFile, {
    rooms: ROOMS,
    vars: { BATON_ADMIN_TOKEN: TOKEN, VERSION: { id: "v1" }, PROBE_TRACE: trace.url },
    runtime: { fronts: { newer: { VERSION: { id: "v2" } } } },
  });
});
test.after(async () => {
  for (const end of shared.ends.reverse()) await end();
});

const look = async (options) => Object.fromEntries(await examine(patientOf({ token: TOKEN, ...options })));

/** With this fault the check finds that, and nothing else is bad that was not before. */
async function planted(t, { fault, check, is, seen, others = [], ...options }) {
  const url = options.url ?? (fault ? await startSpoiler(t, shared.it.baton.port, fault) : shared.it.baton.url);
  const found = await look({ ...options, url });
  assert.equal(found[check].is, is, `${check}: ${JSON.stringify(found[check])}`);
  assert.match(found[check].seen, seen);
  assert.ok(found[check].cure?.length > 10, "there is a cure");
  const worse = Object.entries(found).filter(([name, { is: how }]) => how === "bad" && name !== check && !others.includes(name));
  assert.deepEqual(worse, [], "nothing else is blamed");
}

test("a Baton that is well: nothing is bad, and what cannot be seen is said to be unknown", async () => {
  const found = await look({ url: shared.it.baton.url, origin: shared.it.shop.url });
  const of = (how) =>
    Object.entries(found)
      .filter(([, { is }]) => is === how)
      .map(([name]) => name);
  assert.deepEqual([of("bad"), of("warn")], [[], []], table(Object.entries(found)));
  assert.deepEqual(of("unknown"), ["transport", "routes", "releases"]);
  assert.match(found.home.seen, /lobby in FRA, room in FRA/);
  assert.match(found.versions.seen, /v1 everywhere/);
});

test("which headers of clients the shop does not get is listed", async () => {
  const { url } = shared.it.baton;
  await fetch(new URL("/about", url), { headers: { "x-original-path": "/buy/1", "x-ordinary": "1" } });
  const { headers } = await look({ url });
  assert.equal(headers.is, "ok");
  assert.match(headers.seen, /does not go on to the shop: .*x-original-path.*PASS_HEADERS/);
  assert.doesNotMatch(headers.seen, /x-ordinary/);
});

test("a logo that a room gates is found, and one that is no picture", async (t) => {
  const waits = { permits: 0, location: "weur" };
  const rooms = {
    onsale: { ...waits, paths: ["/buy/*"], page_logo: "/buy/logo.png?v=1&w=2" },
    other: { ...waits, paths: ["/other/*"], page_logo: "/" },
  };
  const { baton } = await startPlatform(t, { rooms, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const { logos } = await look({ url: baton.url });
  assert.equal(logos.is, "warn");
  assert.match(logos.seen, /: \/buy\/logo\.png\?v=1&w=2 \(room onsale\) is gated; \/ \(room other\) answered 200, text/);
});

const isProbe = ({ url }) => url.endsWith("/probe");
const isPage = ({ url, headers }) => url.startsWith("/buy/") && headers["sec-fetch-mode"] === "navigate";
const inProbe = (change) => (text, request) => {
  if (!isProbe(request)) return text;
  const told = JSON.parse(text);
  change(told);
  return JSON.stringify(told);
};
const end = (response, status, body = "", headers = {}) => {
  response.writeHead(status, headers).end(body);
  return true;
};
const theirs = (request, response) => end(response, 200, "the shop's own");

const FAULTS = {
  "the route leads elsewhere": {
    fault: { answer: (request, response) => request.url === "/__baton/health" && end(response, 404) },
    check: "reached",
    is: "bad",
    seen: /answered 404/,
  },
  "the worker fails": {
    fault: { answer: (request, response) => request.url === "/__baton/health" && end(response, 500, "error code: 1101") },
    check: "reached",
    is: "bad",
    seen: /1101/,
  },
  "the way out is open": {
    fault: { body: (text, { url }) => (url === "/__baton/health" ? '{"status":"way_out"}' : text) },
    check: "reached",
    is: "bad",
    seen: /everybody reaches the site/,
  },
  "the token is not the operator's": {
    token: "another-token-another-token-another-token",
    room: "onsale",
    path: "/buy/*",
    check: "operator",
    is: "bad",
    seen: /answered 401/,
  },
  "the route is for one folder only": {
    fault: { answer: (request, response) => /^\/(%62|\/)/.test(request.url) && theirs(request, response) },
    check: "gate",
    is: "bad",
    seen: /answered 200 to a stranger/,
  },
  "a gated path is left off": {
    fault: {
      answer: (request, response) => request.url === "/buy/doctor" && request.headers.accept === "application/json" && theirs(request, response),
    },
    check: "gate",
    is: "bad",
    seen: /\/buy\/doctor .*answered 200/,
  },
  "another name of a page leads past": {
    fault: { answer: (request, response) => request.url === "/buy.json" && theirs(request, response) },
    check: "other names",
    is: "warn",
    seen: /^\/buy\.json answered 200 to a stranger \(Rails.*: add \/buy\*\)$/,
  },
  "the query names the page": {
    fault: { answer: (request, response) => request.url === "/?pagename=buy" && theirs(request, response) },
    check: "other names",
    is: "warn",
    seen: /^\/\?pagename=buy answered 200 to a stranger \(WordPress: no pattern gates it\)$/,
  },
  "the shop insists on its public name": {
    fault: { answer: (request, response) => request.url === "/" && end(response, 301, "", { location: `http://${request.headers.host}/` }) },
    check: "redirects",
    is: "bad",
    seen: /^\/ redirects to itself \(301\)$/,
  },
  "the shop refuses forms whose Origin is not its Host": {
    origin: "http://shop.example",
    fault: { answer: (request, response) => request.method === "POST" && request.headers.origin !== "http://shop.example" && end(response, 403) },
    check: "forms",
    is: "bad",
    seen: /^a form from http:\/\/127.0.0.1:\d+ is answered 403, and one from http:\/\/shop.example 404$/,
  },
  "cookies are taken away": {
    fault: { headers: (headers) => delete headers["set-cookie"] },
    check: "cookies",
    is: "bad",
    seen: /set no baton-visitor/,
  },
  "cookies are rewritten": {
    fault: {
      headers: (headers) => {
        headers["set-cookie"] = headers["set-cookie"]?.map((line) => line.replace("; HttpOnly", "")) ?? [];
      },
    },
    check: "cookies",
    is: "bad",
    seen: /lacks HttpOnly/,
  },
  "sockets are off": { fault: { upgrade: () => null }, check: "sockets", is: "bad", seen: /answered 404/ },
  "sockets are compressed": {
    fault: { upgrade: (head) => `${head}\r\nSec-WebSocket-Extensions: permessage-deflate` },
    check: "sockets",
    is: "warn",
    seen: /permessage-deflate/,
  },
  "sockets are broken": {
    fault: { upgrade: (head) => head.replace(/sec-websocket-accept: .*/i, "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=") },
    check: "sockets",
    is: "bad",
    seen: /not the one that was asked for/,
  },
  "the page is cached": {
    fault: { headers: (headers, request) => isPage(request) && (headers["cache-control"] = "public, max-age=60") },
    check: "caching",
    is: "bad",
    seen: /public, max-age=60/,
  },
  "the page comes from a cache": {
    fault: { headers: (headers, request) => isPage(request) && (headers["cf-cache-status"] = "HIT") },
    check: "caching",
    is: "bad",
    seen: /waiting page/,
  },
  "scripts are missing": {
    fault: { answer: (request, response) => request.url.includes("/h/main") && end(response, 404) },
    check: "caching",
    is: "bad",
    seen: /main.* answered 404/,
  },
  "scripts are not kept": {
    fault: { headers: (headers, { url }) => url.includes("/h/") && (headers["cache-control"] = "max-age=0") },
    check: "caching",
    is: "warn",
    seen: /max-age=0/,
  },
  "templates are answered with redirects": {
    fault: { answer: (request, response) => request.url.endsWith("page.en.html") && end(response, 307, "", { location: "/__baton/static/page.en" }) },
    check: "caching",
    is: "bad",
    seen: /answered 307/,
  },
  "a clock is two minutes off": {
    fault: { headers: (headers) => (headers.date = new Date(Date.now() - 120_000).toUTCString()) },
    check: "clock",
    is: "bad",
    seen: /\d{6} ms/,
  },
  "an object's clock is ten seconds off": {
    fault: { body: inProbe((told) => (told.lobby.room.at_ms += 10_000)) },
    check: "clock",
    is: "warn",
    seen: /\d ms from/,
  },
  "the room is far away": {
    fault: { body: inProbe((told) => (told.lobby.room.round_ms = 900)) },
    check: "round trip",
    is: "warn",
    seen: /room 900 ms/,
  },
  "the room does not answer": {
    fault: { body: inProbe((told) => (told.lobby.room = { error: "overloaded", round_ms: 5 })) },
    check: "round trip",
    is: "bad",
    seen: /overloaded/,
  },
  "lobbies are not reached": {
    fault: { body: (text, { url }) => (url === "/__baton/admin/rooms" ? text.replace(/"unreached":\d+/, '"unreached":2') : text) },
    check: "calls",
    is: "warn",
    seen: /onsale: 2 lobbies/,
  },
  "calls nest too deep": {
    fault: { body: (text, { url }) => (url === "/__baton/admin/rooms" ? text.replace(/"call_depth":\d+/, '"call_depth":11') : text) },
    check: "calls",
    is: "warn",
    seen: /11 deep/,
  },
  "people buy and nothing comes back": {
    fault: { body: (text, { url }) => (url === "/__baton/admin/rooms" ? text.replace(/"expired":\d+/, '"expired":57') : text) },
    check: "releases",
    is: "warn",
    seen: /57 leases ran out/,
  },
};

for (const [what, plant] of Object.entries(FAULTS)) test(`found: ${what}`, { timeout: 60_000 }, (t) => planted(t, plant));

test("a shop that answers every path with its shell has no other names, and one that redirects to the gated page neither", {
  timeout: 60_000,
}, async (t) => {
  const isFree = ({ url }) => !url.startsWith("/buy/") && !url.startsWith("/__baton") && !url.startsWith("//") && !url.startsWith("/%");
  let count = 0;
  const answers = [(url) => `shell of ${url}`, () => `shell ${(count += 1)}`, () => '<a href="/buy">Tickets</a>'];
  for (const answer of answers) {
    const url = await startSpoiler(t, shared.it.baton.port, {
      answer: (request, response) => isFree(request) && end(response, 200, answer(request.url)),
    });
    assert.equal((await look({ url }))["other names"].is, "ok");
  }
  const tidy = await startSpoiler(t, shared.it.baton.port, {
    answer: (request, response) => request.url === "/buy.html" && end(response, 301, "", { location: "/buy/" }),
  });
  assert.equal((await look({ url: tidy }))["other names"].is, "ok");
});

test("found: two versions run at once", { timeout: 60_000 }, (t) =>
  planted(t, { url: `http://127.0.0.1:${shared.it.baton.portOf("newer")}`, check: "versions", is: "bad", seen: /2 versions/ }),
);

test("found: nobody chose where the objects live", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { room: { permits: 0 }, vars: { BATON_ADMIN_TOKEN: TOKEN, PROBE_TRACE: shared.trace } });
  await planted(t, { url: it.baton.url, check: "home", is: "warn", seen: /nobody chose that for onsale/ });
});

test("found: an opening with a slip in its year", { timeout: 60_000 }, async (t) => {
  const config = { vars: { ROOMS: { onsale: { paths: ["/buy/*"], permits: 1, opens_at: ["2020-12-01T10:00:00+09:00"] } } } };
  await planted(t, { config, check: "dates", is: "warn", seen: /ROOMS\.onsale\.opens_at = 2020-12-01T10:00:00\+09:00 has passed/ });
});

test("found: an origin that serves whoever comes", { timeout: 60_000 }, async (t) => {
  const open = await startOrigin(t, (request, response) => response.end("welcome"));
  await planted(t, { origin: open.url, check: "origin", is: "bad", seen: /answered 200 to a stranger/ });
  const naive = await startOrigin(t, (request, response) => response.writeHead(request.headers["baton-proof"] ? 200 : 403).end());
  await planted(t, { origin: naive.url, check: "origin", is: "bad", seen: /200 to a forged proof/ });
  const odd = await startOrigin(t, (request, response) => response.writeHead(404).end());
  await planted(t, { origin: odd.url, check: "origin", is: "warn", seen: /404/ });
});

test("found: a visitor's name for an origin that Cloudflare would not look for", { timeout: 60_000 }, async (t) => {
  const config = (ORIGIN, zone = "localhost") => ({
    vars: { ORIGIN, ORIGIN_HOST: "public" },
    routes: [{ pattern: "localhost/*", ...(zone && { zone_name: zone }) }],
  });
  const found = (is, seen, of) => planted(t, { config: of, check: "origin host", is, seen });
  await found("bad", /shop\.example\.net is outside the zone localhost/, config("https://shop.example.net"));
  await found("bad", /shop\.example\.net is outside/, config({ "a.localhost": "https://localhost", "b.localhost": "https://shop.example.net" }));
  await found("bad", /no-such-host\.invalid has no address/, config("https://no-such-host.invalid", "invalid"));
  await found("unknown", /names no zone/, config("https://shop.localhost", null));
  const well = await look({ url: shared.it.baton.url, config: config("http://localhost") });
  assert.deepEqual([well["origin host"].is, /localhost, in the zone localhost/.test(well["origin host"].seen)], ["ok", true]);
});

test("found: a route that misses paths, and an exception to what no room gates, in wrangler.toml", { timeout: 60_000 }, async (t) => {
  const missed = { routes: [{ pattern: "localhost/buy/*" }], vars: { ROOMS: { onsale: { paths: ["/buy/*"], bypass_paths: ["/pay"] } } } };
  await planted(t, {
    config: missed,
    check: "wrangler.toml",
    is: "warn",
    seen: /none \/__baton\/\*.*; ROOMS\.onsale\.bypass_paths, \/pay: no room gates it/,
  });
});

test("found: routes that fail open, that leave paths off, that are not there", { timeout: 60_000 }, async (t) => {
  const host = "127.0.0.1";
  let all;
  const api = await startOrigin(t, (request, response) => {
    const name = new URL(request.url, "http://api").searchParams.get("name");
    response.end(JSON.stringify({ result: name ? (name === host ? [{ id: "z1" }] : []) : all }));
  });
  const cloudflare = { api: api.url, token: "x" };
  const route = { pattern: `${host}/*`, script: "baton" };
  const cases = [
    [[{ ...route, request_limit_fail_open: true }], "bad", /fails open/],
    [[], "bad", /no route/],
    [[{ ...route, pattern: `${host}/buy/*` }], "bad", /no route/],
    [[route, { pattern: `${host}/static/*` }], "warn", /left off the route/],
  ];
  for (const [routes, is, seen] of cases) {
    all = routes;
    await planted(t, { cloudflare, check: "routes", is, seen });
  }
  all = [route];
  assert.equal((await look({ url: shared.it.baton.url, cloudflare })).routes.is, "ok");
});

test("found: a certificate that ends soon, and one that nobody trusts", {
  timeout: 60_000,
  skip: findProgram("openssl") ? false : "no openssl",
}, async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-doctor-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(folder, name));
  spawnSync("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "5",
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost",
    "-keyout",
    key,
    "-out",
    cert,
  ]);
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => response.end('{"status":"ok"}'));
  await new Promise((resolve) => server.listen(0, resolve));
  t.after(() => server.close());
  const doctor = (env) => run(["--url", `https://localhost:${server.address().port}`, "--json"], env);
  const trusted = await doctor({ NODE_EXTRA_CA_CERTS: cert });
  const [{ is, seen }] = JSON.parse(trusted.out).findings.filter(({ check }) => check === "transport");
  assert.deepEqual([is, /ends in [345] days/.test(seen)], ["warn", true], seen);
  const strange = await doctor({});
  assert.equal(strange.code, 1);
  assert.match(JSON.parse(strange.out).findings[0].seen, /self-signed/);
});

function run(args, env = {}) {
  const child = spawn(npmProgram("node"), [inRoot("scripts", "doctor.mjs"), ...args], { env: { PATH: process.env.PATH, ...env } });
  let out = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (out += chunk));
  return new Promise((resolve) => child.once("exit", (code) => resolve({ code, out })));
}

test("as a command: a table, its JSON, and the exit status", { timeout: 60_000 }, async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-doctor-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const token = path.join(folder, "token");
  writeFileSync(token, `${TOKEN}\n`);
  const well = await run(["--url", shared.it.baton.url, "--token", token]);
  assert.equal(well.code, 0, well.out);
  assert.match(well.out, /^ok {4}reached/m);
  const json = await run(["--url", shared.it.baton.url, "--token", token, "--json"]);
  assert.equal(JSON.parse(json.out).findings.length, 23);
  const dead = await run(["--url", "http://127.0.0.1:9"]);
  assert.deepEqual([dead.code, /BAD {3}reached/.test(dead.out)], [1, true], dead.out);
  for (const args of [[], ["--url", "nonsense"], ["--url", shared.it.baton.url, "--token", "/nowhere"], ["--what"]])
    assert.equal((await run(args)).code, 2, args.join(" "));
});
