// `npm start`: its flags, what it prints, the crowd that one can watch; with `--origin` the shop is given one secret and can keep it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { makeProof } from "../../demo/proof.mjs";
import { checker } from "../../scripts/build.mjs";
import { findProgram, inRoot, UserError } from "../../scripts/common.mjs";
import { readyFolder, whyNotFrom } from "../../scripts/data_folder.mjs";
import { helpText, parseFlags, roomSettings } from "../../scripts/flags.mjs";
import { gatedPath } from "../../scripts/gated_path.mjs";
import { startRuntime } from "../../scripts/runtime.mjs";
import { ORIGIN_SECRET_FILE, startSecrets } from "../../scripts/start-secrets.mjs";
import { coded } from "../support/logs.mjs";
import { started } from "./support/started.mjs";
import { ensureBuilt, eventually, raw, startOrigin, startWorld } from "./support/world.mjs";

function folder(t) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-start-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("the shop's secret is kept, readable by its owner alone; the others are new each time", (t) => {
  const originFile = path.join(folder(t), "kept", "origin-secret");
  const [first, second] = [1, 2].map(() => startSecrets({ origin: "http://localhost:8000", originFile }));
  assert.equal(first.ORIGIN_SECRET, second.ORIGIN_SECRET);
  assert.equal(statSync(originFile).mode & 0o077, 0);
  assert.notEqual(first.BATON_SECRET, second.BATON_SECRET);
  assert.notEqual(startSecrets({ originFile }).ORIGIN_SECRET, first.ORIGIN_SECRET, "the demo shop needs none that lasts");
  writeFileSync(originFile, `${"s".repeat(40)}\n`);
  assert.equal(startSecrets({ origin: "http://localhost:8000", originFile }).ORIGIN_SECRET, "s".repeat(40), "somebody's own");
  writeFileSync(originFile, "short\n");
  assert.throws(
    () => startSecrets({ origin: "http://localhost:8000", originFile }),
    (error) => error.message.includes(originFile) && /remove the file/.test(error.message),
  );
  assert.equal(readFileSync(originFile, "utf8"), "short\n", "nothing is overwritten");
});

test("with --data all are kept there", (t) => {
  const dataDir = folder(t);
  const kept = startSecrets({ dataDir, origin: "http://localhost:8000" });
  assert.deepEqual(startSecrets({ dataDir }), kept);
});

test("a full disk leaves no half of the secrets, and a damaged file is named with its cure", {
  skip: !existsSync("/dev/full") && "nothing here is always full",
}, (t) => {
  const dataDir = folder(t);
  const file = path.join(dataDir, "secrets.json");
  symlinkSync("/dev/full", `${file}.next`);
  const named = (error) => error.message.includes(file) && /Cure: /.test(error.message);
  assert.throws(
    () => startSecrets({ dataDir }),
    (error) => named(error) && /ENOSPC/.test(error.message),
  );
  assert.deepEqual(readdirSync(dataDir), []);
  assert.equal(startSecrets({ dataDir }).BATON_SECRET.length, 43, "with room again it starts");
  writeFileSync(file, "");
  assert.throws(() => startSecrets({ dataDir }), named);
});

test("a data folder that cannot serve is named with its cure; what heals by itself is only said", {
  skip: !existsSync("/dev/full") && "nothing here is always full",
}, (t) => {
  const dir = folder(t);
  const said = [];
  const ready = (data) => readyFolder(data, (line) => said.push(line));
  const metadata = path.join(dir, "baton-RoomObject", "metadata.sqlite");
  mkdirSync(path.dirname(metadata));
  for (const sound of ["", "SQLite format 3\0 and so on"]) {
    writeFileSync(metadata, sound);
    ready(dir);
  }
  assert.deepEqual(said, []);
  writeFileSync(metadata, "no database");
  ready(dir);
  assert.deepEqual(readdirSync(path.dirname(metadata)), ["metadata.sqlite.damaged"]);
  assert.ok(said.pop().includes(metadata));
  rmSync(path.join(dir, "in-use"));
  symlinkSync("/dev/full", path.join(dir, "in-use"));
  ready(dir);
  assert.match(said.pop(), /is full.*Cure: /);
  const named = (data) => (error) => error.message.includes(data) && /Cure: /.test(error.message);
  writeFileSync(path.join(dir, "file"), "");
  for (const data of ["/sys", path.join(dir, "file")]) assert.throws(() => ready(data), named(data));
});

test("a second process on the same data is refused", { skip: !findProgram("flock") && "flock is not installed" }, async (t) => {
  await ensureBuilt();
  const dataDir = folder(t);
  const vars = { ROOMS: { onsale: { paths: ["/buy/*"], permits: 1 } }, BATON_SECRET: "s".repeat(43), ORIGIN: "http://127.0.0.1:1" };
  const serving = () => startRuntime({ vars, dataDir, keeps: true });
  const first = await serving();
  t.after(() => first.stop());
  const error = await serving().then(
    (second) => second.stop(),
    (failed) => failed,
  );
  const why = whyNotFrom(dataDir, error);
  assert.ok(why.message.includes(dataDir) && /Another process.*Cure: /.test(why.message), why.message);
  await first.restart();
});

test("the address behind the gate is one that a browser can open", () => {
  const of = (...paths) => gatedPath({ paths });
  assert.deepEqual([of("/buy/*"), of("/buy/**"), of("/buy*"), of("/buy"), of("/*")], ["/buy/", "/buy/", "/buy", "/buy", "/"]);
  assert.deepEqual([of("/events/*/checkout"), of("/events/*/"), of("/a/*/b/*")], ["/events/1/checkout", "/events/1/", "/a/1/b/"]);
  assert.deepEqual([of("POST /api/orders", "GET /buy/*"), of("POST /api/orders"), of()], ["/buy/", "/", "/"]);
});

test("every setting of a room is a flag", async () => {
  const settings = roomSettings();
  const keys = Object.keys(roomSettings((await checker()).reference()));
  assert.deepEqual(Object.keys(settings), keys);
  const steps = [{ at: "2026-12-01T10:00:00+09:00", set: { mode: "open" } }];
  const args = [
    "--opens-at",
    "2026-12-01T10:00:00+09:00",
    "--title",
    "A night",
    "--message=be patient",
    "--hall-s",
    "600",
    "--draw",
    "arrival",
    "--no-strict",
    "--no-walk-in",
    "--turnstile",
    "--admissions-per-s",
    "2.5",
    "--paths",
    "/a/*",
    "--paths",
    "/b",
    "--schedule",
    JSON.stringify(steps),
    "--page-colours",
    '{"dark": {"ink": "#ffffff"}}',
    "--port",
    "0",
    "--behind-proxy",
    "--origin",
    "http://localhost:8000",
    "--origin-host=public",
  ];
  assert.deepEqual(parseFlags(args), {
    own: { port: 0, behind_proxy: true, origin: "http://localhost:8000", origin_host: "public" },
    room: {
      opens_at: ["2026-12-01T10:00:00+09:00"],
      page_title: "A night",
      message: "be patient",
      hall_s: 600,
      draw: "arrival",
      strict: false,
      walk_in: false,
      turnstile: true,
      admissions_per_s: 2.5,
      paths: ["/a/*", "/b"],
      schedule: steps,
      page_colours: { dark: { ink: "#ffffff" } },
    },
  });
  const help = helpText({ columns: 80 });
  for (const name of keys) assert.ok(help.includes(`${name.replaceAll("_", "-")}`), name);
  assert.ok(
    help.split("\n").every((line) => line.length <= 80),
    "no line is wider than it may be",
  );
});

for (const [args, says] of [
  [["--permit", "3"], /Unknown flag --permit\. Did you mean --permits\?/],
  [["--permits"], /--permits needs a whole number/],
  [["--port", "99999"], /--port needs a port from 0 to 65535, not 99999/],
  [["--permits", "many"], /--permits needs a whole number, not "many"/],
  [["--admissions-per-s", "0.1234"], /at most three decimals/],
  [["--walk-in=maybe"], /--walk-in or --no-walk-in/],
  [["--page-texts", "[]"], /--page-texts needs a table as JSON, such as/],
  [["--schedule", "noon"], /--schedule needs a list of steps as JSON, such as/],
  [["3"], /Every option is a flag/],
  [["--show", "concert"], /--show takes sale/],
  [["--origin-host", "shop"], /--origin-host takes origin or public/],
  [["--origin-host", "public"], /--origin-host public needs --origin/],
]) {
  test(`npm start ${args.join(" ")} is told what is wrong`, () => {
    assert.throws(
      () => parseFlags(args),
      (error) => error instanceof UserError && says.test(error.message),
    );
    const { status, stderr } = spawnSync(process.execPath, [inRoot("scripts", "start.mjs"), ...args], { encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /\n {4}at /, "no stack");
  });
}

test("npm start -- --help needs nothing installed", () => {
  const { status, stdout } = spawnSync(process.execPath, [inRoot("scripts", "start.mjs"), "--help"], { encoding: "utf8", env: {} });
  assert.equal(status, 0);
  assert.match(stdout, /--hall-s N/);
  assert.match(stdout, /--show TEXT/);
});

test("npm start -- --show sale fills the house, and its link opens the desk", { timeout: 300_000 }, async (t) => {
  await ensureBuilt();
  const { said } = await started(t, ["--show", "sale", "--port", "0"]);
  const [, port, token] = /localhost:(\d+)\/__baton\/admin\/#token=(\S+)/.exec(said) ?? assert.fail(said);
  const rooms = `http://localhost:${port}/__baton/admin/rooms`;
  for (;;) {
    const {
      rooms: [{ report }],
    } = await (await fetch(rooms, { headers: { authorization: `Bearer ${token}` } })).json();
    if (report.inside > 0 && report.waiting > 0) break;
  }
  const [watch] = /http:\/\/127\.0\.0\.1:\d+\/__watch\//.exec(said) ?? assert.fail(said);
  const shown = await fetch(`${watch}report`);
  assert.deepEqual([shown.status, /people came/.test(await shown.text())], [200, true], "the report so far");
  const desk = await fetch(new URL("/__baton/admin/", watch));
  assert.match(desk.headers.get("content-security-policy"), /frame-ancestors 'self'/, "the desk, to be framed by this page alone");
  const own = await fetch(`http://localhost:${port}/__baton/admin/`);
  assert.match(own.headers.get("content-security-policy"), /frame-ancestors 'none'/, "Baton's own may not be framed");
});

test("npm start -- --origin prints what the shop needs, twice the same, and proves by it", { timeout: 300_000 }, async (t) => {
  await ensureBuilt();
  const wasThere = existsSync(ORIGIN_SECRET_FILE);
  t.after(() => wasThere || rmSync(ORIGIN_SECRET_FILE, { force: true }));
  const origin = await startOrigin(t, (request, response) => response.end(JSON.stringify(request.headers)));
  const secrets = [];
  for (let run = 0; run < 2; run += 1) {
    const { said, stop } = await started(t, ["--origin", origin.url, "--port", "0"]);
    const [, ORIGIN_SECRET, host] = /export ORIGIN_SECRET='([^']+)' BATON_HOSTS=(localhost:\d+)\n/.exec(said) ?? assert.fail(said);
    secrets.push(ORIGIN_SECRET);
    assert.match(said, /room "onsale", 200 permits/, "wrangler.toml's, since only the demo shop has others");
    const { body } = await raw(Number(host.split(":")[1]), "/about?a=1", { headers: { host, "cf-ipcountry": "JP" } });
    const { "baton-proof": proof, "baton-target": target, "cf-ipcountry": country } = JSON.parse(body);
    assert.equal(country, undefined, "Cloudflare does not stand in front here");
    const [, atMs, nonce] = /^v1;t=(\d+);n=(\w+);/.exec(proof);
    assert.equal(proof, makeProof({ secret: ORIGIN_SECRET, atMs, nonce, method: "GET", host, path: target }));
    await stop();
  }
  assert.equal(secrets[0], secrets[1]);
});

test("behind a proxy that ends TLS: calls are the page's own with --behind-proxy, and without it the log says why they are not, once", async (t) => {
  for (const behindProxy of [true, false]) {
    const world = await startWorld(t, { runtime: { behindProxy } });
    const host = `127.0.0.1:${world.baton.port}`;
    const call = async (origin) => {
      const headers = { host, origin, "x-forwarded-proto": "https", accept: "application/json" };
      const { body } = await raw(world.baton.port, "/__baton/onsale/join", { method: "POST", headers });
      return JSON.parse(body).error?.code === "forbidden_origin";
    };
    assert.equal(await call("https://elsewhere.example"), true);
    const refused = [await call(`https://${host}`), await call(`https://${host}`)];
    assert.deepEqual(refused, [!behindProxy, !behindProxy]);
    const said = () => coded(world.logs(), "scheme_differs").length;
    if (!behindProxy) await eventually(said, { what: "the line", timeoutMs: 30_000 });
    assert.equal(said(), behindProxy ? 0 : 1);
  }
});
