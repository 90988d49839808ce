// An older build of Baton, to run beside this one: unpacked from git, built by its own scripts with the packages of this one, so that both run on one
// runtime, and started by its own stage.

import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inRoot, must, output, UsageError } from "../../scripts/common.mjs";

/** What an older build runs to build its worker, and what feeds its rooms. */
const BUILD = `
  await (await import("./scripts/build.mjs")).build();
  await (await import("./bench/build.mjs")).buildCeilings();
`;

/**
 * Builds a commit into target/older/ unless it stands there, and resolves to a stage that starts it: what `stage.mjs` of that commit exports.
 * @param {string} commit whatever git takes for one
 * @param {object} options of this run
 * @throws {UsageError} where git does not have the commit, or it has no stage
 */
export async function olderStage(commit, options) {
  const id = output("git", ["rev-parse", "--verify", "--quiet", `${commit}^{commit}`], { cwd: inRoot() })?.trim();
  if (!id) throw new UsageError(`--older ${commit}: git has no such commit here. A shallow clone has few: git fetch --unshallow.`);
  const folder = inRoot("target", "older", id.slice(0, 12));
  const stage = path.join(folder, "bench", "lib", "stage.mjs");
  if (!existsSync(stage)) await unpack(id, folder);
  if (!existsSync(stage)) throw new UsageError(`--older ${commit}: that commit has no bench/lib/stage.mjs, so nothing starts it.`);
  await must(process.execPath, ["--input-type=module", "-e", BUILD], { cwd: folder });
  const { Stage } = await import(pathToFileURL(stage).href);
  return new Stage(options);
}

async function unpack(id, folder) {
  mkdirSync(folder, { recursive: true });
  const archive = path.join(folder, "older.tar");
  await must("git", ["archive", "--output", archive, id], { cwd: inRoot() });
  await must("tar", ["-xf", archive], { cwd: folder });
  rmSync(archive);
  symlinkSync(inRoot("node_modules"), path.join(folder, "node_modules"), "junction");
}
