// `npm run release`: makes a folder that deploys on a machine without Rust, with `npx wrangler deploy`.
//
//   npm run release -- [--out DIR] [--check]
//
// It holds the worker and its assets as built, wrangler.toml, the commands for an operator (check-config, deploy, operator-token),
// the docs, a list of everything it is made of (sbom.cdx.json, CycloneDX) and SHA256SUMS; beside it lies the same as one archive. It is
// built from the last commit, in a clean folder, so what is not committed is not in it. The same commit, Rust and Node give the same
// bytes: --check builds it once more in another folder and compares. DIR is .baton/release by default.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { cargoBin, fail, filesUnder, inRoot, must, npmProgram, output, toolEnv, UserError } from "./common.mjs";
import { helpOf } from "./command.mjs";
import { prepare } from "./setup.mjs";

/** The commands of a release, and the script of each. */
const COMMANDS = { "check-config": "check_config.mjs", deploy: "deploy.mjs", "operator-token": "operator-token.mjs" };
/** The secrets of a deployment, and what Cloudflare's page says of each where somebody deploys by the link of a release. */
const SECRETS = {
  BATON_SECRET: "Signs passes and tickets. Make one: openssl rand -base64 48",
  ORIGIN_SECRET: "Proves to the shop that a request came through Baton. Make another: openssl rand -base64 48",
  BATON_ADMIN_TOKEN: "Opens the desk. 32 bytes or more: openssl rand -base64 48",
};
/** The files that a release takes as they are. */
const TAKEN = [
  "docs",
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "src/edge/entry.js",
  "src/edge/probe.js",
  "build/index.js",
  "build/index_bg.wasm",
  "build/settings.js",
  "build/assets",
];
/** The workspace's crates whose code ships. */
const SHIPPED = ["baton-edge", "baton-advice", "baton-report", "baton-check"];
/** In wrangler.toml the check replaces the build: `npx wrangler deploy` then refuses a wrong configuration, as `npm run deploy` does. */
const BUILD = /\[build\]\ncommand = "[^"]+"\nwatch_dir = \[[^\]]*\]\n/;
const CHECK = '# Refuses a configuration that is wrong. Everything is built.\n[build]\ncommand = "node tools/check-config.mjs"\n';

/** Unpacks everything of `commit` into `folder` and builds it there. */
async function builtIn(folder, commit) {
  mkdirSync(folder, { recursive: true });
  const archive = path.join(folder, "..", `${path.basename(folder)}.tar`);
  await must("git", ["archive", "--format=tar", "--output", archive, commit], { cwd: inRoot() });
  await must("tar", ["xf", archive, "-C", folder]);
  rmSync(archive);
  symlinkSync(path.resolve(inRoot("node_modules")), path.join(folder, "node_modules"));
  // The folders of the crates and of this build are private, and differ from machine to machine.
  const hidden = [
    [path.dirname(cargoBin), "/cargo"],
    [folder, "/baton"],
  ].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  const env = toolEnv({ CARGO_TARGET_DIR: path.join(folder, "target"), CARGO_ENCODED_RUSTFLAGS: hidden.join("\x1f"), BATON_PREPARED: "1" });
  await must(npmProgram("node"), ["scripts/build.mjs"], { cwd: folder, env });
  return folder;
}

/** Writes the release from what was built in `from` into `into`. */
export async function assemble({ from, into, version, atMs }) {
  rmSync(into, { recursive: true, force: true });
  for (const name of TAKEN) cpSync(path.join(from, name), path.join(into, name), { recursive: true });
  const config = readFileSync(path.join(from, "wrangler.toml"), "utf8");
  if (!BUILD.test(config)) throw new UserError("wrangler.toml has lost its [build], which a release replaces by the check.");
  writeFileSync(path.join(into, "wrangler.toml"), config.replace(BUILD, CHECK));
  await bundleCommands({ from, into });
  writeFileSync(path.join(into, "package.json"), `${JSON.stringify(manifest(from, version), null, 2)}\n`);
  // Cloudflare asks for these when somebody deploys by link.
  writeFileSync(
    path.join(into, ".dev.vars.example"),
    Object.keys(SECRETS)
      .map((name) => `${name}=\n`)
      .join(""),
  );
  writeFileSync(path.join(into, "sbom.cdx.json"), `${JSON.stringify(await contents({ from, version, atMs }), null, 2)}\n`);
  writeFileSync(path.join(into, "SHA256SUMS"), sumsOf(into));
}

/** Returns the list of what it is made of (release/sbom.mjs). */
async function contents({ from, version, atMs }) {
  const { inTree, sbomOf } = await import("./release/sbom.mjs");
  const read = (name) => readFileSync(path.join(from, name), "utf8");
  const cargo = (...args) => output("cargo", [...args, "--locked"], { cwd: from, env: toolEnv(), maxBuffer: 64 * 1024 * 1024 });
  const metadata = JSON.parse(cargo("metadata", "--format-version", "1"));
  const trees = SHIPPED.map((name) =>
    cargo("tree", "--package", name, "--target", "wasm32-unknown-unknown", "--edges", "normal,no-proc-macro", "--prefix", "none"),
  );
  return sbomOf({
    version,
    atMs,
    metadata,
    lock: read("Cargo.lock"),
    packageLock: JSON.parse(read("package-lock.json")),
    ships: inTree(trees.join("\n")),
  });
}

/** Writes each command as one file, with what it imports, and with its help at its head. */
async function bundleCommands({ from, into }) {
  const { build } = await import("esbuild");
  const tools = path.join(into, "tools");
  mkdirSync(tools, { recursive: true });
  cpSync(path.join(from, ".baton", "check", "check_bg.wasm"), path.join(tools, "check.wasm"));
  const built = path.join(from, "scripts", "release", "built.mjs");
  const redirect = { name: "built", setup: ({ onResolve }) => onResolve({ filter: /\/(build|setup)\.mjs$/ }, () => ({ path: built })) };
  for (const [name, script] of Object.entries({ ...COMMANDS, command: "command.mjs" })) {
    const entry = path.join(from, "scripts", script);
    const help = helpOf(readFileSync(entry, "utf8"))
      .split("\n")
      .map((line) => `// ${line}`.trimEnd())
      .join("\n");
    await build({
      entryPoints: [entry],
      outfile: path.join(tools, `${name}.mjs`),
      absWorkingDir: from,
      plugins: [redirect],
      alias: { "baton-check": path.join(from, ".baton", "check", "check.js") },
      bundle: true,
      preserveSymlinks: true,
      platform: "node",
      format: "esm",
      target: "node20",
      charset: "utf8",
      legalComments: "none",
      banner: { js: `${help}\n` },
      logLevel: "warning",
    });
  }
}

/** Returns the package.json that npm and a deploy button ask for. */
function manifest(from, version) {
  const {
    license,
    engines,
    devDependencies: { wrangler },
  } = JSON.parse(readFileSync(path.join(from, "package.json"), "utf8"));
  const scripts = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, `node --import ./tools/command.mjs tools/${name}.mjs`]));
  const bindings = Object.fromEntries(Object.entries(SECRETS).map(([name, description]) => [name, { description }]));
  return {
    name: "baton",
    private: true,
    version,
    license,
    type: "module",
    engines,
    scripts,
    devDependencies: { wrangler },
    cloudflare: { bindings },
  };
}

/** Returns the sums as `sha256sum -c SHA256SUMS` reads them. */
export function sumsOf(folder) {
  const names = filesUnder(folder)
    .map((file) => path.relative(folder, file))
    .filter((name) => name !== "SHA256SUMS")
    .sort();
  return names
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(path.join(folder, name)))
          .digest("hex")}  ${name}\n`,
    )
    .join("");
}

/** Writes the folder as one archive. The same folder gives the same bytes. */
async function archived(folder, atMs) {
  const file = `${folder}.tar.gz`;
  const plain = ["--sort=name", `--mtime=@${Math.floor(atMs / 1000)}`, "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  await must("tar", [...plain, "--use-compress-program=gzip -9n", "-cf", file, "-C", path.dirname(folder), path.basename(folder)]);
  return file;
}

async function main() {
  const {
    values: { out = inRoot(".baton", "release"), check = false },
  } = parseArgs({ options: { out: { type: "string" }, check: { type: "boolean" } } });
  await prepare();
  const { version } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  // Asked once: somebody may commit while it builds.
  const [commit, atS] = output("git", ["log", "-1", "--format=%H %ct"], { cwd: inRoot() })?.split(" ") ?? [];
  const atMs = Number(atS) * 1000;
  if (!(atMs > 0)) throw new UserError("A release is made of a commit, and here is none. Run it in a clone of the repository.");
  const folder = path.join(path.resolve(out), `baton-${version}`);
  const work = mkdtempSync(path.join(os.tmpdir(), "baton-release-"));
  try {
    const made = async (name, into) => assemble({ from: await builtIn(path.join(work, name), commit), into, version, atMs });
    await made("one", folder);
    if (check) {
      const again = path.join(work, "again");
      await made("another-folder", again);
      compare(folder, again);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const archive = await archived(folder, atMs);
  console.log(
    `release: ${folder} and ${archive}\n  sha256 ${createHash("sha256").update(readFileSync(archive)).digest("hex")}\n  try it: cd ${folder} && npx wrangler deploy --dry-run`,
  );
}

/** Throws with the names of the files that differ. */
export function compare(one, other) {
  const [a, b] = [one, other].map((folder) => new Set(sumsOf(folder).split("\n")));
  const differ = [...a, ...b].filter((line) => !(a.has(line) && b.has(line))).map((line) => line.split("  ")[1]);
  if (differ.length > 0) throw new UserError(`Two builds of one commit differ: ${[...new Set(differ)].sort().join(", ")}.`);
  console.log(`release: two builds in different folders are the same, ${a.size - 1} files`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main().catch(fail);
