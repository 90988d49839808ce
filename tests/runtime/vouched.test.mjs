// Operators for whom somebody else vouches: Cloudflare Access by its assertion, an OpenID provider by the code flow. A fake issuer with
// keys of its own, and whatever somebody may try who has none.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { startIssuer } from "./support/issuer.mjs";
import { cookieOf, startWorld } from "./support/world.mjs";

const TOKEN = "a token of noor's that nobody else guesses";
const ROOMS = "/__baton/admin/rooms";
const START = "/__baton/admin/oidc";
const HOST = "tickets.example.com";
const sha256 = (token) => createHash("sha256").update(token).digest("hex");
const OPERATORS = [
  { name: "mika", role: "operate", email: "Mika@Example.com" },
  { name: "noor", role: "view", sha256: sha256(TOKEN) },
];

async function vouchedFor(t, { by, issuer: options, vars = {} } = {}) {
  const issuer = await startIssuer(t, options);
  const ways = { ...(by.includes("access") && { ACCESS: issuer.access }), ...(by.includes("oidc") && { OIDC: issuer.oidc }) };
  const world = await startWorld(t, { room: { permits: 1 }, vars: { OPERATORS, ...ways, ...vars } });
  const ask = (path, { headers = {}, ...more } = {}) => world.raw(path, { ...more, headers: { host: HOST, ...headers } });
  const shown = (assertion, path = ROOMS, { headers = {}, ...more } = {}) =>
    ask(path, { ...more, headers: { "cf-access-jwt-assertion": assertion, ...headers } });
  const who = async (answer) => {
    const { status, body } = await answer;
    return status === 200 ? JSON.parse(body).operator.name : status;
  };
  let addresses = 0;
  /** From the desk's door to the provider and back: the last answer. `jar` may change cookies, `allow` the way back. */
  const signIn = async ({ allow = issuer.allow, jar = (cookie) => cookie, from } = {}) => {
    const start = await ask(START);
    assert.equal(start.status, 303, start.body);
    const cookie = cookieOf(start.headers["set-cookie"][0]);
    const back = allow(start.headers.location);
    return {
      start,
      cookie,
      back,
      answer: await ask(back, {
        headers: { cookie: jar(`${cookie.name}=${cookie.value}`), "cf-connecting-ip": from ?? `198.51.100.${(addresses += 1)}` },
      }),
    };
  };
  return { ...world, issuer, ask, shown, who, signIn };
}

test("Access's assertion is who its address is, by its own keys, from the desk alone where something changes", async (t) => {
  const { issuer, ask, shown, who } = await vouchedFor(t, { by: ["access"] });
  const good = issuer.token();
  assert.equal(await who(shown(good)), "mika");
  assert.equal(await who(shown(good)), "mika");
  assert.equal(issuer.asked["/cdn-cgi/access/certs"], 1, "the keys are kept");
  const patch = (headers) => shown(good, `${ROOMS}/onsale`, { method: "PATCH", body: '{"permits":4}', headers });
  assert.equal((await patch({})).status, 401, "no Origin: whoever made the browser send it");
  assert.equal((await patch({ origin: "http://shop.example.com" })).status, 401, "a sibling host");
  const changed = await patch({ origin: `http://${HOST}` });
  assert.equal(JSON.parse(changed.body).changed.permits.by, "mika");
  // Who has no assertion, or an address that is nobody's, has the other ways.
  const bearer = { authorization: `Bearer ${TOKEN}` };
  assert.equal(await who(ask(ROOMS, { headers: bearer })), "noor");
  assert.equal(await who(shown(good, ROOMS, { headers: bearer })), "noor", "a token comes first");
  assert.equal(await who(shown(issuer.token({ email: "zoe@example.com" }))), 401);
  assert.deepEqual(JSON.parse((await ask("/__baton/admin/session")).body), { token: true, access: true, oidc: false });
});

test("c166_an_assertion_that_access_did_not_make: another algorithm, key, issuer, audience or time, and an unknown key costs one question a minute", async (t) => {
  const { issuer, shown, who, logs } = await vouchedFor(t, { by: ["access"] });
  assert.equal(await who(shown(issuer.token())), "mika");
  const [, ec] = issuer.keys;
  const s = Math.floor(Date.now() / 1_000);
  const good = issuer.token();
  const bad = {
    none: `${issuer.token({}, { alg: "none" }).split(".").slice(0, 2).join(".")}.`,
    "none, signed": issuer.token({}, { alg: "none" }),
    "HS256 by the public key": issuer.token({}, { alg: "HS256", by: issuer.hmac }),
    "RS256 said, HMAC made": issuer.token({}, { by: issuer.hmac }),
    ES256: issuer.token({}, { key: ec }),
    "ES256 said, RSA's key": issuer.token({}, { alg: "ES256" }),
    "RS256 said, EC's key": issuer.token({}, { key: ec, alg: "RS256" }),
    "a stranger's key of the name": issuer.token({}, { key: issuer.forged() }),
    "another's claims": [good.split(".")[0], issuer.token({ email: "noor@example.com" }).split(".")[1], good.split(".")[2]].join("."),
    "another audience": issuer.token({ aud: "another-application" }),
    "another issuer": issuer.token({ iss: "https://evil.example" }),
    over: issuer.token({ exp: s - 120 }),
    "not yet": issuer.token({ nbf: s + 120 }),
    "without an end": issuer.token({ exp: undefined }),
    nothing: "",
    "no token": "a.b.c",
    "very long": `${good}${"A".repeat(9_000)}`,
  };
  for (const [what, assertion] of Object.entries(bad)) {
    const answered = await shown(assertion);
    assert.equal(answered.status, 401, `${what}: ${answered.body}`);
  }
  assert.equal(issuer.asked["/cdn-cgi/access/certs"], 1);
  for (let at = 0; at < 5; at += 1) assert.equal(await who(shown(issuer.token({}, { kid: `unknown-${at}` }))), 401);
  assert.equal(issuer.asked["/cdn-cgi/access/certs"], 1, "within a minute of the last question there is no other");
  const said = coded(logs(), "identity_refused").map(({ why }) => why);
  for (const why of ["algorithm", "key", "signature", "audience", "issuer", "time", "malformed"]) assert.ok(said.includes(why), `${why}: ${said}`);
  assert.equal(await who(shown(good)), "mika");
});

test("c167_the_header_where_nobody_stands_before_baton: without ACCESS it is nothing, and an issuer that is away or endless lets nobody in", async (t) => {
  const open = await vouchedFor(t, { by: ["oidc"] });
  assert.equal(await open.who(open.shown(open.issuer.token())), 401);
  assert.equal(open.issuer.asked["/cdn-cgi/access/certs"], undefined, "nobody asks");
  const { issuer, shown, who, ask, logs } = await vouchedFor(t, { by: ["access"] });
  const bytes = { sent: 0 };
  const endless = (response) => {
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536))) bytes.sent += 65_536;
    };
    response.on("drain", more);
    more();
  };
  issuer.breaks({ "/cdn-cgi/access/certs": endless });
  assert.equal(await who(shown(issuer.token())), 401);
  assert.equal(await who(shown(issuer.token())), 401);
  assert.equal(issuer.asked["/cdn-cgi/access/certs"], 1, "left alone for a while");
  assert.ok(bytes.sent < 16_000_000, `${bytes.sent} bytes`);
  assert.match(coded(logs(), "identity_unreachable")[0].why, /answered more than \d+ bytes/);
  assert.equal(await who(ask(ROOMS, { headers: { authorization: `Bearer ${TOKEN}` } })), "noor");
});

test("the code flow ends in the desk's cookie of whoever has the verified address, and signing out takes it away", async (t) => {
  const { issuer, ask, who, signIn } = await vouchedFor(t, { by: ["oidc"], issuer: { secret: "hush" }, vars: { OIDC_CLIENT_SECRET: "hush" } });
  assert.deepEqual(JSON.parse((await ask("/__baton/admin/session")).body), { token: true, access: false, oidc: true });
  const { start, cookie } = await signIn();
  const question = new URL(start.headers.location).searchParams;
  assert.deepEqual(
    [question.get("code_challenge_method"), question.get("redirect_uri"), question.get("scope")],
    ["S256", `http://${HOST}/__baton/admin/oidc/callback`, "openid email"],
  );
  assert.deepEqual(
    ["HttpOnly", "SameSite=Lax", "Max-Age=600"].filter((one) => !cookie.attributes.includes(one)),
    [],
  );
  for (const key of issuer.keys) {
    issuer.say({}, { key });
    const { answer } = await signIn();
    assert.deepEqual([answer.status, answer.headers.location], [303, "/__baton/admin/"], answer.body);
    const [gone, desk] = answer.headers["set-cookie"].map(cookieOf);
    assert.deepEqual([gone.value, desk.attributes.includes("SameSite=Strict")], ["", true]);
    const signed = { cookie: `${desk.name}=${desk.value}` };
    assert.equal(await who(ask(ROOMS, { headers: signed })), "mika");
    const patch = (origin) => ask(`${ROOMS}/onsale`, { method: "PATCH", body: '{"permits":2}', headers: { ...signed, ...origin } });
    assert.deepEqual([(await patch({})).status, (await patch({ origin: `http://${HOST}` })).status], [401, 200]);
  }
  assert.equal(issuer.asked["/.well-known/openid-configuration"], 1);
  const out = await ask("/__baton/admin/session", { method: "DELETE" });
  assert.deepEqual([out.status, cookieOf(out.headers["set-cookie"][0]).value], [204, ""]);
  issuer.breaks({
    "/token": (response) => {
      response.statusCode = 500;
      response.end();
    },
  });
  assert.equal((await signIn()).answer.headers.location, "/__baton/admin/#sign-in=unreachable");
  const wrong = await vouchedFor(t, { by: ["oidc"], issuer: { secret: "hush" }, vars: { OIDC_CLIENT_SECRET: "another" } });
  assert.equal((await wrong.signIn()).answer.headers.location, "/__baton/admin/#sign-in=refused");
});

test("c168_a_way_back_that_is_not_this_browsers: no cookie, another's, another state, a code twice, a cookie that was changed", async (t) => {
  const { ask, signIn, issuer } = await vouchedFor(t, { by: ["oidc"] });
  const refused = (answer) =>
    assert.deepEqual(
      [answer.status, answer.headers.location, answer.headers["set-cookie"].some((line) => /admin=/.test(line))],
      [303, "/__baton/admin/#sign-in=refused", false],
    );
  const good = await signIn();
  assert.equal(good.answer.headers.location, "/__baton/admin/");
  const mine = { cookie: `${good.cookie.name}=${good.cookie.value}` };
  // The same way back once more: the browser has no cookie any more; whoever copied it has a code that is used.
  refused(await ask(good.back));
  refused(await ask(good.back, { headers: mine }));
  // Somebody is led to an attacker's way back, or the attacker shows somebody's.
  const other = await signIn({ allow: (question) => `${issuer.allow(question)}&ignored=1` });
  refused(await ask(issuer.allow(other.start.headers.location), { headers: mine }));
  refused((await signIn({ jar: (cookie) => `${cookie.slice(0, -2)}xx` })).answer);
  refused((await signIn({ allow: (question) => issuer.allow(question).replace(/state=/, "state=x") })).answer);
  refused((await signIn({ allow: (question) => issuer.allow(question).replace(/code=[^&]*/, "error=access_denied") })).answer);
  refused((await signIn({ jar: (cookie) => cookie.replace("login", "admin") })).answer);
});

test("c169_an_id_token_that_is_none: another nonce, audience, key or algorithm, an address that nobody verified", async (t) => {
  const { issuer, signIn, logs } = await vouchedFor(t, { by: ["oidc"] });
  const s = Math.floor(Date.now() / 1_000);
  const bad = [
    [{ nonce: "another" }],
    [{ nonce: undefined }],
    [{ aud: "another" }],
    [{ aud: ["baton", "another"] }],
    [{ iss: "https://evil.example" }],
    [{ exp: s - 120 }],
    [{ email_verified: false }],
    [{ email_verified: "true" }],
    [{ email_verified: undefined }],
    [{ email: undefined }],
    [{}, { alg: "none" }],
    [{}, { alg: "HS256", by: issuer.hmac }],
    [{}, { key: issuer.forged() }],
    [{}, { kid: "unknown" }],
  ];
  for (const [claims, how] of bad) {
    issuer.say(claims, how);
    const { answer } = await signIn();
    assert.equal(answer.headers.location, "/__baton/admin/#sign-in=refused", JSON.stringify([claims, how?.alg]));
    assert.ok(!answer.headers["set-cookie"].some((line) => /admin=/.test(line)));
  }
  issuer.say({ email: "zoe@example.com" });
  assert.equal((await signIn()).answer.headers.location, "/__baton/admin/#sign-in=unknown");
  const said = new Set(coded(logs(), "identity_refused").map(({ why }) => why));
  for (const why of ["nonce", "audience", "issuer", "time", "email", "algorithm", "signature", "key"]) assert.ok(said.has(why), why);
  // A browser that goes on bringing back nonsense is slowed, before the provider is asked.
  issuer.say({ nonce: "another" });
  let slowed;
  for (let at = 0; at < 20 && slowed?.status !== 429; at += 1) slowed = (await signIn({ from: "192.0.2.1" })).answer;
  assert.equal(slowed.status, 429);
  const asked = issuer.asked["/token"];
  assert.equal((await signIn({ from: "192.0.2.1" })).answer.status, 429);
  assert.equal(issuer.asked["/token"], asked);
  issuer.say({});
  assert.equal((await signIn()).answer.headers.location, "/__baton/admin/");
});

test("c170_an_id_token_or_the_way_in_as_a_bearer: what signs in at the desk opens nothing by itself", async (t) => {
  const { issuer, ask, who, signIn } = await vouchedFor(t, { by: ["oidc", "access"] });
  const { cookie, answer } = await signIn();
  const desk = cookieOf(answer.headers["set-cookie"][1]);
  const id = issuer.token({ aud: issuer.clientId, email_verified: true });
  let from = 0;
  const bearer = (value) => who(ask(ROOMS, { headers: { authorization: `Bearer ${value}`, "cf-connecting-ip": `203.0.113.${(from += 1)}` } }));
  for (const value of [id, issuer.token(), cookie.value, desk.value]) assert.equal(await bearer(value), 401);
  const session = await ask("/__baton/admin/session", { method: "POST", headers: { authorization: `Bearer ${id}` } });
  assert.equal(session.status, 401);
  assert.equal(await who(ask(ROOMS, { headers: { "cf-access-jwt-assertion": id } })), 401, "its audience is another");
  assert.equal(await who(ask(ROOMS, { headers: { cookie: `${desk.name}=${cookie.value}` } })), 401);
});
