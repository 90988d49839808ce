// Builds the ceilings' crate with Baton's own compiler flags into bench/ceilings/build/, and the hop's into bench/hop/build/. Skips what has not changed.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { compile } from "../scripts/build.mjs";
import { filesUnder, hashOf, inRoot } from "../scripts/common.mjs";

/** The folder of the ceilings' worker. */
export const ceilingsDir = inRoot("bench", "ceilings", "build");
/** The folder of the hop's worker. */
export const hopDir = inRoot("bench", "hop", "build");

/** Compiles the ceilings if their sources, or the cores that feed the real room, have changed. */
export const buildCeilings = () => buildBeside("ceilings", ceilingsDir);

/** Compiles the hop if its sources, or the cores that it is made of, have changed. */
export const buildHop = () => buildBeside("hop", hopDir);

async function buildBeside(name, dir) {
  const crate = inRoot("bench", name);
  const wasm = `${dir}/index_bg.wasm`;
  const stamp = `${dir}/built`;
  const sources = ["Cargo.toml", "Cargo.lock", "src", "main.js"].flatMap((file) => [`${crate}/${file}`, inRoot(file)]);
  const wanted = hashOf([...filesUnder(...sources), inRoot("scripts", "build.mjs")], [process.env.RUSTFLAGS ?? ""]);
  if (existsSync(wasm) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log(`build: the benchmarks' ${name}`);
  await compile({ cwd: crate, name, dir, main: `${crate}/main.js` });
  writeFileSync(stamp, wanted);
}
