// The staging site: everything that is its own, what is refused because it is production's, and the banner on real pages.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { assetsDir, settingsModule } from "../../scripts/build.mjs";
import { filesUnder, inRoot, npmProgram, toolEnv } from "../../scripts/common.mjs";
import { deployment } from "../../scripts/deployment.mjs";
import { checkConfig, wranglerConfig } from "../../scripts/settings.mjs";
import { secretsOf, stagingOf } from "../../scripts/staging/config.mjs";
import { ensureBuilt, startOrigin, startWorld } from "../runtime/support/world.mjs";

const BANNER = inRoot("src", "staging", "staging.js");
/** The texts, without the worker around which they stand. */
const TEXTS = Object.fromEntries(
  [...readFileSync(BANNER, "utf8").matchAll(/^ {2}"?([a-zA-Z-]+)"?: "(.+)",$/gm)].map(([, lang, text]) => [lang, text]),
);

/** Production as somebody has it. */
function production() {
  const config = wranglerConfig();
  const room = { ...config.vars.ROOMS.onsale, location: "apac", hosts: ["tickets.example.com"], cookie_domain: "example.com" };
  const vars = {
    ORIGIN: "https://shop.example.net",
    ROOMS: { onsale: room },
    GROUNDS: { paths: ["/events/*"], hosts: ["tickets.example.com"], location: "apac" },
    OPERATORS: [{ name: "mika", role: "operate", sha256: "0".repeat(64) }],
    WEBHOOKS: [{ name: "crm", url: "https://hooks.example.org/" }],
    TURNSTILE_SITE_KEY: "0x4AAAreal",
  };
  return {
    ...config,
    routes: [{ pattern: "tickets.example.com/*", zone_name: "example.com" }],
    ratelimits: [{ name: "JOIN_LIMITER", namespace_id: "1001" }],
    vars,
  };
}
const STAGING = {
  routes: [{ pattern: "staging.example.com/*", zone_name: "example.com" }],
  hosts: { "tickets.example.com": "staging.example.com", "example.com": "staging.example.com" },
  vars: { ORIGIN: "https://staging-shop.example.net" },
};

test("nothing of production's comes along but its settings", async () => {
  const config = stagingOf(production(), STAGING);
  assert.deepEqual([config.name, config.main, config.routes], ["baton-staging", "src/staging/staging.js", STAGING.routes]);
  const { onsale } = config.vars.ROOMS;
  assert.deepEqual([onsale.hosts, onsale.cookie_domain, onsale.permits], [["staging.example.com"], "staging.example.com", 200]);
  assert.deepEqual(config.vars.GROUNDS.hosts, ["staging.example.com"]);
  const text = JSON.stringify(config);
  for (const own of ["tickets.example.com", "https://shop.example.net", "mika", "hooks.example.org", "0x4AAAreal", "JOIN_LIMITER"])
    assert.ok(!text.includes(own), own);
  const own = { ...STAGING, vars: { ...STAGING.vars, OPERATORS: [{ name: "tester", role: "operate", sha256: "1".repeat(64) }] } };
  assert.equal(stagingOf(production(), own).vars.OPERATORS[0].name, "tester");
  assert.ok(deployment(config).settings.ROOMS.onsale, "a deploy takes it");
  await checkConfig(config.vars);
});

test("what would be production's is refused by name", () => {
  for (const [changes, said] of [
    [{ name: "baton" }, /production's own/],
    [{ routes: undefined }, /routes is missing/],
    [{ routes: production().routes }, /https:\/\/tickets\.example\.com is a route of production's/],
    [{ vars: {} }, /ORIGIN is missing/],
    [{ vars: { ORIGIN: "https://shop.example.net/" } }, /is production's shop/],
    [{ vars: { ORIGIN: { "staging.example.com": "https://shop.example.net" } } }, /is production's shop/],
    [{ hosts: {} }, /GROUNDS\.hosts[^]*ROOMS\.onsale\.hosts names tickets\.example\.com[^]*cookie_domain names example\.com/],
    [{ secrets: {} }, /secrets is not known/],
  ])
    assert.throws(() => stagingOf(production(), { ...STAGING, ...changes }), said);
  assert.ok(stagingOf(production(), { ...STAGING, vars: {}, services: [{ binding: "ORIGIN", service: "staging-shop" }] }));
});

test("secrets are made once, each good, and never production's", () => {
  const first = secretsOf({}, {});
  assert.deepEqual(secretsOf(first, {}), first);
  assert.equal(new Set(Object.values(first)).size, 6);
  for (const name of ["BATON_SECRET", "ORIGIN_SECRET", "BATON_ADMIN_TOKEN"]) assert.ok(first[name].length >= 48, name);
  assert.deepEqual(
    JSON.parse(first.ENTRY_KEYS).map(({ kid, alg, key }) => [kid, alg, key.length >= 32]),
    [["staging", "HS256", true]],
  );
  assert.match(first.WEBHOOK_SECRET, /^whsec_[\w+/]{43}=$/);
  assert.throws(() => secretsOf(first, { BATON_SECRET: first.BATON_SECRET }), /^Error: BATON_SECRET: staging would have a secret of production's/);
  assert.throws(() => secretsOf(first, { SOMETHING: first.ORIGIN_SECRET }), /ORIGIN_SECRET: staging would have/);
});

test("wrangler takes it, with the banner in it", async (t) => {
  await ensureBuilt();
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-staging-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { config } = deployment(stagingOf(production(), STAGING));
  const whole = { ...config, main: inRoot(config.main), assets: { ...config.assets, directory: assetsDir } };
  writeFileSync(path.join(folder, "wrangler.json"), JSON.stringify(whole));
  assert.equal(settingsModule({}), "export default {};\n");
  const args = ["deploy", "--dry-run", "--config", path.join(folder, "wrangler.json"), "--outdir", path.join(folder, "out")];
  const dry = spawnSync(npmProgram("wrangler"), args, { env: toolEnv({ WRANGLER_SEND_METRICS: "false", CI: "1" }), encoding: "utf8" });
  assert.equal(dry.status, 0, dry.stdout + dry.stderr);
  assert.doesNotMatch(dry.stdout + dry.stderr, /WARNING/);
  assert.match(readFileSync(path.join(folder, "out", "staging.js"), "utf8"), /This is a rehearsal site/);
});

test("every page has the banner in its language, nothing else is touched, and no answer is for a search engine", async (t) => {
  const shop = await startOrigin(t, (request, response) => {
    const isPage = request.url === "/page";
    response.writeHead(200, { "content-type": isPage ? "text/html; charset=utf-8" : "application/json", "x-robots-tag": "all" });
    response.end(
      isPage ? '<!doctype html><html lang="fr"><head><title>x</title></head><body class="a"><h1>Bonjour</h1></body></html>' : '{"a": "<body>"}',
    );
  });
  const it = await startWorld(t, {
    origin: shop.url,
    room: { permits: 0 },
    vars: { BATON_ADMIN_TOKEN: "an operator's token that nobody guesses" },
    runtime: { wrapper: BANNER },
  });
  const page = { accept: "text/html", "sec-fetch-dest": "document" };
  for (const [at, lang, headers] of [
    ["/page", "fr", {}],
    ["/buy/", "ja", { "accept-language": "ja" }],
    ["/buy/", "ar", { "accept-language": "ar" }],
    ["/buy/", "zh-Hant", { "accept-language": "zh-TW" }],
    ["/__baton/admin/", "en", {}],
    ["/__baton/onsale/draw", "en", {}],
  ]) {
    const answer = await it.raw(at, { headers: { ...page, ...headers } });
    assert.equal(answer.body.split("data-baton-staging").length, 2, `once at ${at}: ${answer.status} ${answer.headers["content-type"]}`);
    const [before, after] = answer.body.split('<p align="center" role="note" data-baton-staging>');
    assert.match(before, /<body[^>]*>$/, at);
    assert.ok(after.startsWith(`<mark><b>${TEXTS[lang]}</b></mark></p>`), `${at} ${lang}: ${after.slice(0, 80)}`);
    assert.equal(answer.headers["x-robots-tag"], "noindex, nofollow");
  }
  const api = await it.raw("/api", {});
  assert.deepEqual([api.body, api.headers["x-robots-tag"]], ['{"a": "<body>"}', "noindex, nofollow"]);
  const visitor = it.visitor();
  await visitor.arrive();
  await visitor.join();
  await visitor.openSocket();
  await visitor.waitForState("waiting");
});

test("it speaks the languages of the waiting page", () => {
  const known = filesUnder(inRoot("web", "locales"))
    .map((file) => path.basename(file, ".json"))
    .sort();
  assert.deepEqual(Object.keys(TEXTS).sort(), known);
  assert.equal(new Set(Object.values(TEXTS)).size, known.length);
});
