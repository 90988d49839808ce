// Packages of the world, each set of versions in a folder of its own below `.baton/world/`. What is there stays.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { filesUnder, inRoot, must } from "../../scripts/common.mjs";

/** The environment of their commands: the project's own Node, and no telemetry. */
export const withNode = { ...process.env, PATH: `${inRoot("node_modules", ".bin")}:${process.env.PATH}`, CI: "1", NEXT_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1" };

const digest = (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 12);

/**
 * Installs packages (`name → version`) and, if `app` names a folder, copies it there and runs `build`, a command of one of the packages.
 * Resolves to the folder.
 */
export async function installed(name, packages, { app, build } = {}) {
  const sources = app ? filesUnder(app).map((file) => readFileSync(file, "utf8")) : [];
  const folder = inRoot(".baton", "world", `${name}-${digest([packages, build, sources])}`);
  const done = path.join(folder, ".done");
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  console.log(`${name}: installing ${Object.entries(packages).map(([each, version]) => `${each}@${version}`).join(", ")}`);
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies: packages }));
  await must("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], { cwd: folder, env: withNode, quiet: true });
  if (app) cpSync(app, folder, { recursive: true });
  if (build) {
    console.log(`${name}: ${build.join(" ")}`);
    await must(path.join(folder, "node_modules", ".bin", build[0]), build.slice(1), { cwd: folder, env: withNode, quiet: true });
  }
  writeFileSync(done, "");
  return folder;
}
