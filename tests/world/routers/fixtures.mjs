// What each client sends to gated paths, for native tests to replay: tests/fixtures/clients.json.

import { readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "../../../scripts/common.mjs";

/** The headers by which the gate tells what a request wants; ids in them are of no matter. */
const TELLING =
  /^(accept|upgrade|purpose|x-purpose|x-sec-purpose|x-moz|sec-(purpose|fetch-.*)|hx-(boosted|request|request-type|preloaded)|next-(action|router-prefetch|router-segment-prefetch)|rsc|vnd\.prefetch|x-inertia|x-inertia-partial-component|x-requested-with|x-turbo-request-id|x-up-version|turbo-frame)$/;
const IDS = new Set(["x-turbo-request-id", "next-action"]);
/** What nobody has asked for in these questions may take nothing. */
const LOOKS = new Set(["home page looked at", "hover", "thank-you page in view"]);

const keyOf = ({ client, method, path, asked, headers }) => JSON.stringify([client, method, headers, asked, path]);
const isGated = (path) => /^\/(buy|_next\/data)/.test(path);

const FILE = inRoot("tests", "fixtures", "clients.json");

/**
 * Writes each kind of request once, in a fixed order. `asked` is false where no person asked for it. What was written of clients that are not among
 * `names` stays.
 */
export function writeFixtures(sent, names) {
  const kinds = new Map();
  for (const { client, question, method, path, headers } of sent.filter((request) => isGated(request.path))) {
    const told = Object.entries(headers)
      .filter(([name]) => TELLING.test(name))
      .map(([name, value]) => [name, IDS.has(name) ? "id" : value]);
    // A question about the thank-you page begins with a visit, and ends with a click.
    const asked = !LOOKS.has(question) || (question === "thank-you page in view" && headers["sec-fetch-mode"] === "navigate");
    if (question === "thank-you page in view" && !asked) continue;
    const kind = {
      client,
      method,
      path: path.split("?")[0].replace(/^\/_next\/data\/[^/]+/, "/_next/data/build"),
      asked,
      headers: Object.fromEntries(told.sort()),
    };
    kinds.set(keyOf(kind), kind);
  }
  for (const kind of JSON.parse(readFileSync(FILE, "utf8")).filter(({ client }) => !names.includes(client))) kinds.set(keyOf(kind), kind);
  const rows = [...kinds.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { client, method, path, asked, headers }]) => JSON.stringify({ client, method, path, asked, headers }));
  writeFileSync(FILE, `[\n${rows.join(",\n")}\n]\n`);
}
