// The page's files behind Cloudflare's own asset worker, which `wrangler dev` runs, with the settings of wrangler.toml.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { assetsDir } from "../../scripts/build.mjs";
import { inRoot, npmProgram, toolEnv } from "../../scripts/common.mjs";
import { keepFrom } from "../../scripts/kept.mjs";
import { wranglerConfig } from "../../scripts/settings.mjs";
import { ensureBuilt, eventually, raw } from "../runtime/support/world.mjs";

const RULES_MAX = 100;
const START_MS = 60_000;
const FOREVER = "public, max-age=31536000, immutable";
const STATIC = "/__baton/static/";

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** `wrangler dev` over a copy of what is built; resolves to `{ get, assets }`. */
async function startWrangler(t) {
  await ensureBuilt();
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-wrangler-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const assets = path.join(folder, "assets");
  cpSync(assetsDir, assets, { recursive: true });
  const { build: _, ...config } = wranglerConfig();
  const room = { paths: ["/buy/*"], permits: 0 };
  const vars = { ROOMS: { onsale: room }, BATON_SECRET: "test-secret-test-secret-test-secret", ORIGIN: "http://127.0.0.1:9" };
  writeFileSync(
    path.join(folder, "wrangler.json"),
    JSON.stringify({ ...config, main: inRoot(config.main), assets: { ...config.assets, directory: assets }, vars, workers_dev: true }),
  );
  const port = await freePort();
  const args = [
    "dev",
    "--config",
    path.join(folder, "wrangler.json"),
    "--port",
    String(port),
    "--ip",
    "127.0.0.1",
    "--persist-to",
    path.join(folder, "state"),
    "--show-interactive-dev-session=false",
  ];
  const child = spawn(npmProgram("wrangler"), args, {
    cwd: inRoot(),
    env: toolEnv({ WRANGLER_SEND_METRICS: "false", CI: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  t.after(async () => {
    if (child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  });
  const get = (name, options) => raw(port, name, options);
  await eventually(
    () =>
      get("/__baton/health").then(
        ({ status }) => status === 200,
        () => false,
      ),
    { timeoutMs: START_MS, everyMs: 200, what: "wrangler dev" },
  ).catch((error) => {
    throw new Error(`${error.message}\n${said.slice(-3_000)}`);
  });
  return { get, assets, port };
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));

test("behind the real asset worker each file is itself, with the headers that it is to have", { timeout: 180_000 }, async (t) => {
  const { get, assets } = await startWrangler(t);
  for (const name of filesIn(path.join(assets, STATIC))) {
    const { status, headers, body } = await get(STATIC + name);
    assert.equal(status, 200, name);
    const want = name.startsWith("h/") ? FOREVER : ["keep.js", "turnstile.js"].includes(name) ? "public, max-age=300" : "no-store";
    assert.equal(headers["cache-control"], want, name);
    assert.equal(headers["x-content-type-options"], "nosniff", name);
    assert.equal(headers["x-robots-tag"], name.endsWith(".html") ? "noindex" : undefined, name);
    if (/\.(html|css|js|json)$/.test(name)) assert.equal(body, readFileSync(path.join(assets, STATIC, name), "utf8"), name);
  }
  const missing = await get(`${STATIC}h/main.0000000000.js`);
  assert.equal(missing.status, 404);
  const page = await get("/buy/", { headers: { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" } });
  assert.equal(page.headers["baton-state"], "waiting", "the worker reads its templates from there");
  assert.match(page.body, /<script[^>]+src="\/__baton\/static\/h\/main\.[0-9a-f]{10}\.js"/);
  for (const [, name] of page.body.matchAll(/(?:href|src)="(\/__baton\/static\/[^"]+)"/g)) assert.equal((await get(name)).status, 200, name);
});

test("_headers stays within the rules that the platform takes, whatever an operator adds", async () => {
  await ensureBuilt();
  const rules = readFileSync(path.join(assetsDir, "_headers"), "utf8")
    .split("\n")
    .filter((line) => /^\S/.test(line));
  assert.ok(rules.length <= 10, `${rules.length} rules; the platform stops reading at ${RULES_MAX}`);
  assert.ok(
    rules.every((rule) => rule.split("*").length <= 2),
    "one splat a rule",
  );
});

/** A site whose files are these. */
async function siteOf(t, folder) {
  const server = http.createServer((request, response) => {
    try {
      response.end(readFileSync(path.join(folder, request.url)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

test("a deploy keeps the scripts of the build before for a week, and nothing that is not what its name says", async (t) => {
  await ensureBuilt();
  const folders = ["old", "new", "newer"].map((name) => mkdtempSync(path.join(os.tmpdir(), `baton-${name}-`)));
  t.after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  for (const folder of folders) cpSync(assetsDir, folder, { recursive: true });
  const [old, now, newer] = folders;
  const list = (folder) => path.join(folder, STATIC, "files.json");
  const read = (folder) => JSON.parse(readFileSync(list(folder), "utf8"));
  const text = "export const old = 1;\n";
  const { createHash } = await import("node:crypto");
  const name = `h/main.${createHash("sha256").update(text).digest("hex").slice(0, 10)}.js`;
  writeFileSync(path.join(old, STATIC, name), text);
  writeFileSync(path.join(old, STATIC, "h/forged.0123456789.js"), text);
  writeFileSync(list(old), JSON.stringify({ files: [...read(old).files, name, "h/forged.0123456789.js", "../../x.0123456789.js"] }));
  const at = 1_800_000_000_000;
  assert.equal(await keepFrom(await siteOf(t, old), now, { nowMs: at }), 1);
  assert.equal(readFileSync(path.join(now, STATIC, name), "utf8"), text);
  assert.deepEqual(read(now).kept, { [name]: at });
  const day = 24 * 3_600_000;
  assert.equal(await keepFrom(await siteOf(t, now), newer, { nowMs: at + 6 * day }), 1, "still there after six days");
  assert.deepEqual(read(newer).kept, { [name]: at }, "counted from when it went out of use");
  assert.equal(await keepFrom(await siteOf(t, newer), now, { nowMs: at + 8 * day }), 0, "gone after eight");
  rmSync(list(old));
  assert.equal(await keepFrom(await siteOf(t, old), now), null, "a site without Baton");
});
