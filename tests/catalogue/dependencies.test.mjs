// The supply chain: every direct dependency has its reason in docs/dependencies.md and no other is there; licences, sources
// and bans are those of deny.toml.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "smol-toml";
import { cargoBin, findProgram, inRoot, run, toolEnv } from "../../scripts/common.mjs";

const read = (name) => readFileSync(inRoot(name), "utf8");

/** Names of dependencies in a manifest, target tables included. */
function cratesOf(manifest) {
  const tables = [manifest, ...Object.values(manifest.target ?? {})];
  return tables.flatMap((table) => ["dependencies", "dev-dependencies", "build-dependencies"].flatMap((kind) => Object.keys(table[kind] ?? {})));
}

test("every direct dependency has its reason in docs/dependencies.md, and no other is there", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  assert.equal(dependencies, undefined, "no package ships");
  const { workspace } = parse(read("Cargo.toml"));
  const manifests = ["Cargo.toml", ...workspace.members.map((member) => `${member}/Cargo.toml`)].map((manifest) => parse(read(manifest)));
  const keys = Object.keys(workspace.dependencies).filter((key) => workspace.dependencies[key].path);
  const own = [...keys, ...manifests.map((manifest) => manifest.package.name)];
  const crates = manifests.flatMap(cratesOf).filter((name) => !own.includes(name));
  const used = [...new Set([...crates, ...Object.keys(devDependencies)])].sort();
  const reasons = [...read("docs/dependencies.md").matchAll(/^\| `([^`\s]+)` \| (.+) \|$/gm)];
  assert.deepEqual(reasons.map(([, name]) => name).sort(), used);
  for (const [, name, why] of reasons) assert.ok(why.length > 10, `${name}: why?`);
});

test("who writes the JavaScript around a module has the version of who compiled it: the two share a private format", () => {
  const { package: locked } = parse(read("Cargo.lock"));
  const versions = ["wasm-bindgen", "wasm-bindgen-cli-support", "wasm-bindgen-shared"].map((name) =>
    locked.filter((each) => each.name === name).map(({ version }) => version),
  );
  assert.deepEqual(versions, Array(3).fill(versions[0]));
  assert.equal(versions[0].length, 1, "one of each");
});

test("packages are fixed to the digit, and their locks are there", () => {
  for (const [name, version] of Object.entries(JSON.parse(read("package.json")).devDependencies)) assert.match(version, /^\d+\.\d+\.\d+$/, name);
  assert.match(read("Cargo.lock"), /name = "worker"/);
  for (const [name, { resolved, integrity, link }] of Object.entries(JSON.parse(read("package-lock.json")).packages)) {
    if (name !== "" && !link && resolved) assert.ok(integrity?.startsWith("sha512-"), `${name} has a hash`);
  }
});

test("what ships takes nothing from elsewhere: no import of a package in the page or beside the worker", () => {
  const ours = ["web/main.js", "web/connection.js", "web/keep.js", "src/edge/entry.js", "src/edge/front/headers.js"];
  for (const file of ours) {
    for (const [, from] of read(file).matchAll(/^\s*(?:import|export)\b.*?from\s+["']([^"']+)["']/gm)) {
      assert.ok(/^(\.|cloudflare:)/.test(from), `${file} imports ${from}`);
    }
  }
});

const deny = findProgram("cargo-deny", [cargoBin]);
test("licences, sources and bans are those of deny.toml", { skip: !deny && "cargo-deny is not installed: cargo install cargo-deny" }, async () => {
  const { code, text } = await run(deny, ["--offline", "check", "bans", "licenses", "sources"], { quiet: true, env: toolEnv() });
  assert.equal(code, 0, text.slice(-3_000));
});
