// Writes crowds/: the shapes of crowds as traces that `rehearse` plays, and the page that says where each comes from.
//
//   node scripts/crowds.mjs           writes them
//   node scripts/crowds.mjs --check   changes nothing; exit code 1 if one of them is out of date

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { inRoot, UserError, fail } from "./common.mjs";
import { SHAPES, traceOf } from "./crowds/shapes.mjs";

const page = () => `# Crowds

Shapes of crowds, for rehearsals: what will the line do when people come like this?

    cargo run --release -p baton-tools --bin rehearse -- replay crowds/opening_rush.csv --permits 20

The same in front of a Baton that runs, ten times as fast, by real HTTP: \`npm start\`, then

    node demo/crowd.mjs --url http://localhost:8787/buy/ --permits 3 --trace crowds/opening_rush.csv --speed 10

They are drawn from their sources with a seed, not recorded; what no source says is marked as ours. Each lasts
ten minutes and is small enough to look at; for another size multiply \`permits\` and crowd alike.

## The format

A table with a header line, \`at_ms,event,visitor,stay_ms\`, rows in order of time.

| column | meaning |
|---|---|
| \`at_ms\` | when, in milliseconds from the trace's beginning |
| \`event\` | \`arrive\`: comes. Traces may also hold \`release\` and \`tick\` (\`rehearse --help\`) |
| \`visitor\` | who. Here names of people begin with p, of bots with b |
| \`stay_ms\` | with \`arrive\`: so long after going in the visitor gives the permit back. Empty or left out: not by itself |

## The shapes

| trace | what happens | where it comes from |
|---|---|---|
${Object.entries(SHAPES)
  .map(([name, { what, source }]) => `| [${name}](${name}.csv) | ${what} | ${source} |`)
  .join("\n")}

People stay 5 to 40 s once they are in, half of them less than 15 s: ours too.

Written by \`node scripts/crowds.mjs\`; do not edit by hand.
`;

/** Returns every file with its text. */
export const files = () => [["README.md", page()], ...Object.keys(SHAPES).map((name) => [`${name}.csv`, traceOf(name)])];

function main() {
  const stale = files().filter(([name, text]) => !existsSync(inRoot("crowds", name)) || readFileSync(inRoot("crowds", name), "utf8") !== text);
  if (process.argv.includes("--check")) {
    if (stale.length > 0) throw new UserError(`Out of date: ${stale.map(([name]) => `crowds/${name}`).join(", ")}. Run: node scripts/crowds.mjs`);
    return;
  }
  mkdirSync(inRoot("crowds"), { recursive: true });
  for (const [name, text] of stale) writeFileSync(inRoot("crowds", name), text);
  console.log(`crowds: ${stale.length} written, ${files().length - stale.length} as they were`);
}

if (process.argv[1]?.endsWith("crowds.mjs")) {
  try {
    main();
  } catch (error) {
    fail(error);
  }
}
