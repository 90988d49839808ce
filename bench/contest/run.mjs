// `npm run bench -- --only peers`: Baton and what people would build or pick in its place, one after the other, before the same crowd. Fetches the
// peers' servers first (install.mjs). Writes bench/peers.json, the tables of docs/comparison.md and docs/images/peers.svg. Everything stays on 127.0.0.1.

import { readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "../../scripts/common.mjs";
import { Stage } from "../lib/stage.mjs";
import { asMarkdown, asText, between } from "../lib/table.mjs";
import { drawTold } from "../plot.mjs";
import { contenders } from "./contenders.mjs";
import { install, versions } from "./install.mjs";
import { heldUp, points, seconds, table, verdicts } from "./page.mjs";
import { crowd, gone, hand, line, SCENES } from "./scenes.mjs";

const resultsFile = inRoot("bench", "peers.json");
const docsFile = inRoot("docs", "comparison.md");
const PICTURE = "![The time from a release until the next one is told, p50 to p99](images/peers.svg)";
/** @type {Record<string, (running: object, options: object) => Promise<object>>} */
const PLAYED = { line, hand, gone, crowd };

/** Plays every scene before one contender. */
async function play(contender, options) {
  const { name, what, second, told, limit } = contender;
  const stage = new Stage(options);
  const figures = { name, what, second, told, limit };
  try {
    const running = await contender.start(stage, Object.values(SCENES));
    for (const [scene, played] of Object.entries(PLAYED)) {
      process.stderr.write(`peers, ${name}: ${scene}\n`);
      figures[scene] = await played(running, { ...options, told });
    }
    return figures;
  } catch (error) {
    // A peer that fails is a result; Baton's failure is an error.
    if (name === "baton") throw error;
    console.error(error);
    return { ...figures, failed: String(error.message).split("\n")[0].slice(0, 100) };
  } finally {
    await stage.end();
  }
}

/** Runs all contenders. `about` says on which machine, in a sentence. */
export async function runPeers(options, about) {
  await install();
  const results = { at: new Date().toISOString(), about, options: { people: options.people, pairs: options.pairs }, versions: versions(), found: [] };
  const { found } = results;
  for (const contender of contenders) {
    found.push(await play(contender, options));
    writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  }
  publish(results);
  console.log(
    `\n${table(found)}\n\n${asText(verdicts(found))}\n\n${seconds(found)}\n\n${about}\n${versionsOf(results)}. ${heldUp(found)}\nWritten to bench/peers.json, docs/comparison.md and docs/images/peers.svg.`,
  );
}

const versionsOf = (results) =>
  Object.entries(results.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");

/** Writes the page's tables and the picture. */
export function publish(results) {
  const { found, about } = results;
  const parts = {
    peers: `${PICTURE}\n\n${table(found)}`,
    targets: asMarkdown(verdicts(found)),
    machine: `${about} ${versionsOf(results)}. ${heldUp(found)}`,
    second: seconds(found),
  };
  writeFileSync(
    docsFile,
    Object.entries(parts).reduce((text, [name, part]) => between(text, name, part), readFileSync(docsFile, "utf8")),
  );
  drawTold(points(found));
}
