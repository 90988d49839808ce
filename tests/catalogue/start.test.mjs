// What never starts: deployments that could sign nothing, or whose numbers are none. Asks the program that `npm start` and
// `npm run deploy` ask first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConfig } from "../../scripts/settings.mjs";

const SECRETS = { BATON_SECRET: "x".repeat(32) };
const ROOM = { paths: ["/buy/*"], permits: 1 };

/** What `npm start` would say, or undefined if it would start. */
async function refusal(room = {}, secrets = SECRETS) {
  return checkConfig({ ROOMS: { onsale: { ...ROOM, ...room } }, ORIGIN: "http://127.0.0.1", secrets }).then(
    () => undefined,
    ({ message }) => message,
  );
}

test("c14_no_start_without_a_good_secret: missing, empty, short, a short one before it", async () => {
  assert.equal(await refusal(), undefined, "with a good one it starts");
  for (const secrets of [{}, { BATON_SECRET: "" }, { BATON_SECRET: "x".repeat(31) }]) {
    assert.match(await refusal({}, secrets), /BATON_SECRET.*openssl rand/s);
  }
  assert.match(await refusal({}, { ...SECRETS, BATON_SECRET_PREVIOUS: "short" }), /BATON_SECRET_PREVIOUS/);
});

test("c38_no_start_with_numbers_that_are_none: −1, 2^64, a half, a word, nothing", async () => {
  for (const permits of [-1, 2 ** 64, 1.5, "ten", null, [], {}, "1", true]) {
    assert.match(await refusal({ permits }), /ROOMS\.onsale\.permits/, JSON.stringify(permits));
  }
});
