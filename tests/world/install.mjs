// Packages of the world, each set of versions in a folder of its own below `.baton/world/`. What is there stays.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { filesUnder, findProgram, inRoot, must, output, run, toolEnv, UserError } from "../../scripts/common.mjs";

/** The environment of their commands: the project's own Node, no telemetry, and no browser that nobody asked for. */
export const withNode = {
  ...process.env,
  PATH: `${inRoot("node_modules", ".bin")}:${process.env.PATH}`,
  CI: "1",
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  ASTRO_TELEMETRY_DISABLED: "1",
};

const digest = (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);

/** Makes a folder for a set once, by `fill(folder)`. Resolves to it. */
export async function once(name, facts, fill) {
  const folder = inRoot(".baton", "world", `${name}-${digest(facts)}`);
  const done = path.join(folder, ".done");
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill(folder);
  writeFileSync(done, "");
  return folder;
}

const named = (packages, sign) => Object.entries(packages).map(([name, version]) => `${name}${sign}${version}`);

/**
 * Installs packages (`name → version`) and, if `app` names a folder, copies it there and runs `build`, a command of one of the packages.
 * Resolves to the folder.
 */
export async function installed(name, packages, { app, build } = {}) {
  const sources = app ? filesUnder(app).map((file) => readFileSync(file, "utf8")) : [];
  return once(name, [packages, build, sources], async (folder) => {
    console.log(`${name}: installing ${named(packages, "@").join(", ")}`);
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies: packages }));
    await must("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], { cwd: folder, env: withNode, quiet: true });
    if (app) cpSync(app, folder, { recursive: true });
    if (!build) return;
    console.log(`${name}: ${build.join(" ")}`);
    await must(path.join(folder, "node_modules", ".bin", build[0]), build.slice(1), { cwd: folder, env: withNode, quiet: true });
  });
}

/** Installs packages of PyPI (`name → version`) into an environment of their own. Resolves to the folder with its programs. */
export async function withPython(name, packages) {
  const folder = await once(name, packages, async (into) => {
    console.log(`${name}: installing ${named(packages, "==").join(", ")}`);
    await must("python3", ["-m", "venv", into], { quiet: true });
    await must(path.join(into, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", ...named(packages, "==")], { quiet: true });
  });
  return path.join(folder, "bin");
}

/** Compiles a program of one file with crates (`name → { version, features }`), without their defaults. Resolves to its path. */
export async function compiled(name, file, crates) {
  const dependencies = Object.entries(crates).map(
    ([crate, { version, features }]) => `${crate} = { version = "${version}", default-features = false, features = ${JSON.stringify(features)} }`,
  );
  const source = readFileSync(file, "utf8");
  const folder = await once(name, [dependencies, source], async (into) => {
    console.log(`${name}: compiling`);
    mkdirSync(path.join(into, "src"));
    writeFileSync(
      path.join(into, "Cargo.toml"),
      `[package]\nname = "hands"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[profile.dev]\ndebug = false\n[dependencies]\n${dependencies.join("\n")}\n`,
    );
    writeFileSync(path.join(into, "src", "main.rs"), source);
    await must("cargo", ["build", "--quiet"], { cwd: into, quiet: true, env: toolEnv({ CARGO_TARGET_DIR: path.join(into, "target") }) });
  });
  return path.join(folder, "target", "debug", "hands");
}

const upstreamOf = (version) =>
  version
    .trim()
    .replace(/^\d+:/, "")
    .replace(/-[^-]*$/, "")
    .replace(/[+~].*$/, "");

/** The version of a package of Debian without its epoch and Debian's own part, or undefined if it is not installed. */
function debianVersion(name) {
  const [state, version] = output("dpkg-query", ["-W", "-f=${db:Status-Abbrev}|${Version}", name])?.split("|") ?? [];
  return state?.startsWith("ii") ? upstreamOf(version) : undefined;
}

/** Returns the version of what an entry of a list installs: what its command says, or that of its first package. */
export function versionOf({ npm, pip, crates, debian, version }) {
  if (version) return /\d+\.\d+\S*/.exec(output(version[0], version.slice(1)))[0];
  const [pinned] = Object.values(pip ?? npm ?? crates ?? {});
  return pinned ? (pinned.version ?? pinned).replace("=", "") : debianVersion(debian[0]);
}

let isUpdated = false;

/** Installs those packages of Debian that are missing, if this is Debian and we may. Throws if some cannot be had. */
export async function withDebian(packages = []) {
  const missing = () => packages.filter((name) => debianVersion(name) === undefined);
  const refuse = () => {
    if (missing().length > 0) throw new UserError(`Debian's ${missing().join(", ")} cannot be had here`);
  };
  if (missing().length === 0 || process.getuid?.() !== 0 || !findProgram("apt-get")) return refuse();
  console.log(`installing ${missing().join(", ")}`);
  if (!isUpdated) await run("apt-get", ["update", "-qq"], { quiet: true });
  isUpdated = true;
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...missing()], {
    quiet: true,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return refuse();
}

/**
 * Fetches packages of Debian and what they need that is not installed, and unpacks them into a folder of their own, also for who may not install: none
 * of them starts a service. Resolves to the folder, with the version of the first in `version`.
 */
export async function unpacked(name, packages) {
  if (!findProgram("apt-get")) throw new UserError(`Debian's ${packages.join(", ")} cannot be had here`);
  const folder = await once(name, packages, async (into) => {
    console.log(`${name}: fetching ${packages.join(", ")}`);
    const fetched = path.join(into, "fetched");
    mkdirSync(path.join(fetched, "partial"), { recursive: true });
    const args = [
      "install",
      "-y",
      "-qq",
      "--no-install-recommends",
      "--reinstall",
      "--download-only",
      "-o",
      `Dir::Cache::archives=${fetched}`,
      "-o",
      "Debug::NoLocking=1",
      ...packages,
    ];
    const fetch = () => run("apt-get", args, { quiet: true });
    if ((await fetch()).code !== 0) {
      if (process.getuid?.() === 0) await run("apt-get", ["update", "-qq"], { quiet: true });
      const { code, text } = await fetch();
      if (code !== 0) throw new UserError(`Debian's ${packages.join(", ")} cannot be had here: ${text.trim().split("\n").at(-1)}`);
    }
    for (const file of readdirSync(fetched).filter((each) => each.endsWith(".deb")))
      await must("dpkg-deb", ["-x", path.join(fetched, file), into], { quiet: true });
  });
  const fetched = path.join(folder, "fetched");
  const first = readdirSync(fetched).find((file) => file.startsWith(`${packages[0]}_`));
  return { folder, version: upstreamOf(output("dpkg-deb", ["-f", path.join(fetched, first), "Version"])) };
}
