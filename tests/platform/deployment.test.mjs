// What a deploy sends: measured, complete, and taken by wrangler and the worker.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { assetsDir, settingsModule } from "../../scripts/build.mjs";
import { inRoot, npmProgram, toolEnv } from "../../scripts/common.mjs";
import { VARIABLE_BYTES_MAX, checkArguments, deployment, sitesOf } from "../../scripts/deployment.mjs";
import { wranglerConfig } from "../../scripts/settings.mjs";
import { ensureBuilt } from "../runtime/support/world.mjs";
import { startPlatform } from "./platform.mjs";

const LOGO = `data:image/png;base64,${"A".repeat(8_000)}`;
const hundred = () =>
  Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [
      `room-${at}`,
      { paths: [`/room-${at}/*`], permits: at === 99 ? 1 : 0, page_logo: LOGO, location: "weur" },
    ]),
  );
/** wrangler.toml with the location chosen, and changes. */
function chosen(changes = {}, rooms) {
  const config = wranglerConfig();
  const own = Object.fromEntries(Object.entries(config.vars.ROOMS).map(([name, room]) => [name, { ...room, location: "apac" }]));
  return { ...config, vars: { ...config.vars, ROOMS: rooms ?? own }, ...changes };
}

test("wrangler.toml as it is lacks only the choice of a location", () => {
  assert.throws(
    () => deployment(wranglerConfig()),
    ({ message }) => /location is not chosen/.test(message) && message.split("\n").length === 2,
  );
  assert.ok(deployment(chosen()).settings.ROOMS.onsale);
});

test("rooms and operators go beside the code; a variable that is too long is named with its size", () => {
  const { config, settings, measured } = deployment(chosen({}, hundred()));
  assert.equal(config.vars.ROOMS, undefined);
  assert.equal(config.build, undefined, "it is built before");
  assert.equal(Object.keys(settings.ROOMS).length, 100);
  assert.ok(measured["rooms, operators, grounds and webhooks"] > 800_000);
  const long = { ...chosen().vars, NOTE: "é".repeat(VARIABLE_BYTES_MAX / 2 + 1) };
  assert.throws(() => deployment(chosen({ vars: long })), /NOTE has 5122 bytes; Cloudflare takes 5120/);
  assert.doesNotThrow(() => deployment(chosen({ vars: { ...long, NOTE: "é".repeat(VARIABLE_BYTES_MAX / 2) } })));
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`V${at}`, "x"]));
  assert.throws(() => deployment(chosen({ vars: { ...chosen().vars, ...many } })), /131 variables|132 variables/);
});

test("an environment of wrangler's has its own variables, and they are treated alike", () => {
  const vars = { ROOMS: { b: { paths: ["/b"], permits: 1, location: "auto" } }, ORIGIN: "https://b.example" };
  const { config, settings } = deployment(chosen({ env: { staging: { vars } } }), { env: "staging" });
  assert.deepEqual(config.env.staging.vars, { ORIGIN: "https://b.example" });
  assert.deepEqual(Object.keys(settings.ROOMS), ["b"]);
  assert.throws(() => deployment(chosen(), { env: "nowhere" }), /no \[env.nowhere\]/);
});

test("settings that production would make regret are named", () => {
  for (const [changes, said] of [
    [{ durable_objects: { ...wranglerConfig().durable_objects, code_update_strategy: { mode: "deferred" } } }, /code_update_strategy/],
    [{ workers_dev: true }, /workers_dev/],
    [{ preview_urls: undefined }, /preview_urls/],
    [{ compatibility_flags: [] }, /no_web_socket_compression/],
    [{ assets: { ...wranglerConfig().assets, html_handling: undefined } }, /html_handling/],
    [{ observability: { enabled: true, head_sampling_rate: 0.01 } }, /own lines/],
    [{ observability: { enabled: true, logs: { head_sampling_rate: 0.5 } } }, /own lines/],
  ])
    assert.throws(() => deployment(chosen(changes)), said);
  assert.throws(() => checkArguments(["--percentage=10"]), /does not deploy gradually/);
  assert.deepEqual(
    [checkArguments(["--env", "a"]), checkArguments(["--env=b"]), checkArguments(["--dry-run"])],
    [{ env: "a" }, { env: "b" }, { env: undefined }],
  );
  assert.deepEqual(sitesOf({ routes: [{ pattern: "tickets.example.com/*" }, "https://a.example/*", "*.b.example/*"] }), [
    "https://tickets.example.com",
    "https://a.example",
  ]);
});

test("grounds go beside the code, and are refused without a house to keep or a place for it", () => {
  const GROUNDS = { paths: ["/*"], location: "apac" };
  const house = (changes = {}, grounds = GROUNDS) => deployment(chosen({ vars: { ...chosen().vars, GROUNDS: grounds }, ...changes }));
  assert.deepEqual(house().settings.GROUNDS, GROUNDS);
  assert.equal(house().config.vars.GROUNDS, undefined);
  assert.throws(() => house({}, { paths: ["/*"] }), /GROUNDS\.location is not chosen/);
  const { durable_objects: objects } = wranglerConfig();
  const bindings = objects.bindings.filter(({ name }) => name !== "HOUSE");
  assert.throws(() => house({ durable_objects: { ...objects, bindings } }), /no house: add \[\[durable_objects\.bindings\]\]/);
  const migrations = [{ tag: "v1", new_sqlite_classes: ["RoomObject", "LobbyObject"] }];
  assert.throws(() => house({ migrations }), /no migration makes the house[^]*"v2"/);
  assert.ok(house({ migrations: [...migrations, { tag: "v2", new_sqlite_classes: ["HouseObject"] }] }));
});

test("operators without a house are refused where nothing remembers who signed out of the desk", () => {
  const OPERATORS = [{ name: "mika", role: "view", sha256: "0".repeat(64) }];
  const { durable_objects: objects } = wranglerConfig();
  const without = { durable_objects: { ...objects, bindings: objects.bindings.filter(({ name }) => name !== "HOUSE") } };
  const { GROUNDS: _, ...vars } = chosen().vars;
  const operated = (changes = {}, operators = OPERATORS) => deployment(chosen({ vars: { ...vars, OPERATORS: operators }, ...changes }));
  assert.ok(operated());
  assert.ok(operated(without, []));
  assert.throws(() => operated(without), /OPERATORS are there, but no house to remember who signed out of the desk: add/);
});

test("a crowd that needs porters is refused where there are none", () => {
  const { ROOMS } = chosen().vars;
  const [[name, room]] = Object.entries(ROOMS);
  const crowd = (crowd, changes = {}) =>
    deployment(chosen({ vars: { ...chosen().vars, ROOMS: { ...ROOMS, [name]: { ...room, crowd } } }, ...changes }));
  const { durable_objects: objects } = wranglerConfig();
  const without = { durable_objects: { ...objects, bindings: objects.bindings.filter(({ name: binding }) => binding !== "PORTER") } };
  assert.ok(crowd(200_000));
  assert.ok(crowd(40_000, without));
  assert.throws(() => crowd(40_001, without), /crowd is 40001[^]*no porter: add/);
  assert.throws(
    () => crowd(200_000, { migrations: [{ tag: "v1", new_sqlite_classes: ["RoomObject", "LobbyObject"] }] }),
    /no migration makes the porter/,
  );
});

test("webhooks go beside the code, and are refused without an outbox, at this worker's own hosts, and with what is for tests", () => {
  const WEBHOOKS = [{ name: "crm", url: "https://hooks.example.org/baton" }];
  const outbox = (changes = {}, vars = {}) => deployment(chosen({ vars: { ...chosen().vars, WEBHOOKS, ...vars }, ...changes }));
  assert.deepEqual(outbox().settings.WEBHOOKS, WEBHOOKS);
  const { durable_objects: objects } = wranglerConfig();
  const bindings = objects.bindings.filter(({ name }) => name !== "OUTBOX");
  assert.throws(() => outbox({ durable_objects: { ...objects, bindings } }), /WEBHOOKS are there, but no outbox: add/);
  assert.throws(() => outbox({ migrations: [{ tag: "v1", new_sqlite_classes: ["RoomObject"] }] }), /no migration makes the outbox/);
  assert.throws(
    () => outbox({ routes: [{ pattern: "hooks.example.org/*" }] }),
    /The webhook crm goes to hooks\.example\.org, which is a route of this worker/,
  );
  assert.throws(() => outbox({}, { WEBHOOK_STAND_IN: "http://127.0.0.1:1" }), /WEBHOOK_STAND_IN is for tests on this machine/);
});

test("a hundred rooms with logos: wrangler takes them, and the worker has them", { timeout: 180_000 }, async (t) => {
  const { config, settings } = deployment(chosen({}, hundred()));
  const it = await startPlatform(t, { vars: { ROOMS: undefined }, runtime: { settings } });
  assert.equal((await it.raw("/room-42/", { headers: { accept: "text/html" } })).headers["baton-state"], "waiting");
  assert.equal((await it.visitor({ url: `${it.baton.url}/room-99/`, room: "room-99" }).arrive("/room-99/")).state, "shop");
  assert.notEqual((await it.raw("/elsewhere/")).headers["baton-state"], "waiting");
  await ensureBuilt();
  const file = inRoot("build", "settings.js");
  const before = existsSync(file) ? readFileSync(file) : settingsModule({});
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-deploy-"));
  t.after(() => {
    writeFileSync(file, before);
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(file, settingsModule(settings));
  const whole = { ...config, main: inRoot(config.main), assets: { ...config.assets, directory: assetsDir } };
  writeFileSync(path.join(folder, "wrangler.json"), JSON.stringify(whole));
  const dry = spawnSync(
    npmProgram("wrangler"),
    ["deploy", "--dry-run", "--config", path.join(folder, "wrangler.json"), "--outdir", path.join(folder, "out")],
    { env: toolEnv({ WRANGLER_SEND_METRICS: "false", CI: "1" }), encoding: "utf8" },
  );
  assert.equal(dry.status, 0, dry.stdout + dry.stderr);
  assert.doesNotMatch(dry.stdout + dry.stderr, /WARNING/);
  assert.match(readFileSync(path.join(folder, "out", "entry.js"), "utf8"), /room-42/);
});
