// `npm run check-world -- api`: the API's document before a whole Baton, by Schemathesis: whatever it asks, well or badly formed, is answered as the
// document says, and never with a 5xx. Further words name operations (`change`, `hour`); `--seed` repeats a run.

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "../../../scripts/build.mjs";
import { inRoot, run } from "../../../scripts/common.mjs";
import { startRuntime } from "../../../scripts/runtime.mjs";
import { withPython } from "../install.mjs";

const PACKAGES = { schemathesis: "4.32.5" };
const TOKEN = "an operator's token for the world, which nobody guesses";
const ROOM = { paths: ["/buy/*"], permits: 2, tick_ms: 200, entry: "optional" };
/** Whether an answer is what the document says. That each value that fits is taken, no JSON Schema can say. */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];
/** A socket's upgrade is no request of Schemathesis'. */
const LEFT_OUT = ["socket"];
/** How many requests each operation gets. */
const EXAMPLES = 20;

/** Plays. Resolves to whether no answer was outside the document. */
export async function check({ names, seed }) {
  if (!process.env.BATON_AS_BUILT) await build({});
  const bin = await withPython("api", PACKAGES);
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-api-"));
  const vars = {
    ROOMS: { onsale: ROOM },
    GROUNDS: { paths: ["/house/*"] },
    WEBHOOKS: [{ name: "crm", url: "https://hooks.example.net/baton" }],
    BATON_SECRET: "a secret of the world's that is long enough",
    BATON_ADMIN_TOKEN: TOKEN,
    ORIGIN: "http://127.0.0.1:9",
  };
  const baton = await startRuntime({ vars });
  try {
    const args = [
      "run",
      inRoot("docs", "openapi.json"),
      "--url",
      baton.url,
      "--header",
      `Authorization: Bearer ${TOKEN}`,
      "--checks",
      CHECKS.join(","),
      "--phases",
      "fuzzing",
      "--max-examples",
      String(EXAMPLES),
      "--max-redirects",
      "0",
      "--request-timeout",
      "60",
      "--suppress-health-check",
      "all",
      "--warnings",
      "off",
      "--no-color",
      "--continue-on-failure",
      ...LEFT_OUT.flatMap((name) => ["--exclude-operation-id", name]),
      ...names.flatMap((name) => ["--include-operation-id", name]),
      ...(seed ? ["--seed", seed] : []),
    ];
    const { code, text } = await run(path.join(bin, "schemathesis"), args, { quiet: true, cwd: folder });
    console.log(text);
    return code === 0;
  } finally {
    await baton.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
