// Turnstile before a number: against a stand-in for siteverify that speaks its protocol.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setCookies, startWorld } from "./support/world.mjs";
import { startSiteverify } from "./support/siteverify.mjs";

const SECRET = "1x0000000000000000000000000000000AA";
const SITE_KEY = "1x00000000000000000000AA";
const PROOF = "baton-human";

async function begin(t, room = {}) {
  const stand = await startSiteverify(t, { secret: SECRET, hostname: "127.0.0.1" });
  const vars = { TURNSTILE_SITE_KEY: SITE_KEY, TURNSTILE_SECRET: SECRET, TURNSTILE_VERIFY_URL: stand.url };
  const world = await startWorld(t, { vars, room: { turnstile: true, permits: 0, ...room } });
  const known = async () => {
    const visitor = world.visitor();
    await visitor.status();
    return visitor;
  };
  return { ...world, stand, known };
}

const verify = (visitor, token, options = {}) =>
  visitor.call("verify", { method: "POST", body: JSON.stringify({ token }), headers: { "content-type": "application/json" }, ...options });

test("c105_the_question_before_a_number: who has not answered gets the question and no number, by any way; who has gets one, and is not asked again", async (t) => {
  const { stand, known } = await begin(t);
  const visitor = await known();
  const page = await visitor.arrive();
  assert.match(page.body, new RegExp(`<section id="baton-turnstile" data-sitekey="${SITE_KEY}" data-action="baton-join" data-room="onsale">`));
  assert.match(
    page.headers["content-security-policy"],
    /script-src 'self' https:\/\/challenges\.cloudflare\.com; *frame-src https:\/\/challenges\.cloudflare\.com/,
  );
  for (const answer of [await visitor.join(), await visitor.claim()]) assert.ok([403, 409].includes(answer.status), `${answer.status}`);
  assert.equal((await visitor.join()).error, "verification_required");
  await assert.rejects(visitor.openSocket(), { status: 403, error: "verification_required" });
  assert.equal((await visitor.status()).json.state, "none");
  const taken = await verify(visitor, stand.solve());
  assert.deepEqual([taken.status, taken.headers["cache-control"]], [204, "private, no-store"]);
  const proof = setCookies(taken)[PROOF];
  assert.ok(proof.attributes.includes("HttpOnly") && proof.attributes.includes("Max-Age=43200"), proof.attributes.join());
  const joined = await visitor.join();
  assert.deepEqual([joined.status, joined.json.state], [201, "waiting"]);
  assert.equal((await visitor.leave()).status, 204);
  assert.equal((await visitor.join()).status, 201, "the next number needs no new answer");
  assert.equal(stand.asked.length, 1);
  const [asked] = stand.asked;
  assert.deepEqual([asked.method, asked.secret], ["POST", SECRET]);
  assert.match(asked.idempotency_key, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("c105_nobody_walks_in_unproven: although permits are free", async (t) => {
  const { shop, stand, known, visitor: stranger } = await begin(t, { permits: 5 });
  const page = await stranger().arrive();
  assert.match(page.body, /baton-turnstile/);
  const visitor = await known();
  assert.equal((await visitor.arrive()).state, "waiting");
  assert.equal(shop.stats().inside_max, 0);
  assert.equal((await verify(visitor, stand.solve())).status, 204);
  assert.equal((await visitor.arrive()).state, "shop");
});

test("c106_an_answer_is_good_once: shown by another visitor it is refused, repeated by the same it is not", async (t) => {
  const { stand, known } = await begin(t);
  const [one, two] = [await known(), await known()];
  const answer = stand.solve();
  assert.equal((await verify(one, answer)).status, 204);
  assert.equal((await verify(one, answer)).status, 204, "the answer was lost on the way");
  const replayed = await verify(two, answer);
  assert.deepEqual([replayed.status, replayed.error], [403, "verification_required"]);
  assert.equal(setCookies(replayed)[PROOF], undefined);
});

test("c106_an_answer_of_another_site: to another question, too old, or made up is none", async (t) => {
  const { stand, known } = await begin(t);
  const visitor = await known();
  const answers = {
    host: stand.solve({ hostname: "evil.example" }),
    action: stand.solve({ action: "login" }),
    old: stand.solve({ at_ms: Date.now() - 301_000 }),
    future: stand.solve({ at_ms: Date.now() + 120_000 }),
    invented: "0.invented",
  };
  for (const [what, answer] of Object.entries(answers)) {
    const { status, error } = await verify(visitor, answer);
    assert.deepEqual([status, error], [403, "verification_required"], what);
  }
  assert.equal((await visitor.join()).status, 403);
});

test("c107_a_proof_that_is_anothers: worth nothing with another visitor's cookie, altered, or as another token", async (t) => {
  const { stand, known } = await begin(t);
  const [one, two] = [await known(), await known()];
  await verify(one, stand.solve());
  const proof = one.jar.get(PROOF);
  two.jar.set(PROOF, proof);
  assert.equal((await two.join()).status, 403);
  two.jar.set(PROOF, two.jar.get("baton-visitor"));
  assert.equal((await two.join()).status, 403);
  const bytes = Buffer.from(proof, "base64url");
  for (const at of [0, 1, 2, 6, 22, 29, 30, bytes.length - 1]) {
    const altered = Buffer.from(bytes);
    altered[at] ^= 1;
    one.jar.set(PROOF, altered.toString("base64url"));
    assert.equal((await one.join()).status, 403, `byte ${at}`);
  }
  one.jar.set(PROOF, proof);
  assert.equal((await one.join()).status, 201);
});

test("c108_siteverify_that_hangs: fails, talks nonsense or knows another secret: nobody is let through, and it can be tried again", async (t) => {
  const { stand, known, logs } = await begin(t);
  const visitor = await known();
  for (const failing of ["500", "nonsense", "secret", "hang"]) {
    stand.failing = failing;
    const began = Date.now();
    const { status, error, headers } = await verify(visitor, stand.solve());
    assert.deepEqual([status, error], [503, "verification_unavailable"], failing);
    assert.ok(Number(headers["retry-after"]) > 0);
    assert.ok(Date.now() - began < 15_000, "not for ever");
  }
  stand.failing = null;
  assert.equal((await verify(visitor, stand.solve())).status, 204);
  assert.ok(!logs().includes(SECRET), "the secret is in no log");
});

test("what is no answer is refused before anybody is asked", async (t) => {
  const { stand, known, visitor: stranger } = await begin(t);
  const visitor = await known();
  const cases = [
    [verify(visitor, "a b"), 400, "bad_request"],
    [visitor.call("verify", { method: "POST", body: "", headers: { "content-type": "application/json" } }), 400, "bad_request"],
    [verify(visitor, "x".repeat(5_000)), 413, "payload_too_large"],
    [visitor.call("verify", { method: "GET" }), 405, "method_not_allowed"],
    [
      verify(visitor, stand.solve(), {
        headers: { "content-type": "application/json", origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      }),
      403,
      "forbidden_origin",
    ],
    [verify(stranger(), stand.solve()), 403, "cookies_required"],
  ];
  for (const [asked, status, error] of cases) {
    const answer = await asked;
    assert.deepEqual([answer.status, answer.error], [status, error]);
  }
  assert.equal(stand.asked.length, 0);
});

test("without the setting there is no question, no wider policy and no call", async (t) => {
  const { known } = await begin(t, { turnstile: false });
  const visitor = await known();
  const page = await visitor.arrive();
  assert.ok(!page.body.includes("baton-turnstile"));
  assert.ok(!page.headers["content-security-policy"].includes("cloudflare"));
  assert.equal((await verify(visitor, "0.abc")).status, 404);
  assert.equal((await visitor.join()).status, 200, "the navigation has joined already");
});

test("without JavaScript the page says what to do, in the visitor's language", async (t) => {
  const { visitor } = await begin(t);
  for (const [language, words] of [
    ["en", /<noscript><p>This check needs JavaScript/],
    ["ja", /<noscript><p>この確認には JavaScript が必要です/],
  ]) {
    assert.match((await visitor({ language }).arrive()).body, words);
  }
});
