// Entry tokens: the shop says who may come. By link, by header; what a token is not good for; and that none gets further than Baton.

import assert from "node:assert/strict";
import { test } from "node:test";
import { App } from "../support/app.mjs";
import { claimsOf, entry, shopKeys, token } from "../support/entry.mjs";
import { eventually, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const keys = shopKeys();
const COOKIE = "baton-onsale-entry";
const ADMIN = "the operator's token of this test, long enough";
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

/** A room that takes tokens. `good(sub)`: a token for it. */
async function begin(t, room = {}, { vars: others = {}, ...more } = {}) {
  const vars = { ENTRY_KEYS: JSON.stringify([keys.shared, keys.public]), BATON_ADMIN_TOKEN: ADMIN, ...others };
  const world = await startWorld(t, { vars, room: { entry: "required", permits: 0, linger_s: 60, ...room }, ...more });
  const host = `127.0.0.1:${world.baton.port}`;
  const good = (sub, claims = {}) => entry(claimsOf(sub, host, claims));
  const link = (visitor, text, path = "/buy/", options = {}) => visitor.request(`${path}?baton_entry=${text}`, { headers: PAGE, ...options });
  /** Somebody who came by a link and has a number. */
  const comes = async (sub, options) => {
    const visitor = world.visitor(options);
    assert.equal((await link(visitor, good(sub))).status, 303);
    await visitor.arrive();
    const joined = await visitor.join();
    return { visitor, joined };
  };
  const report = async () =>
    (await (await fetch(new URL("/__baton/admin/rooms/onsale", world.baton.url), { headers: { authorization: `Bearer ${ADMIN}` } })).json()).report;
  return { ...world, host, good, link, comes, report, app: (options = {}) => new App({ url: world.baton.url, ...options }) };
}

const reasonOf = (answer) => [answer.status, answer.json?.reason];
/** What a page says by the attributes of its body. */
const shownOn = (answer) => [answer.status, /data-state="(\w*)"/.exec(answer.body)?.[1], /data-reason="(\w*)"/.exec(answer.body)?.[1]];

test("by a link: the token becomes a cookie and goes from the address, then there is a number", async (t) => {
  const { good, link, visitor: newcomer } = await begin(t);
  const visitor = newcomer();
  const brought = await visitor.request(`/buy/seats?row=4&baton_entry=${good("anna")}&x=%20`, { headers: PAGE });
  assert.deepEqual([brought.status, brought.headers.location], [303, "/buy/seats?row=4&x=%20"]);
  assert.deepEqual([brought.headers["cache-control"], brought.headers["referrer-policy"]], ["private, no-store", "no-referrer"]);
  const cookie = setCookies(brought)[COOKIE];
  assert.ok(cookie.attributes.includes("HttpOnly") && cookie.attributes.includes("SameSite=Lax"), cookie.attributes.join());
  assert.deepEqual(Object.keys(setCookies(brought)), [COOKIE], "no name and no place yet");
  const page = await visitor.arrive();
  assert.equal(page.status_object.state, "none", "who comes for the first time has no number by a GET");
  const joined = await visitor.join();
  assert.deepEqual([joined.status, joined.json.state], [201, "waiting"]);
  assert.equal((await link(visitor, good("anna"))).status, 303);
  assert.equal((await visitor.join()).json.number, joined.json.number, "a token may come back");
});

test("without one that counts there is no number and no way in, by any call", async (t) => {
  const { visitor: newcomer, good, link, host } = await begin(t, { permits: 5 });
  const visitor = newcomer();
  assert.deepEqual(shownOn(await visitor.request("/buy/", { headers: PAGE })), [403, "refused", "missing"]);
  assert.deepEqual(reasonOf(await visitor.request("/buy/", { headers: { accept: "application/json" } })), [403, "missing"]);
  assert.deepEqual(reasonOf(await visitor.request("/buy/", { method: "POST", body: "x" })), [403, "missing"]);
  await visitor.status();
  assert.deepEqual([(await visitor.join()).error, reasonOf(await visitor.join())], ["entry_required", [403, "missing"]]);
  await assert.rejects(visitor.openSocket(), { status: 403, error: "entry_required" });
  const now = Math.floor(Date.now() / 1000);
  const wrong = {
    early: good("anna", { nbf: now + 4_000, exp: now + 5_000 }),
    late: good("anna", { exp: now - 120 }),
    audience: entry(claimsOf("anna", host, { aud: `other@${host}` })),
    malformed: "nothing",
    life: good("anna", { exp: now + 90_000 }),
    claims: good(7),
    lane: good("anna", { lane: "No lane" }),
    key: token({ alg: "HS256", kid: "other" }, {}, "x"),
  };
  for (const [why, text] of Object.entries(wrong)) {
    const somebody = newcomer();
    assert.equal((await link(somebody, text)).status, 303);
    const page = await somebody.request("/buy/", { headers: PAGE });
    assert.deepEqual(shownOn(page), [403, "refused", ["early", "late", "audience"].includes(why) ? why : ""], why);
    assert.equal(page.headers["baton-state"], "refused");
    const told = await somebody.join();
    assert.deepEqual([told.error, reasonOf(told)], ["entry_refused", [403, why]]);
    if (why === "early") assert.equal(told.json.from_at_ms, (now + 4_000 - 60) * 1_000);
  }
});

test("who is in line or inside stays there, whatever becomes of the token", async (t) => {
  const { comes, baton, vars } = await begin(t, { permits: 1 });
  const { visitor: inside } = await comes("anna");
  await eventually(async () => (await inside.arrive()).state === "shop", { what: "the way in" });
  const { visitor: waits, joined } = await comes("bob");
  assert.equal(joined.json.state, "waiting");
  for (const visitor of [inside, waits]) visitor.jar.delete(COOKIE);
  assert.equal((await waits.arrive()).status_object.number, joined.json.number);
  assert.equal((await waits.status()).json.state, "waiting");
  await waits.openSocket();
  assert.equal(waits.number, joined.json.number);
  assert.equal((await inside.arrive()).state, "shop");
  const other = { kid: "next", alg: "HS256", key: "the key after the key that the shop shares" };
  await baton.restart({ vars: { ...vars, ENTRY_KEYS: JSON.stringify([other]) } });
  assert.equal((await waits.arrive()).status_object.number, joined.json.number, "nor does a rotation end a place");
  assert.equal((await inside.leave()).status, 204);
  await eventually(async () => (await waits.arrive()).state === "shop", { what: "the turn of who waits" });
});

test("both algorithms, and an app's header in place of a link", async (t) => {
  const { app, host, good } = await begin(t, { permits: 1 });
  const anna = app();
  const first = await anna.call("enter", "POST", { headers: { "baton-entry": good("anna") } });
  assert.deepEqual([first.status, first.json.in], [200, true], "the first call is enough");
  assert.match(first.json.credentials, /onsale-entry=[\w-]+/);
  const again = await anna.call("enter");
  assert.deepEqual([again.json.in, again.json.number], [true, first.json.number], "the credentials remember it");
  const bob = app();
  const edDsa = token({ alg: "EdDSA", kid: "public" }, claimsOf("bob", host), keys.privateKey);
  const waits = await bob.call("enter", "POST", { headers: { "baton-entry": edDsa } });
  assert.deepEqual([waits.status, waits.json.in, waits.json.state], [200, false, "waiting"]);
  const forged = token({ alg: "EdDSA", kid: "public" }, claimsOf("bob", host), shopKeys().privateKey);
  const refused = await app().call("enter", "POST", { headers: { "baton-entry": forged } });
  assert.deepEqual([refused.json.error.code, reasonOf(refused)], ["entry_refused", [403, "signature"]]);
  assert.deepEqual(reasonOf(await app().call("enter")), [403, "missing"]);
});

test("where a token is only welcome, anybody joins, and who shows a bad one in a call is told", async (t) => {
  const { app, visitor: newcomer, link } = await begin(t, { entry: "optional", entry_spares_turnstile: false });
  const visitor = newcomer();
  assert.equal((await link(visitor, "nothing")).status, 303);
  await visitor.arrive();
  assert.equal((await visitor.join()).status, 201);
  const refused = await app().call("enter", "POST", { headers: { "baton-entry": "nothing" } });
  assert.deepEqual(reasonOf(refused), [403, "malformed"]);
});

test("where none is asked for, one in an address is taken out all the same and means nothing", async (t) => {
  const { visitor: newcomer, link, good } = await begin(t, { entry: "off" });
  const visitor = newcomer();
  const brought = await link(visitor, good("anna"));
  assert.deepEqual([brought.status, brought.headers.location, setCookies(brought)], [303, "/buy/", {}]);
  await visitor.status();
  assert.equal((await visitor.call("take", { method: "POST" })).error, "entry_required");
});

test("c138_an_algorithm_of_the_tokens_choice: none, another, a public key as a shared one, a key in the header", async (t) => {
  const { app, host } = await begin(t);
  const claims = claimsOf("anna", host);
  const { key } = keys.public;
  const forged = [
    [token({ alg: "none", kid: "shared" }, claims, "x").replace(/\.[\w-]+$/, "."), "malformed"],
    [token({ alg: "none", kid: "shared" }, claims, "x"), "key"],
    [token({ alg: "HS256", kid: "public" }, claims, key), "key"],
    [token({ alg: "HS256", kid: "public" }, claims, Buffer.from(key, "base64url").toString("latin1")), "key"],
    [token({ alg: "EdDSA", kid: "shared" }, claims, keys.privateKey), "key"],
    [token({ alg: "HS256", kid: "shared", crit: ["b64"], b64: false }, claims, keys.shared.key), "malformed"],
    [token({ alg: "EdDSA", kid: "public", jwk: { kty: "OKP" } }, claims, keys.privateKey), "malformed"],
    [token({ alg: "HS256", kid: "shared" }, claims, "another key"), "signature"],
  ];
  for (const [text, why] of forged) {
    assert.deepEqual(reasonOf(await app().call("enter", "POST", { headers: { "baton-entry": text } })), [403, why], text);
  }
});

test("c139_a_token_for_another_room_or_host: counts at neither, and so does what Baton remembers of one", async (t) => {
  const rooms = {
    onsale: { paths: ["/buy/*"], permits: 0, tick_ms: 50, entry: "required" },
    other: { paths: ["/other/*"], permits: 0, tick_ms: 50, entry: "required" },
  };
  const { app, host, good, visitor: newcomer, link } = await begin(t, {}, { rooms });
  const shown = (room, text) => app({ room }).call("enter", "POST", { headers: { "baton-entry": text } });
  assert.equal((await shown("onsale", good("anna"))).status, 200);
  assert.deepEqual(reasonOf(await shown("other", good("anna"))), [403, "audience"]);
  const elsewhere = entry(claimsOf("anna", `localhost:${host.split(":")[1]}`));
  assert.deepEqual(reasonOf(await shown("onsale", elsewhere)), [403, "audience"]);
  assert.deepEqual(reasonOf(await shown("onsale", entry(claimsOf("anna", "127.0.0.1")))), [403, "audience"], "another port is another host");
  const both = entry(claimsOf("anna", host, { aud: [`other@${host}`, `onsale@${host}`] }));
  for (const room of ["onsale", "other"]) assert.equal((await shown(room, both)).status, 200);
  const visitor = newcomer();
  await link(visitor, good("anna"));
  visitor.jar.set("baton-other-entry", visitor.jar.get(COOKIE));
  assert.deepEqual(shownOn(await visitor.request("/other/", { headers: PAGE })).slice(1), ["refused", "missing"]);
  const kept = visitor.jar.get(COOKIE);
  const bytes = Buffer.from(kept, "base64url");
  for (const at of [0, 1, 2, 6, 22, 26, 34, 42, bytes.length - 1]) {
    const altered = Buffer.from(bytes);
    altered[at] ^= 1;
    visitor.jar.set(COOKIE, altered.toString("base64url"));
    assert.equal((await visitor.request("/buy/", { headers: PAGE })).status, 403, `byte ${at}`);
  }
});

test("c140_a_token_shown_by_many: one account has one place, whoever shows its token", async (t) => {
  const { comes, report } = await begin(t);
  const { visitor: phone, joined: first } = await comes("anna");
  assert.equal(first.status, 201);
  const { visitor: thief, joined: second } = await comes("anna");
  assert.equal(second.json.number, first.json.number, "the place moves, it does not double");
  assert.equal((await report()).waiting, 1);
  assert.notEqual((await phone.status()).json.state, "waiting", "it is gone from where it was");
  assert.equal((await thief.status()).json.number, first.json.number);
});

test("c141_links_are_opened_by_machines: GET, HEAD and prefetches of a link take no place and move none", async (t) => {
  const { comes, good, link, visitor: newcomer, report } = await begin(t, { permits: 5 });
  const scan = async () => {
    for (const options of [{}, { method: "HEAD" }, { headers: { ...PAGE, "sec-purpose": "prefetch" } }, { headers: {} }]) {
      const scanner = newcomer();
      assert.equal((await link(scanner, good("anna"), "/buy/", options)).status, 303);
      const followed = await scanner.request("/buy/", { headers: PAGE, ...options });
      assert.notEqual(followed.headers["baton-state"], undefined, "it gets no further than Baton");
    }
  };
  await scan();
  assert.deepEqual([(await report()).waiting, (await report()).inside, (await report()).totals.walked_in], [0, 0, 0]);
  const { visitor, joined } = await comes("anna");
  await scan();
  assert.notEqual((await visitor.status()).json.reason, "carried");
  assert.equal((await visitor.status()).json.number, joined.json.number);
});

test("c142_a_link_as_a_way_elsewhere: no redirect to another host, and no method but a look", async (t) => {
  const rooms = { onsale: { paths: ["/*"], permits: 0, tick_ms: 50, entry: "required" } };
  const { raw, good, host } = await begin(t, {}, { rooms });
  const text = good("anna");
  for (const path of [`//evil.example/?baton_entry=${text}`, `/\\evil.example/?baton_entry=${text}`, `//?baton_entry=${text}`]) {
    const answer = await raw(path, { headers: { host, ...PAGE } });
    assert.equal(answer.status, 400, path);
    assert.equal(answer.headers.location, undefined);
  }
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    assert.equal((await raw(`/buy?baton_entry=${text}`, { method, headers: { host } })).status, 400, method);
  }
  const upgrade = {
    host,
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "sec-websocket-version": "13",
  };
  assert.equal((await raw(`/buy?baton_entry=${text}`, { headers: upgrade })).status, 400);
  const here = await raw(`/buy?to=//evil.example&baton_entry=${text}`, { headers: { host, ...PAGE } });
  assert.deepEqual([here.status, here.headers.location], [303, "/buy?to=//evil.example"]);
});

test("c143_a_token_stays_at_baton: not in what the origin gets, in no log, and no answer shows it", async (t) => {
  const origin = await startOrigin(t, (request, response) => response.end(JSON.stringify([request.url, request.headers])));
  const room = { permits: 5, bypass_paths: ["/buy/terms"] };
  const { visitor: newcomer, link, good, app, logs } = await begin(t, room, { origin: origin.url });
  const [anna, bob] = [good("anna"), good("bob")];
  const answers = [];
  const visitor = newcomer();
  answers.push(await link(visitor, anna), await link(visitor, anna, "/buy/terms"), await link(visitor, anna, "/buy/", { method: "POST" }));
  const stray = await link(visitor, anna, "/news");
  assert.deepEqual([stray.status, stray.headers.location], [303, "/news"], "a path of no room");
  await eventually(() => logs().includes("entry_link_strays"), { what: "a line in the log" });
  answers.push(stray);
  await visitor.arrive();
  await visitor.join();
  answers.push(
    await eventually(
      async () => {
        const page = await visitor.arrive();
        return page.state === "shop" && page;
      },
      { what: "the way in" },
    ),
  );
  answers.push(await link(visitor, anna), await visitor.request("/buy/terms", { headers: PAGE }));
  const someApp = app();
  answers.push(await someApp.call("enter", "POST", { headers: { "baton-entry": bob } }));
  answers.push(await someApp.send("GET", "/buy/x", { headers: { "baton-entry": bob } }));
  answers.push(await app().call("enter", "POST", { headers: { "baton-entry": `${bob}x` } }));
  const reached = origin.requests.map(({ url, headers }) => JSON.stringify([url, headers])).join("\n");
  assert.ok(origin.requests.length >= 3, "something did reach the shop");
  assert.equal(answers[0].headers.location, "/buy/");
  for (const text of [anna, bob]) {
    for (const piece of [text, text.split(".")[1], text.split(".")[2]]) {
      assert.ok(!reached.includes(piece), "at the origin");
      assert.ok(!logs().includes(piece), "in a log");
      for (const answer of answers) assert.ok(!answer.body.includes(piece) && !JSON.stringify(answer.headers).includes(piece), "in an answer");
    }
  }
  assert.ok(
    !/baton[-_]/i.test(reached.replaceAll(/"baton-(room|ticket|edition|fence|ends-at-ms|proof|target)"/g, "")),
    "neither what Baton made of it",
  );
  for (const { key } of [keys.shared]) assert.ok(!logs().includes(key), "nor a key");
});

test("c150_a_link_that_a_hostile_page_opens: the place of who waits there becomes nobody else's", async (t) => {
  const { good, link, visitor: newcomer, comes } = await begin(t, { entry: "optional" });
  const victim = newcomer();
  await victim.arrive();
  const {
    json: { number },
  } = await victim.join();
  const lured = await link(victim, good("mallory"), "/buy/", { headers: { ...PAGE, "sec-fetch-site": "cross-site" } });
  assert.deepEqual([lured.status, setCookies(lured)], [303, {}]);
  assert.equal((await victim.arrive()).status_object.number, number);
  const { joined } = await comes("mallory");
  assert.notEqual(joined.json.number, number, "the thief has a place of his own, behind");
  assert.equal((await victim.status()).json.number, number);
  const own = await link(victim, good("anna"), "/buy/", { headers: { ...PAGE, "sec-fetch-site": "same-origin" } });
  assert.ok(setCookies(own)[COOKIE], "what the shop itself opens counts");
  await victim.arrive();
  const { joined: elsewhere } = await comes("anna");
  assert.equal(elsewhere.json.number, number, "then the place is the customer's");
});

test("a place that is called or inside moves by a pressed button alone", async (t) => {
  const { comes } = await begin(t, { permits: 1 });
  const { visitor: phone } = await comes("anna");
  const inside = await eventually(
    async () => {
      const page = await phone.arrive();
      return page.state === "shop" && page;
    },
    { what: "the way in" },
  );
  const { visitor: laptop, joined } = await comes("anna");
  assert.deepEqual([joined.status, joined.error], [409, "place_elsewhere"]);
  await assert.rejects(laptop.openSocket(), { status: 409, error: "place_elsewhere" });
  const page = await laptop.request("/buy/", { headers: PAGE });
  assert.deepEqual(shownOn(page).slice(0, 2), [200, "elsewhere"]);
  assert.match(page.body, /action="\/__baton\/onsale\/take"/);
  assert.equal((await laptop.request("/buy/", { headers: { accept: "application/json" } })).status, 429, "what is no page is told to wait");
  assert.equal((await phone.arrive()).state, "shop", "nothing was moved");
  const form = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "text/html",
    origin: laptop.url.origin,
    "sec-fetch-site": "same-origin",
    referer: laptop.url.href,
  };
  const taken = await laptop.request("/__baton/onsale/take", { method: "POST", headers: form, body: "" });
  assert.deepEqual([taken.status, taken.headers.location], [303, "/buy/"]);
  const now = await laptop.arrive();
  assert.deepEqual([now.state, now.number], ["shop", inside.number]);
  assert.ok(now.fence > inside.fence, "with a new fence");
});

test("who is turned away is counted by reason, in the report and in the metrics", async (t) => {
  const { visitor: newcomer, link, good, report, baton } = await begin(t);
  for (const text of [undefined, undefined, good("anna", { exp: 1 })]) {
    const visitor = newcomer();
    if (text) await link(visitor, text);
    assert.equal((await visitor.request("/buy/", { headers: PAGE })).status, 403);
  }
  const entryOf = async () => (await report()).totals.entry;
  const counted = await eventually(
    async () => {
      const all = await entryOf();
      return all.missing === 2 && all.late === 1 && all;
    },
    { timeoutMs: 40_000, everyMs: 250, what: "the count" },
  );
  assert.equal(counted.signature, 0);
  const metrics = await (await fetch(new URL("/__baton/metrics", baton.url), { headers: { authorization: `Bearer ${ADMIN}` } })).text();
  assert.match(metrics, /baton_entry_refused_total\{room="onsale",reason="missing"\} 2/);
});

test("another customer on the same browser drops nobody's place, and is told whose it is", async (t) => {
  const { comes, good, link } = await begin(t);
  const { visitor, joined } = await comes("anna");
  assert.equal((await link(visitor, good("bob"))).status, 303);
  const page = await visitor.arrive();
  assert.equal(page.status_object.number, joined.json.number, "Anna's place is Anna's");
  assert.match(page.status_object.message, /another account/);
  assert.equal((await visitor.leave()).status, 204);
  const own = await visitor.join();
  assert.deepEqual([own.status, own.json.number > joined.json.number], [201, true], "who leaves it joins for the other");
});

test("an operator ends a customer's place by the name that the shop gave, and nobody else's", async (t) => {
  const { comes, baton } = await begin(t);
  const { visitor: anna, joined } = await comes("anna");
  const { visitor: bob } = await comes("bob");
  const ends = async (who, headers = { authorization: `Bearer ${ADMIN}` }) => {
    const answer = await fetch(new URL("/__baton/admin/rooms/onsale/leave", baton.url), { method: "POST", headers, body: JSON.stringify(who) });
    return [answer.status, await answer.json()];
  };
  assert.equal((await ends({ sub: "anna" }, {}))[0], 401);
  assert.equal((await ends({ iss: "another shop", sub: "anna" }))[0], 410);
  assert.deepEqual(await ends({ sub: "anna" }), [200, { number: joined.json.number }]);
  assert.deepEqual((await ends({ sub: "anna" }))[1].error.code, "ticket_over");
  assert.notEqual((await anna.status()).json.state, "waiting");
  assert.equal((await bob.status()).json.state, "waiting");
});

test("a token stands for Turnstile's answer where the room says so, and nowhere else", async (t) => {
  const vars = { TURNSTILE_SITE_KEY: "1x00000000000000000000AA", TURNSTILE_SECRET: "never asked" };
  for (const spares of [true, false]) {
    const { comes, visitor: newcomer } = await begin(t, { entry: "optional", turnstile: true, entry_spares_turnstile: spares }, { vars });
    const { joined } = await comes("anna");
    assert.deepEqual([joined.status, joined.error], spares ? [201, undefined] : [403, "verification_required"]);
    const nobody = newcomer();
    await nobody.status();
    assert.equal((await nobody.join()).error, "verification_required");
  }
});

test("where nobody is kept out a token is not asked for", async (t) => {
  for (const mode of ["observe", "bypass"]) {
    const { visitor: newcomer } = await begin(t, { mode, permits: 1 });
    assert.equal((await newcomer().arrive()).state, "shop", mode);
  }
});

test("keys that cannot be read shut the room and show nothing; without any nobody has a token", async (t) => {
  const secret = "the key that must not be shown";
  const text = JSON.stringify([{ kid: "a", alg: "HS256", key: secret }]);
  const { visitor: newcomer, logs } = await begin(t, {}, { vars: { ENTRY_KEYS: text } });
  const page = await newcomer().request("/buy/", { headers: PAGE });
  assert.deepEqual([page.status, page.error], [503, "bad_config"]);
  assert.ok(logs().includes("secrets.ENTRY_KEYS[0].key"), logs());
  assert.ok(!logs().includes(secret));
  const { visitor: other, link, good } = await begin(t, {}, { vars: { ENTRY_KEYS: undefined } });
  const visitor = other();
  await link(visitor, good("anna"));
  assert.deepEqual(shownOn(await visitor.request("/buy/", { headers: PAGE })), [403, "refused", ""]);
});
