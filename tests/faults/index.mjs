// `npm run check-world -- faults`: each fault with a crowd of its own, and the figures.

import { compilePrograms } from "../../scripts/programs.mjs";
import { UsageError } from "../../scripts/common.mjs";
import { crowdThrough, replayOf } from "./crowd.mjs";
import { FAULTS, faultOf, impossible } from "./faults.mjs";
import { FIGURES } from "./figures.mjs";

const lineOf = (cells) => `  ${cells.map((cell, i) => String(cell).padEnd([14, 10, 44][i] ?? 0)).join("")}`;

/** Sends a crowd through a fault. Resolves to whether all laws held. */
async function isHeld(name, seed) {
  const why = impossible(faultOf(name));
  if (why) {
    console.log(lineOf([name, "-", why]));
    return true;
  }
  const { broken, forgiven, figures, text } = await crowdThrough({ name, seed });
  const { served = 0 } = figures.ends ?? {};
  const said = `${figures.visitors} came, ${served} served, most inside ${figures.most_inside}`;
  console.log(
    lineOf([name, broken.length > 0 ? "broken" : "held", forgiven.length > 0 ? `${said}; ${forgiven.length} told something untrue` : said]),
  );
  if (broken.length > 0) console.log(`${text}\n`);
  return broken.length === 0;
}

async function isWithin({ what, measure, most = Infinity, least = -Infinity, unit }) {
  const seen = await measure().catch((error) => error);
  if (seen instanceof Error) {
    console.log(`  ${what}: ${seen.message}`);
    return false;
  }
  const may = most < Infinity ? `at most ${most}` : least > -Infinity ? `at least ${least}` : "not judged";
  console.log(`  ${what}: ${Math.round(seen * 100) / 100} ${unit} (${may})`);
  return seen <= most && seen >= least;
}

/** Checks. Without names all faults, and the figures; `figures` alone is a name too. Resolves to whether all is well. */
export async function check({ names, seed: given }) {
  const unknown = names.filter((name) => name !== "figures" && !faultOf(name));
  if (unknown.length > 0)
    throw new UsageError(`There is no fault ${unknown.join(", ")}. There are ${Object.keys(FAULTS).join(", ")}, short, figures.`);
  await compilePrograms("audit");
  const seed = Number(given ?? Date.now() % 1_000_000);
  const asked = names.length > 0 ? names : [...Object.keys(FAULTS), "figures"];
  let isFine = true;
  for (const name of asked.filter((each) => each !== "figures")) {
    console.log(`\n${replayOf({ name, seed })}`);
    isFine = (await isHeld(name, seed)) && isFine;
  }
  if (asked.includes("figures")) {
    console.log("\nfigures");
    for (const figure of FIGURES) isFine = (await isWithin(figure)) && isFine;
  }
  return isFine;
}
