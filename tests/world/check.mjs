// `npm run check-world`: Baton between real clients and real servers, in the versions that tests/world/ names. It installs packages.
//
//   npm run check-world -- routers                   every router, prefetcher and service worker
//   npm run check-world -- routers htmx-2 next-app   only these
//   npm run check-world -- routers --docs            writes the table of docs/routers.md
//   npm run check-world -- routers --fixtures        writes down what each of them sends (tests/fixtures/clients.json)
//   npm run check-world -- figures                   what looks take, how long a click takes, what Workbox keeps
//   npm run check-world -- figures clicks workbox    only these; --docs writes the table of what Workbox keeps
//   npm run check-world -- clients [--docs]          clients without a browser, and the table of docs/apps.md
//   npm run check-world -- load [--docs]             load tools before a full room, and the table of docs/rehearsal.md
//   npm run check-world -- fronts [--docs]           proxies in front, by their blocks in docs/fronts.md, and its table
//   npm run check-world -- origins [--docs]          how servers read paths, what Baton makes of it, and the table of docs/readings.md
//   npm run check-world -- api [change …]            the API's document by Schemathesis: no 5xx, no answer outside its schema
//   npm run check-world -- shops [pretix]            shops that others wrote, by their pages in docs/stacks/, with buyers in browsers
//   npm run check-world -- faults                    disks, clocks, descriptors, processes: a crowd of fifty through each, and figures
//   npm run check-world -- faults disk-full --seed 7 only this one, with the same people
//
// Exit code 0: all is as a person would want it; 1: something is not; 2: wrong use.

import { parseArgs } from "node:util";
import { fail, UsageError } from "../../scripts/common.mjs";
import { prepare } from "../../scripts/setup.mjs";

const PARTS = {
  routers: "./routers/index.mjs",
  figures: "./routers/figures.mjs",
  clients: "./clients/index.mjs",
  load: "./load/index.mjs",
  fronts: "./fronts/index.mjs",
  origins: "./origins/index.mjs",
  api: "./api/index.mjs",
  faults: "../faults/index.mjs",
  shops: "./shops/index.mjs",
};

async function main() {
  const {
    values,
    positionals: [part, ...names],
  } = parseArgs({ allowPositionals: true, options: { docs: { type: "boolean" }, fixtures: { type: "boolean" }, seed: { type: "string" } } });
  if (!(part in PARTS)) throw new UsageError(`Say which part: ${Object.keys(PARTS).join(", ")}.`);
  await prepare({ forPages: ["routers", "figures"].includes(part) });
  const { check } = await import(PARTS[part]);
  const isFine = await check({ names, ...values });
  process.exit(isFine ? 0 : 1);
}

await main().catch(fail);
