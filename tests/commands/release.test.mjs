// `npm run release`: what is in the folder, and that it deploys and checks on a machine without Rust.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { before, after, test } from "node:test";
import { build } from "../../scripts/build.mjs";
import { filesUnder, inRoot } from "../../scripts/common.mjs";
import { assemble, compare, sumsOf } from "../../scripts/release.mjs";
import { inTree, sbomOf } from "../../scripts/release/sbom.mjs";

const AT_MS = Date.parse("2026-12-01T00:00:00Z");
const work = mkdtempSync(path.join(os.tmpdir(), "baton-release-test-"));
const folder = path.join(work, "baton-0.1.0");

before(async () => {
  await build();
  await assemble({ from: inRoot(), into: folder, version: "0.1.0", atMs: AT_MS });
  symlinkSync(inRoot("node_modules"), path.join(folder, "node_modules"));
  // A machine without Rust: nothing is on the PATH but Node and the system's own shell.
  mkdirSync(path.join(work, "bin"));
  symlinkSync(inRoot("node_modules", ".bin", "node"), path.join(work, "bin", "node"));
  symlinkSync("/bin/sh", path.join(work, "bin", "sh"));
});
after(() => rmSync(work, { recursive: true, force: true }));

/** Runs a program in the folder with no cargo in reach. */
function here(program, args, more = {}) {
  const env = { PATH: path.join(work, "bin"), HOME: work, WRANGLER_SEND_METRICS: "false", CI: "1", ...more };
  assert.notEqual(spawnSync("cargo", ["--version"], { env }).error, undefined, "there is no cargo");
  return spawnSync(program, args, { cwd: folder, env, encoding: "utf8", timeout: 180_000 });
}
const wrangler = (...args) => here(inRoot("node_modules", ".bin", "node"), [inRoot("node_modules", "wrangler", "bin", "wrangler.js"), ...args]);
const command = (name, ...args) =>
  here(inRoot("node_modules", ".bin", "node"), ["--import", "./tools/command.mjs", `tools/${name}.mjs`, ...args], { npm_lifecycle_event: name });

/** Changes wrangler.toml while `during` runs. */
function withConfig(change, during) {
  const file = path.join(folder, "wrangler.toml");
  const whole = readFileSync(file, "utf8");
  const changed = change(whole);
  assert.notEqual(changed, whole, "something is changed");
  writeFileSync(file, changed);
  try {
    return during();
  } finally {
    writeFileSync(file, whole);
  }
}

test("wrangler deploys the folder without Rust, with the check for a build", () => {
  const { status, stdout, stderr } = wrangler("deploy", "--dry-run", "--outdir", path.join(work, "dry"));
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /configuration fine: onsale/);
  assert.ok(
    readdirSync(path.join(work, "dry")).some((name) => name.endsWith("index_bg.wasm")),
    "the module is part of what is sent",
  );
});

test("a deploy by link asks for the secrets without which nothing starts, and says how to make each", () => {
  const asked = readFileSync(path.join(folder, ".dev.vars.example"), "utf8")
    .trim()
    .split("=\n")
    .map((line) => line.replace(/=$/, ""));
  const { bindings } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")).cloudflare;
  assert.deepEqual(asked, Object.keys(bindings));
  const put = readFileSync(inRoot("README.md"), "utf8").match(/\*\*Set the secrets\*\*[^]*?\n\d/)[0];
  assert.deepEqual(asked.sort(), put.match(/[A-Z]+(?:_[A-Z]+)+/g).sort());
  for (const { description } of Object.values(bindings)) assert.match(description, /openssl rand -base64 48/);
});

test("wrangler refuses to deploy what is wrong", () => {
  const { status, stdout, stderr } = withConfig(
    (text) => text.replace("permits = 200", "permits = -1"),
    () => wrangler("deploy", "--dry-run"),
  );
  assert.notEqual(status, 0);
  assert.match(stdout + stderr, /ROOMS\.onsale\.permits/);
});

test("its commands answer, check and deploy without Rust", () => {
  for (const name of ["check-config", "deploy", "operator-token"]) {
    const { status, stdout, stderr } = command(name, "--help");
    assert.equal(status, 0, stderr);
    assert.ok(stdout.includes(`npm run ${name}`), stdout);
    assert.doesNotMatch(stdout, /import|scripts\//, "the head of the command, and nothing of its code");
  }
  const fine = command("check-config", "--explain", "GET", "/buy/1");
  assert.deepEqual([fine.status, fine.stderr], [0, ""]);
  assert.match(fine.stdout, /GET https:\/\/localhost\/buy\/1: room onsale/);
  const wrong = withConfig(
    (text) => text.replace("permits = 200", "permits = -1"),
    () => command("check-config"),
  );
  assert.deepEqual([wrong.status, /ROOMS\.onsale\.permits/.test(wrong.stdout)], [1, true]);
  const unchosen = command("deploy", "--dry-run");
  assert.equal(unchosen.status, 1);
  assert.match(unchosen.stderr, /ROOMS\.onsale\.location is not chosen/);
  assert.doesNotMatch(unchosen.stderr, /\n {4}at /, "no stack");
  const deployed = withConfig(
    (text) => text.replace(/^# location = "apac" (?=.*deploy wants it)/m, 'location = "apac" '),
    () => command("deploy", "--dry-run"),
  );
  assert.equal(deployed.status, 0, deployed.stdout + deployed.stderr);
  assert.match(deployed.stdout, /deploy: Nothing was deployed/);
  assert.equal(readFileSync(path.join(folder, "build", "settings.js"), "utf8"), "export default {};\n", "and the rooms are the file's again");
});

test("the sums are those of every file, and two releases of one build are the same", async () => {
  const fresh = path.join(work, "again");
  await assemble({ from: inRoot(), into: fresh, version: "0.1.0", atMs: AT_MS });
  const sums = readFileSync(path.join(fresh, "SHA256SUMS"), "utf8");
  assert.equal(sumsOf(fresh), sums);
  assert.equal(sums.trimEnd().split("\n").length, filesUnder(fresh).length - 1);
  const other = path.join(work, "other");
  cpSync(fresh, other, { recursive: true });
  compare(fresh, other);
  writeFileSync(path.join(other, "build", "index.js"), "// another\n");
  assert.throws(() => compare(fresh, other), /differ: build\/index\.js\./);
});

test("nothing in it names the folder that it was built in", async () => {
  for (const file of filesUnder(path.join(folder, "tools"), path.join(folder, "src"), path.join(folder, "build", "index.js"))) {
    assert.ok(!readFileSync(file, "latin1").includes(inRoot()), file);
  }
});

test("the list of what it is made of: what ships is required, what only built it is not, each with its hash", () => {
  const sbom = JSON.parse(readFileSync(path.join(folder, "sbom.cdx.json"), "utf8"));
  assert.deepEqual([sbom.bomFormat, sbom.specVersion, sbom.metadata.timestamp], ["CycloneDX", "1.6", "2026-12-01T00:00:00.000Z"]);
  const scope = (purl) => sbom.components.find((each) => each.purl.startsWith(purl))?.scope;
  assert.deepEqual(
    ["pkg:cargo/worker@", "pkg:cargo/serde_json@", "pkg:npm/uqr@", "pkg:npm/smol-toml@", "pkg:npm/tldts-core@"].map(scope),
    Array(5).fill("required"),
  );
  assert.deepEqual(["pkg:cargo/clap@", "pkg:cargo/proptest@", "pkg:npm/wrangler@", "pkg:npm/esbuild@"].map(scope), [
    "excluded",
    undefined,
    "excluded",
    "excluded",
  ]);
  const refs = sbom.components.map((each) => each["bom-ref"]);
  assert.deepEqual(refs, [...new Set(refs)].sort());
  // npm knows no hash of what another platform would install.
  for (const each of sbom.components.filter(({ scope: of }) => of === "required")) assert.equal(each.hashes.length, 1, each.purl);
});

test("a crate is required when it is in the tree of what ships, in that version", () => {
  const ships = inTree("baton-edge v0.1.0 (/x/src/edge)\nused v1.0.0\nhmac v0.13.0 (*)\n");
  assert.deepEqual([...ships], ["baton-edge 0.1.0", "used 1.0.0", "hmac 0.13.0"]);
  const crate = (name, version) => ({ id: `${name} ${version}`, name, version, license: "MIT/Apache-2.0" });
  const metadata = {
    workspace_members: ["own 1.0.0"],
    packages: [crate("own", "1.0.0"), crate("used", "1.0.0"), crate("used", "2.0.0"), crate("tried", "1.0.0")],
  };
  const lock = `[[package]]\nname = "used"\nversion = "1.0.0"\nsource = "registry"\nchecksum = "${"a".repeat(64)}"\n`;
  const { components } = sbomOf({ version: "1.0.0", atMs: AT_MS, metadata, lock, packageLock: { packages: {} }, ships });
  assert.deepEqual(
    components.map(({ name, version, scope, hashes }) => [name, version, scope, hashes.length]),
    [
      ["tried", "1.0.0", "excluded", 0],
      ["used", "1.0.0", "required", 1],
      ["used", "2.0.0", "excluded", 0],
    ],
  );
  assert.deepEqual(components[0].licenses, [{ expression: "MIT OR Apache-2.0" }]);
});
