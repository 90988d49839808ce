// Attacks on what Baton signs: cookies altered, mixed up, carried elsewhere, worn out, made with other keys.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { eventually, passTimes, setCookies } from "../runtime/support/world.mjs";
import { flipped, keyIdOf, open, repass, seal } from "./forge.mjs";
import { JSON_ONLY, PAGE, catalogue, each } from "./stage.mjs";

const row = catalogue();
const bitsOf = (token) => Array.from({ length: open(token).bytes.length * 8 }, (_, bit) => bit);
/** The bits that name the key. A new token of a key that is not known here yet is worth nothing, and is left alone. */
const namesKey = (bit) => bit >= 16 && bit < 48;
const scopeOf = (it) => ({ room: it.room, host: it.host });
/** Waits for an instant of the wall clock. */
const until = (atMs) => eventually(() => Date.now() >= atMs, { timeoutMs: 60_000, what: new Date(atMs).toISOString() });

row("c01_any_bit_of_any_token_counts: the waiting answer, the cookie is cleared, the place is kept", {}, async (it) => {
  const holder = await it.holder();
  const pass = holder.cookie("pass");
  await each(bitsOf(pass), (bit) => it[namesKey(bit) ? "strangePass" : "deadPass"](flipped(pass, bit), `bit ${bit} of the pass`));
  await it.livingPass(pass, "the pass itself");
  const waiter = await it.waiter();
  const [ticket, visitor] = [waiter.cookie("ticket"), waiter.cookie("visitor")];
  const status = (cookies) => it.rawAt(`/__baton/${it.room}/status`, { headers: { cookie: cookies } });
  await each(bitsOf(ticket), async (bit) => {
    const answer = await status(`${it.cookie("visitor")}=${visitor}; ${it.cookie("ticket")}=${flipped(ticket, bit)}`);
    if (namesKey(bit)) return assert.deepEqual([answer.status, answer.headers["set-cookie"]], [503, undefined], `bit ${bit} of the ticket`);
    assert.equal(answer.status, 401, `bit ${bit} of the ticket`);
    return assert.equal(setCookies(answer)[it.cookie("ticket")].value, "", "cleared");
  });
  await each(bitsOf(visitor), async (bit) => {
    const answer = await status(`${it.cookie("visitor")}=${flipped(visitor, bit)}; ${it.cookie("ticket")}=${ticket}`);
    if (namesKey(bit)) return assert.deepEqual([answer.status, answer.headers["set-cookie"]], [503, undefined], `bit ${bit} of the visitor's`);
    assert.deepEqual([answer.status, JSON.parse(answer.body).state], [200, "none"], `bit ${bit} of the visitor's`);
    return assert.notEqual(setCookies(answer)[it.cookie("visitor")].value, visitor, "another's name");
  });
  assert.deepEqual([(await waiter.status()).json.number, waiter.ahead], [waiter.number, 0]);
});

row("c02_a_cut_mac_is_no_mac: every shorter and every longer token", {}, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const { bytes } = open(pass);
  const cut = Array.from({ length: bytes.length }, (_, length) => bytes.subarray(0, length).toString("base64url"));
  const longer = [1, 2, 3, 32].map((more) => Buffer.concat([bytes, Buffer.alloc(more)]).toString("base64url"));
  const unsigned = Buffer.concat([open(pass).signed, Buffer.alloc(32)]).toString("base64url");
  await each([...cut, ...longer, unsigned], (token) => it.deadPass(token, `${token.length} characters`));
});

row("c03_no_kind_passes_for_another: ticket, visitor and farewell as pass, pass as ticket", { permits: 2 }, async (it) => {
  const holder = await it.holder();
  const [pass, ticket, visitor] = ["pass", "ticket", "visitor"].map((kind) => holder.cookie(kind));
  for (const other of [ticket, visitor]) await it.deadPass(other);
  // The kind's byte changed and signed by whoever could: the length alone gives it away.
  for (const kind of [1, 2, 4, 0, 5, 255]) {
    const signed = Buffer.from(open(pass).signed);
    signed[1] = kind;
    await it.deadPass(seal(it.secrets.BATON_SECRET, scopeOf(it), signed), `kind ${kind}`);
  }
  const cookie = `${it.cookie("visitor")}=${visitor}; ${it.cookie("ticket")}=${pass}`;
  assert.equal((await it.rawAt(`/__baton/${it.room}/status`, { headers: { cookie } })).status, 401, "a pass is no ticket");
  const swapped = `${it.cookie("visitor")}=${ticket}; ${it.cookie("ticket")}=${visitor}`;
  assert.equal(JSON.parse((await it.rawAt(`/__baton/${it.room}/status`, { headers: { cookie: swapped } })).body).state, "none");
});

row("c04_a_token_is_at_home_in_one_room_of_one_host: renamed for another, carried to another", {}, async (it) => {
  const holder = await it.holder();
  const pass = holder.cookie("pass");
  const elsewhere = await it.rawAt("/c02/x", { headers: { ...JSON_ONLY, cookie: `baton-c02-pass=${pass}` } });
  assert.equal(elsewhere.status, 429, "another room");
  for (const host of [`localhost:${it.port}`, "127.0.0.1", `127.0.0.1:${it.port + 1}`]) {
    await it.refused("x", { headers: { cookie: `${it.cookie("pass")}=${pass}`, host } }, host);
  }
  // Same bytes, divided otherwise: the MAC covers lengths.
  const merged = seal(it.secrets.BATON_SECRET, { room: `${it.room}1`, host: it.host.slice(1) }, open(pass).signed);
  await it.deadPass(merged, "a byte moved from the host to the room");
});

row("c05_only_known_keys: another key's id, none, a huge one", {}, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const { bytes } = open(pass);
  assert.deepEqual(bytes.subarray(2, 6), keyIdOf(it.secrets.BATON_SECRET));
  const withId = (id) => Buffer.concat([bytes.subarray(0, 2), id, bytes.subarray(6)]).toString("base64url");
  for (const id of [Buffer.alloc(4), Buffer.alloc(4, 255), Buffer.alloc(0), Buffer.alloc(2_000, 1), keyIdOf("x".repeat(32))]) {
    await it[id.length === 4 ? "strangePass" : "deadPass"](withId(id), `a key id of ${id.length} bytes`);
  }
  const old = repass(it.secrets.BATON_SECRET, scopeOf(it), pass, { fresh: Date.now() - 601_000 });
  await it.deadPass(
    Buffer.concat([open(old).bytes.subarray(0, 2), Buffer.alloc(4), open(old).bytes.subarray(6)]).toString("base64url"),
    "an unknown key, and no new token",
  );
  const strange = seal("another-secret-another-secret-another", scopeOf(it), open(pass).signed);
  await it.deadPass(strange, "another deployment's key under our key's id");
});

row("c06_one_spelling_of_base64: padding, the other alphabet, blanks, loose bits", {}, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const loose = pass.slice(0, -1) + String.fromCharCode(pass.charCodeAt(pass.length - 1) + 1);
  const standard = Buffer.from(pass, "base64url").toString("base64").replace(/=+$/, "");
  const odd = [
    `${pass}=`,
    `${pass}==`,
    loose,
    `${pass.slice(0, 9)} ${pass.slice(9)}`,
    `"${pass}`,
    `"" ${pass}`,
    `%41${pass.slice(1)}`,
    pass.toLowerCase(),
  ];
  if (standard !== pass) odd.push(standard);
  for (const token of odd) await it.deadPass(token, token.slice(-12));
});

row("c07_ends_at_the_edges_of_time: −1, 0, the greatest number", {}, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const edges = [-1n, 0n, 1n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n, 253_402_300_800_000n];
  for (const end of edges) {
    const ends = { fresh: end, lease: end, hard: end };
    await it.deadPass(repass(it.secrets.BATON_SECRET, scopeOf(it), pass, ends), `all ends at ${end}`);
  }
  const beyond = repass(it.secrets.BATON_SECRET, scopeOf(it), pass, { fresh: (1n << 64n) - 1n });
  await it.deadPass(beyond, "only the first end at the greatest number");
});

row("c08_a_pass_at_its_end: a second before it forwards; past it, only what the room says", { permits: 2, pass_ttl_s: 60 }, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const remade = (ends) => repass(it.secrets.BATON_SECRET, scopeOf(it), pass, ends);
  const now = Date.now();
  await it.livingPass(remade({ fresh: now + 1_000, lease: now + 1_000, hard: now + 1_000 }), "a second before its end");
  const renewed = await it.livingPass(remade({ fresh: now - 1, lease: now + 60_000, hard: now + 60_000 }), "past its end, the lease lives");
  assert.ok(passTimes(setCookies(renewed)[it.cookie("pass")].value).freshUntil > now, "with a new pass");
  await it.livingPass(remade({ fresh: now - 2, lease: now - 1, hard: now + 60_000 }), "past the end it knew of, and slid since");
  await it.deadPass(remade({ fresh: now - 3, lease: now - 2, hard: now - 1 }), "past its hard end");
  const others = remade({ fresh: now - 1, lease: now + 60_000, hard: now + 60_000, fence: 999 });
  const answer = await it.refused("x", { headers: { cookie: `${it.cookie("pass")}=${others}` } }, "past its end, and no such lease");
  assert.equal(setCookies(answer)[it.cookie("pass")].value, "");
});

row(
  "c10_after_the_lease_ran_out: the waiting answer at once, never more inside than permits",
  { lease_idle_s: 1, lease_max_s: 2, claim_within_s: 1, pass_ttl_s: 60 },
  async (it) => {
    const first = await it.holder();
    const pass = first.cookie("pass");
    await until(passTimes(pass).leaseEnds + 300);
    await it.refused("x", { headers: { cookie: `${it.cookie("pass")}=${pass}` } }, "the old pass");
    const second = await eventually(
      async () => {
        const visitor = it.visitor();
        return (await visitor.arrive()).state === "shop" && visitor;
      },
      { what: "the permit's return" },
    );
    assert.ok(second.cookie("pass"));
    await it.refused("x", { headers: { cookie: `${it.cookie("pass")}=${pass}` } }, "the old pass, while another is in");
    const { inside, called, permits } = await it.report();
    assert.ok(inside + called <= permits, `${inside} inside, ${called} called`);
  },
);

row("c61_two_good_passes_spliced: no part of one goes with a part of the other", { permits: 3 }, async (it) => {
  const [a, b] = [(await it.holder()).cookie("pass"), (await it.holder()).cookie("pass")].map((pass) => open(pass).bytes);
  assert.equal(a.length, b.length);
  const cuts = Array.from({ length: a.length - 1 }, (_, at) => at + 1);
  await each(cuts, (at) => {
    const spliced = Buffer.concat([a.subarray(0, at), b.subarray(at)]);
    if (spliced.equals(a) || spliced.equals(b)) return undefined;
    return it.deadPass(spliced.toString("base64url"), `cut at ${at}`);
  });
});

row("c62_every_other_version_and_kind: nothing is read as the nearest thing", {}, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  for (const at of [0, 1]) {
    await each(
      bytes.filter((byte) => byte !== open(pass).signed[at]),
      (byte) => {
        const signed = Buffer.from(open(pass).signed);
        signed[at] = byte;
        return it.deadPass(seal(it.secrets.BATON_SECRET, scopeOf(it), signed), `byte ${at} = ${byte}`);
      },
    );
  }
});

row("c63_a_ticket_without_its_visitor: found or stolen, it shows nothing and claims nothing", {}, async (it) => {
  const holder = await it.holder();
  const owner = await it.waiter();
  const thief = it.visitor();
  await thief.arrive();
  thief.jar.set(it.cookie("ticket"), owner.cookie("ticket"));
  for (const call of ["status", "claim", "join", "leave"]) {
    thief.jar.set(it.cookie("ticket"), owner.cookie("ticket"));
    const answer = await thief.call(call, { method: call === "status" ? "GET" : "POST" });
    assert.deepEqual([answer.status, answer.error], [401, "bad_ticket"], call);
  }
  await holder.leave();
  await eventually(async () => (await owner.status()).json.state === "called", { what: "the owner's call" });
  const alone = await it.raw("x", { headers: { ...PAGE, cookie: `${it.cookie("ticket")}=${owner.cookie("ticket")}` } });
  assert.equal(alone.headers["baton-state"], "waiting", "the call is the owner's");
  assert.equal((await owner.arrive()).state, "shop");
});

row("c64_cookies_planted_in_front: a few shut nobody out, thousands cost little and open nothing", {}, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const name = it.cookie("pass");
  const planted = (count) => Array.from({ length: count }, (_, i) => `${name}=${flipped(pass, i)}`).join("; ");
  const few = await it.raw("x", { headers: { ...JSON_ONLY, cookie: `${planted(7)}; ${name}=${pass}` } });
  assert.equal(few.status, 200);
  const startedAt = Date.now();
  await it.refused("x", { headers: { cookie: `${planted(90)}; ${name}=${pass}` } }, "ninety in front");
  assert.ok(Date.now() - startedAt < 2_000);
});

row("c65_a_cookie_of_nearly_the_name: other case, blanks inside, a prefix more or less", {}, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const name = it.cookie("pass");
  for (const near of [
    name.toUpperCase(),
    `__Host-${name}`,
    `__Secure-${name}`,
    `${name}x`,
    `x${name}`,
    `${name}%20`,
    "pass",
    `baton-${it.room.toUpperCase()}-pass`,
  ]) {
    await it.refused("x", { headers: { cookie: `${near}=${pass}` } }, near);
  }
});

row("c66_each_secret_opens_its_own_door: no token made with the origin's secret or the operator's", {}, async (it) => {
  const pass = (await it.holder()).cookie("pass");
  const { signed } = open(pass);
  for (const secret of [it.secrets.ORIGIN_SECRET, it.secrets.BATON_ADMIN_TOKEN, ""]) {
    const own = Buffer.from(signed);
    keyIdOf(secret).copy(own, 2);
    await it.strangePass(seal(secret, scopeOf(it), own), "with its own key id");
    await it.deadPass(seal(secret, scopeOf(it), signed), "with the key id of BATON_SECRET");
  }
  // The root key itself, in place of a kind's.
  const rooted = Buffer.concat([signed, createHmac("sha256", it.secrets.BATON_SECRET).update(signed).digest()]);
  await it.deadPass(rooted.toString("base64url"), "signed with the secret itself");
});

row("c67_a_farewell_opens_reads_only: no submission, by no method, and no way back in", { pass_ttl_s: 20 }, async (it) => {
  const holder = await it.holder();
  it.origin((request, response, body) => {
    if (request.url.endsWith("/release")) response.setHeader("Baton-Release", "1");
    response.end(JSON.stringify({ method: request.method, headers: request.headers, body }));
  });
  assert.equal((await holder.request(`${it.base}release`, { headers: JSON_ONLY })).status, 200);
  const cookie = `${it.cookie("pass")}=${holder.cookie("pass")}`;
  const thanks = await it.raw("thanks", {
    headers: { ...JSON_ONLY, cookie, "x-http-method-override": "POST", "x-http-method": "DELETE", "x.method.override": "PUT" },
  });
  assert.equal(thanks.status, 200);
  const { headers } = JSON.parse(thanks.body);
  assert.deepEqual(
    Object.keys(headers).filter((name) => /method/.test(name)),
    [],
    "a look stays a look",
  );
  assert.equal(headers["baton-fence"], undefined);
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND", "OPTIONS"]) {
    await it.refused("thanks", { method, headers: { cookie } }, method);
  }
  const asTicket = `${it.cookie("visitor")}=${holder.cookie("visitor")}; ${it.cookie("ticket")}=${holder.cookie("pass")}`;
  assert.equal((await it.rawAt(`/__baton/${it.room}/status`, { headers: { cookie: asTicket } })).status, 401);
  const claim = await it.rawAt(`/__baton/${it.room}/claim`, { method: "POST", headers: { cookie } });
  assert.deepEqual([claim.status, JSON.parse(claim.body).error.code], [403, "cookies_required"], "it is nobody's proof of who they are");
});
