// Builds the ceilings' crate with Baton's own compiler flags into bench/ceilings/build/, unless nothing has changed.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { compile } from "../scripts/build.mjs";
import { filesUnder, hashOf, inRoot } from "../scripts/common.mjs";

/** The folder of the ceilings' worker. */
export const ceilingsDir = inRoot("bench", "ceilings", "build");

/** Compiles the ceilings if their sources, or the cores that feed the real room, have changed. */
export async function buildCeilings() {
  const crate = inRoot("bench", "ceilings");
  const wasm = `${ceilingsDir}/index_bg.wasm`;
  const stamp = `${ceilingsDir}/built`;
  const sources = ["Cargo.toml", "Cargo.lock", "src", "main.js"].flatMap((file) => [`${crate}/${file}`, inRoot(file)]);
  const wanted = hashOf([...filesUnder(...sources), inRoot("scripts", "build.mjs")], [process.env.RUSTFLAGS ?? ""]);
  if (existsSync(wasm) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log("build: the benchmarks' ceilings");
  await compile({ cwd: crate, name: "ceilings", dir: ceilingsDir, main: `${crate}/main.js` });
  writeFileSync(stamp, wanted);
}
