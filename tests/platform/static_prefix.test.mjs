// Static files off the route, as docs/deploying.md has it: what a route without a worker lets past reaches an nginx that asks for the
// proof everywhere but below that prefix. Nothing that it resolves to elsewhere is served.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { readFileSync } from "node:fs";
import { raw } from "../runtime/support/world.mjs";
import { nginx, python, startAuthRequest } from "../origin/origins.mjs";

const HOST = "tickets.example.com";
const missing = nginx && python ? false : "nginx or python3 is not installed";

/** The location of the docs, beside the one that asks for the proof. */
const withPrefix = (config) =>
  config.replace(
    "    location / {",
    `    location /assets/ {
        proxy_pass http://127.0.0.1:9001;
        proxy_set_header Host $host;
    }

    location / {`,
  );

/** Each begins as the route does, so Cloudflare hands it to the origin without asking Baton. */
const AROUND = [
  "/assets/../buy/",
  "/assets/%2e%2e/buy/",
  "/assets/%2E%2e/buy/",
  "/assets/..%2fbuy/",
  "/assets/..%2Fbuy/",
  "/assets/x/../../buy/",
  "/assets/./../buy/",
  "/assets//../buy/",
  "/assets/%2e%2e%2fbuy/",
  "/assets/..//buy/",
  "/assets/../buy/?x=/assets/",
  "/assets/..",
  "/assets/%2e%2e",
  "/assets/%2e%2e/",
  "/assets/../%62uy/",
];

test("a prefix that is left off the route is no way around the line", { timeout: 60_000, skip: missing }, async (t) => {
  assert.match(readFileSync(inRoot("docs", "deploying.md"), "utf8"), /location \/assets\/ \{ \}/, "the docs show this");
  const port = await startAuthRequest(t, { secret: "a-secret-of-the-static-prefix-test-0123", host: HOST, change: withPrefix });
  const ask = async (path) => (await raw(port, path, { headers: { host: HOST } })).status;
  assert.equal(await ask("/assets/logo.png"), 200, "files need no proof");
  assert.equal(await ask("/buy/"), 403);
  for (const path of AROUND) {
    const status = await ask(path);
    assert.ok([400, 403, 404].includes(status), `${path} answered ${status}`);
  }
});
