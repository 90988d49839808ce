// The command as an operator runs it, against a real shop: what it refuses before anything is sent, and one short run from the code to the
// report. How near its number is to the knee, simulated time says (knee.test.mjs), and `npm run check-find-permits` in real time.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { Checker } from "../../kits/node/src/index.js";
import { inRoot } from "../../scripts/common.mjs";
import { startKnownShop } from "./shop.mjs";

const STEPS = inRoot("tests", "find_permits", "checkout.toml");
const folder = mkdtempSync(path.join(os.tmpdir(), "baton-find-permits-"));
const codeFile = path.join(folder, "code.txt");
const shops = [];
after(() => {
  shops.forEach((shop) => shop.stop());
  rmSync(folder, { recursive: true, force: true });
});

/** A shop of which every word can be heard: `wellKnown` counts who asked for the code. */
async function open(options = {}) {
  const codes = [];
  const code = () => {
    const text = existsSync(codeFile) ? readFileSync(codeFile, "utf8") : null;
    codes.push(text);
    return text;
  };
  const shop = await startKnownShop({ delayMs: 5, servers: 2, code, ...options });
  shops.push(shop);
  return { ...shop, codes };
}

/** Runs the command to its end; `onText(all, child)` hears standard error as it comes. */
async function findPermits(args, onText = () => {}, secret = "") {
  const child = spawn(process.execPath, [inRoot("scripts", "find_permits.mjs"), ...args], {
    env: { ...process.env, BATON_PREPARED: "1", ORIGIN_SECRET: secret },
    cwd: folder,
  });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    said.out += chunk;
  });
  child.stderr.on("data", (chunk) => onText((said.err += chunk), child));
  const [code] = await once(child, "close");
  return { code, ...said };
}
const quick = [
  "--allow-writes",
  "--code-file",
  codeFile,
  "--level-s",
  "1",
  "--settle-s",
  "0.4",
  "--requests-per-s-max",
  "3000",
  "--out",
  path.join(folder, "out"),
];

let shop;
before(async () => {
  shop = await open();
});
const untouched = () => assert.deepEqual([shop.stats.requests, shop.codes.length], [0, 0], "nothing was asked, not even for the code");

test("steps that write are refused without --allow-writes, before anything is sent", async () => {
  const { code, err } = await findPermits(["--url", shop.url, "--steps", STEPS]);
  assert.equal(code, 2);
  assert.match(err, /checkout\.toml:6: "order" sends POST \/order\nCure: .*--allow-writes\. Nothing was sent\./);
  untouched();
});

test("a bad file, a missing file, a bad flag: named, exit 2, nothing sent", async () => {
  const file = path.join(folder, "bad.toml");
  writeFileSync(file, '[[steps]]\nget = "buy"\n');
  const bad = await findPermits(["--url", shop.url, "--steps", "bad.toml"]);
  assert.deepEqual([bad.code, /^bad\.toml:2: "buy" is no path\. Cure: /m.test(bad.err)], [2, true], bad.err);
  const missing = await findPermits(["--url", shop.url, "--steps", "none.toml"]);
  assert.deepEqual([missing.code, /none\.toml cannot be read \(ENOENT\)\. Cure: /.test(missing.err)], [2, true], missing.err);
  const flag = await findPermits(["--url", shop.url, "--steps", STEPS, "--people-max", "0"]);
  assert.deepEqual([flag.code, /--people-max 0: /.test(flag.err)], [2, true], flag.err);
  untouched();
});

test("a host that does not serve the code gets no step; one that is not there is named", async () => {
  const other = await open({ code: () => "baton-find-permits=of another run" });
  const { code, err } = await findPermits(["--url", other.url, "--steps", STEPS, "--allow-writes", "--code-wait-s", "0"]);
  assert.equal(code, 2);
  assert.match(
    err,
    /did not serve the code at http:\/\/127\.0\.0\.1:\d+\/\.well-known\/baton-find-permits: it holds another text\. Nothing else was sent\./,
  );
  assert.equal(other.stats.requests, 0);
  const gone = await findPermits(["--url", "http://127.0.0.1:1", "--steps", STEPS, "--allow-writes", "--code-wait-s", "0"]);
  assert.deepEqual(
    [gone.code, /127\.0\.0\.1:1 did not serve the code .*does not answer: (ECONNREFUSED|bad port)/.test(gone.err)],
    [2, true],
    gone.err,
  );
});

test("a step that fails for the first person is named with its line, and no crowd comes", async () => {
  const other = await open({ answer: (request, response) => request.url === "/order" && Boolean(response.writeHead(500).end()) });
  const { code, err, out } = await findPermits(["--url", other.url, "--steps", STEPS, ...quick]);
  assert.equal(code, 2);
  assert.match(err, /checkout\.toml:6: the step "order" \(POST \/order\) failed for the first person: status 500\. Cure: .* No crowd was sent\./);
  assert.match(out, / {2}ok {2}the shop: 200\n {2}NO {2}order: 500/);
  assert.equal(other.stats.requests, 2);
});

test("behind Baton's check it comes in with staging's secret, and the secret is nowhere in what it says or writes", async () => {
  const secret = "the secret of staging";
  const checker = new Checker({ secret, hosts: ["tickets.example.com"] });
  const judged = [];
  let orders = 0;
  const other = await open({
    answer: ({ method, url, headers }, response) => {
      judged.push(checker.check({ method, url, headers }));
      return url === "/order" && orders++ > 20 && Boolean(response.writeHead(429).end());
    },
  });
  const { code, out, err } = await findPermits(
    ["--url", other.url, "--steps", STEPS, ...quick, "--room", "onsale", "--public-host", "tickets.example.com"],
    undefined,
    secret,
  );
  assert.notEqual(code, 2, `${out}${err}`);
  const reasons = (await Promise.all(judged)).map(({ reason }) => reason);
  assert.ok(reasons.length > 40 && reasons.every((why) => !why), `${reasons.find(Boolean)}`);
  const written = ["report.json", "report.html"].map((name) => readFileSync(path.join(folder, "out", name), "utf8"));
  for (const text of [out, err, ...written]) assert.equal(text.includes(secret), false);
});

test("the code is another each time, and its file is gone afterwards", async () => {
  const codes = new Set();
  for (const _ of [1, 2]) {
    const other = await open({ answer: (request, response) => Boolean(response.writeHead(404).end()) });
    await findPermits(["--url", other.url, "--steps", STEPS, ...quick]);
    codes.add(other.codes.at(-1));
    assert.equal(existsSync(codeFile), false);
  }
  assert.equal(codes.size, 2);
});

test("Ctrl-C while it waits for the code ends it, and takes the file away", async () => {
  const other = await open({ code: () => "something else" });
  const child = spawn(process.execPath, [inRoot("scripts", "find_permits.mjs"), "--url", other.url, "--steps", STEPS, ...quick], {
    env: { ...process.env, BATON_PREPARED: "1", ORIGIN_SECRET: "" },
    cwd: folder,
  });
  let said = "";
  for await (const chunk of child.stdout) {
    said += chunk;
    if (!said.includes("Serve this text")) continue;
    assert.equal(existsSync(codeFile), true);
    child.kill("SIGINT");
    break;
  }
  const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
  assert.deepEqual([code, existsSync(codeFile), other.stats.requests], [130, false, 0]);
});

test("a whole run: table, answer, report and JSON; one connection a person", { timeout: 180_000 }, async () => {
  const { code, out, err } = await findPermits(["--url", shop.url, "--steps", STEPS, ...quick]);
  const result = JSON.parse(readFileSync(path.join(folder, "out", "report.json"), "utf8"));
  const page = readFileSync(path.join(folder, "out", "report.html"), "utf8");
  assert.equal(code, result.verdict.kind === "none" ? 1 : 0, `${out}${err}`);
  assert.match(out, /people {2}steps\/s/);
  assert.match(out, /Your shop takes|No number can be given/);
  assert.match(err, /looking for the bend: 4 people\n/);
  assert.ok(result.looks.length >= 3 && result.levels.every(({ per_s: perS, people }) => perS > 0 && people > 0), `${out}${err}`);
  assert.ok((page.match(/<svg/g) ?? []).length >= 2 && page.includes("get = &quot;/&quot;") && !/<script/i.test(page));
  assert.ok(
    shop.stats.bodies.every((body) => body === "key=k%261&seats=2"),
    shop.stats.bodies[0],
  );
  const visits = shop.stats.requests - shop.stats.orders;
  assert.ok(shop.stats.connections <= visits + shop.codes.length, `${shop.stats.connections} connections for ${visits} people`);
  assert.ok(visits > 250, `${visits} people`);
});

test("a 429 in the middle ends it within seconds, and --json is nothing but JSON", { timeout: 120_000 }, async () => {
  let [orders, saidAtMs, lastAtMs] = [0, 0, 0];
  const other = await open({
    answer: (request, response) => {
      lastAtMs = performance.now();
      if (request.url !== "/order" || (orders += 1) !== 300) return false;
      saidAtMs = performance.now();
      return Boolean(response.writeHead(429).end());
    },
  });
  const { code, out } = await findPermits(["--url", other.url, "--steps", STEPS, ...quick, "--json"]);
  const result = JSON.parse(out);
  assert.match(result.stopped, /"order" was answered 429/);
  assert.notEqual(result.verdict.kind, "number");
  assert.equal(code, result.verdict.kind === "none" ? 1 : 0);
  assert.ok(lastAtMs - saidAtMs < 4_500, `asked for ${lastAtMs - saidAtMs} ms more`);
});

test("Ctrl-C sends everybody home, and says what was seen so far", { timeout: 120_000 }, async () => {
  let atMs = 0;
  const interrupt = (text, child) => {
    if (atMs > 0 || !text.includes("level 2 of")) return;
    atMs = performance.now();
    child.kill("SIGINT");
  };
  const { code, out, err } = await findPermits(["--url", shop.url, "--steps", STEPS, ...quick], interrupt);
  assert.ok(performance.now() - atMs < 8_000, `${performance.now() - atMs} ms to the end`);
  assert.match(err, /\d+ people leave\n/);
  assert.match(out, /you stopped it \(SIGINT\)/);
  assert.match(out, /Report: .*report\.html/);
  assert.notEqual(code, 2);
});
