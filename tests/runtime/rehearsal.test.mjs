// Rehearsals on the live deployment: the whole command against a shop that checks proofs, the public in front of a closed room meanwhile,
// a kill in the middle, and what becomes of tokens that were forged, found, kept or used at the wrong time.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { ProofChecker } from "../../demo/proof.mjs";
import { inRoot } from "../../scripts/common.mjs";
import { operatorOf } from "../../scripts/rehearse_live/operator.mjs";
import { rehearse, verdictText } from "../../scripts/rehearse_live.mjs";
import { flipped, keyIdOf, open, seal } from "../catalogue/forge.mjs";
import { audited, journalOf } from "../support/audit.mjs";
import { eventually, raw, startOrigin, startWorld } from "./support/world.mjs";

const ADMIN = "operator-operator-operator-operator";
const ROOM = {
  mode: "closed",
  permits: 3,
  tick_ms: 50,
  linger_s: 60,
  paths: ["/buy/*"],
  tickets_per_ip_max: 1,
  joins_per_ip_per_minute: 1,
  ipv4_share: 1,
};
const NO_REHEARSAL = 403;
const KIND = 8;

/** A shop that judges proofs and says so, behind a room that is closed. */
async function staged(t, { room = {}, rooms, answer } = {}) {
  const originSecret = randomBytes(32).toString("hex");
  const checker = new ProofChecker({ secret: originSecret, publicHosts: [] });
  const origin = await startOrigin(t, async (request, response) => {
    if (answer) return answer(request, response);
    const reason = await checker.check(request);
    response.setHeader("Baton-Checked", reason === null ? "ok" : `no;${reason}`);
    response.setHeader("Content-Type", "text/html");
    return response.end("the shop");
  });
  const vars = { BATON_ADMIN_TOKEN: ADMIN, ORIGIN_SECRET: originSecret };
  const world = await startWorld(t, { room: { ...ROOM, ...room }, rooms, origin: origin.url, vars });
  checker.trustHost(`127.0.0.1:${world.baton.port}`);
  const operator = operatorOf({ url: world.url, room: "onsale", token: ADMIN });
  const options = {
    url: world.url,
    room: "onsale",
    token: ADMIN,
    minutes: 5,
    seed: 7,
    arriveWithinMs: 1_000,
    holdMs: [600, 1_200],
    answerMsMax: 2_000,
    visitors: 9,
  };
  const change = (values) =>
    fetch(new URL("/__baton/admin/rooms/onsale", world.url), {
      method: "PATCH",
      headers: { authorization: `Bearer ${ADMIN}`, origin: new URL(world.url).origin },
      body: JSON.stringify(values),
    }).then(({ status }) => assert.equal(status, 200));
  const shown = (token, { path = "/buy/", ...more } = {}) =>
    raw(world.baton.port, path, { ...more, headers: { host: `127.0.0.1:${world.baton.port}`, "baton-rehearsal": token, ...more.headers } });
  const rehearsing = (token) => world.visitor({ headers: { "baton-rehearsal": token } });
  return { ...world, origin, operator, options, change, shown, rehearsing };
}

/** What somebody of the public meets, and that it is a closed room. */
async function meetsClosed(world, what) {
  const visitor = world.visitor();
  const page = await visitor.arrive();
  const { json } = await visitor.join();
  assert.deepEqual([page.state, json.mode, json.state, visitor.number], ["waiting", "closed", "none", undefined], what);
}

/** Somebody without cookies is given a name first, and then comes in. */
async function comesIn(visitor, what = "comes in") {
  await visitor.arrive();
  await eventually(async () => (await visitor.arrive()).state === "shop", { what });
  return visitor;
}

const coded = ({ status, body }) => [status, JSON.parse(body).error.code];

test("a rehearsal in one command: everybody is served in order, the public sees a closed room, nothing is left, and it is go", {
  timeout: 240_000,
}, async (t) => {
  const world = await staged(t);
  const before = await world.operator.look();
  const said = [];
  const { go, findings } = await rehearse(world.options, { say: (text) => said.push(text) });
  assert.equal(go, true, verdictText({ go, findings }));
  assert.deepEqual(
    findings.map(({ check }) => check),
    ["served", "order", "ahead", "permits", "calls", "origin", "proofs", "closed", "reset"],
  );
  const seen = world.origin.requests.filter(({ headers }) => headers["baton-fence"]);
  assert.ok(seen.length >= 9 * 4, `${seen.length} requests reached the shop`);
  for (const { headers, method } of seen) {
    assert.deepEqual([method, headers["baton-room"], headers["baton-rehearsal"]], ["GET", "onsale", "1"]);
    assert.ok(Number(headers["baton-edition"]) > 1_000_000_000, "no edition of a sale");
  }
  const after = await world.operator.look();
  assert.deepEqual([after.report.edition, after.report.next_number, after.report.totals.joined], [before.report.edition, 1, 0]);
  const stage = await world.operator.stage();
  assert.deepEqual([stage.report.mode, stage.report.inside, stage.report.waiting, stage.room], ["closed", 0, 0, "onsale"]);
  const { sound, text } = await audited(await journalOf({ url: world.url, token: ADMIN, room: "onsale/rehearsal" }));
  assert.ok(sound, text);
  await meetsClosed(world, "afterwards");
});

test("what is not right is no go, and says what to do: a shop that fails, that says nothing of proofs, that is slow", {
  timeout: 240_000,
}, async (t) => {
  const shop = { how: "silent" };
  const world = await staged(t, {
    answer: (_request, response) => {
      if (shop.how === "failing") response.statusCode = 500;
      setTimeout(() => response.end("the shop"), shop.how === "slow" ? 700 : 0);
    },
  });
  const wrong = async (options) => {
    const { go, findings } = await rehearse({ ...world.options, visitors: 6, ...options });
    assert.equal(go, false);
    return Object.fromEntries(findings.filter(({ is }) => is !== "ok").map(({ check, is, cure }) => [check, [is, cure.length > 20]]));
  };
  assert.deepEqual(await wrong({}), { proofs: ["missing", true] });
  shop.how = "slow";
  assert.deepEqual(await wrong({ withoutProofs: true, answerMsMax: 300 }), { origin: ["bad", true] });
  shop.how = "failing";
  const found = await wrong({ withoutProofs: true });
  assert.deepEqual(
    [found.origin, found.served],
    [
      ["bad", true],
      ["bad", true],
    ],
  );
});

test("killed in the middle it leaves the room closed and empty, and the next run ends what is left", { timeout: 240_000 }, async (t) => {
  const world = await staged(t);
  const args = [
    "scripts/rehearse_live.mjs",
    "--url",
    world.url,
    "--room",
    "onsale",
    "--visitors",
    "9",
    "--arrive-within",
    "1s",
    "--hold",
    "60s",
    "--minutes",
    "5",
  ];
  const child = spawn(process.execPath, args, { cwd: inRoot(), env: { ...process.env, BATON_ADMIN_TOKEN: ADMIN }, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stage = () => world.operator.stage().then(({ report }) => report);
  await eventually(async () => (await stage()).inside === 3 && (await stage()).waiting > 0, {
    timeoutMs: 90_000,
    everyMs: 200,
    what: "that three are inside and others wait",
  });
  child.kill("SIGKILL");
  await ended;
  const { report } = await world.operator.look();
  assert.deepEqual([report.mode, report.inside, report.waiting, report.next_number], ["closed", 0, 0, 1]);
  await meetsClosed(world, "after the kill");
  assert.equal((await stage()).inside, 3, "what was begun is still there");
  const { go, findings } = await rehearse(world.options);
  assert.equal(go, true, verdictText({ go, findings }));
  await meetsClosed(world, "after the next run");
});

test("c126_a_rehearsals_token: forged, altered, too old, of another kind, room, host or edition → 403, and none is taken for the public", {
  timeout: 120_000,
}, async (t) => {
  const world = await staged(t, { rooms: { onsale: ROOM, other: { ...ROOM, paths: ["/other/*"] } } });
  const { token, edition } = await world.operator.begin(5);
  await comesIn(world.rehearsing(token), "the token itself");
  const host = `127.0.0.1:${world.baton.port}`;
  const sealed = ({ secret = world.vars.BATON_SECRET, room = "onsale", at = host, kind = KIND, of = edition, endsAtMs = Date.now() + 60_000 }) => {
    const head = Buffer.concat([Buffer.from([1, kind]), keyIdOf(secret)]);
    const payload = Buffer.alloc(12);
    payload.writeUInt32BE(of);
    payload.writeBigUInt64BE(BigInt(endsAtMs), 4);
    return seal(secret, { room, host: at }, Buffer.concat([head, payload]));
  };
  await comesIn(world.rehearsing(sealed({})), "made from outside with the true secret");
  const visitor = world.visitor();
  await visitor.arrive();
  const bits = Array.from({ length: open(token).bytes.length }, (_, byte) => byte * 8 + (byte % 8));
  const bad = {
    "another secret": sealed({ secret: "quite another secret of forty bytes or so" }),
    "too old": sealed({ endsAtMs: Date.now() - 1 }),
    "for ever": sealed({ endsAtMs: 2n ** 63n }),
    "another room": sealed({ room: "other" }),
    "the rehearsal's own name": sealed({ room: "onsale~" }),
    "another host": sealed({ at: "localhost" }),
    "another kind": sealed({ kind: 7 }),
    "the next edition": sealed({ of: edition + 1 }),
    "the edition before": sealed({ of: edition - 1 }),
    "a visitor's name": visitor.cookie("visitor"),
    cut: token.slice(0, -4),
    longer: `${token}AAAA`,
    empty: "",
    "no token": "1",
    ...Object.fromEntries(bits.map((bit) => [`bit ${bit}`, flipped(token, bit)])),
  };
  for (const [what, text] of Object.entries(bad)) assert.deepEqual(coded(await world.shown(text)), [NO_REHEARSAL, "no_rehearsal"], what);
  assert.deepEqual(coded(await world.shown(token, { path: "/other/" })), [NO_REHEARSAL, "no_rehearsal"], "carried to another room");
  assert.deepEqual(
    coded(await world.shown(token, { path: "/__baton/other/status" })),
    [NO_REHEARSAL, "no_rehearsal"],
    "carried to another room's calls",
  );
  assert.deepEqual(
    coded(await world.shown(token, { headers: { host: `localhost:${world.baton.port}` } })),
    [NO_REHEARSAL, "no_rehearsal"],
    "carried to another host",
  );
  const second = await world.operator.begin(5);
  await comesIn(world.rehearsing(second.token), "the second");
  assert.deepEqual(coded(await world.shown(token)), [NO_REHEARSAL, "no_rehearsal"], "the rehearsal before");
  await world.operator.end();
  await world.operator.end();
  assert.deepEqual(coded(await world.shown(second.token)), [NO_REHEARSAL, "no_rehearsal"], "the one that was ended");
});

test("whoever rehearses reads the name in the file, and each of the room's calls is the rehearsal's or refused", { timeout: 120_000 }, async (t) => {
  const world = await staged(t);
  const { token } = await world.operator.begin(5);
  for (let inside = 0; inside < ROOM.permits; inside++) await comesIn(world.rehearsing(token));
  const person = world.rehearsing(token);
  await person.arrive();
  await eventually(async () => (await person.join()).json?.state === "waiting", { what: "a place in line" });
  const cookie = person.jar
    .names()
    .map((name) => `${name}=${person.jar.get(name)}`)
    .join("; ");
  const html = { accept: "text/html" };
  const form = { ...html, "content-type": "application/x-www-form-urlencoded", origin: new URL(world.url).origin };
  const [CALL, post] = ["/__baton/onsale/", { method: "POST" }];
  const asked = {
    "what is known of a stranger": [`${CALL}status`, {}],
    "of the place": [`${CALL}status`, { cookie }],
    "the page": ["/buy/", { cookie, ...html }],
    "the waiting answer": ["/buy/", { cookie, accept: "application/json" }],
    draw: [`${CALL}draw`, {}],
  };
  for (const [what, [path, headers]] of Object.entries(asked)) {
    const { body } = await world.shown(token, { path, headers });
    assert.ok(body.includes("onsale") && !body.includes("onsale~"), `${what}: ${body.slice(0, 200)}`);
  }
  const back = (
    await world.shown(token, {
      path: `${CALL}language/ja`,
      ...post,
      headers: { ...form, cookie, referer: `${world.url.replace(/\/buy.*/, "")}/buy/seats` },
    })
  ).headers;
  assert.deepEqual(
    [back.location, (await world.shown(token, { path: `${CALL}language/ja`, ...post, headers: { ...form, cookie } })).headers.location],
    ["/buy/seats", "/buy/"],
  );
  const bad = [["status"], ["draw"], ["carry/abc"], ["language/ja", { ...post, headers: form }], ["join", { ...post, headers: form }]];
  for (const [call, options] of bad)
    assert.deepEqual(coded(await world.shown(flipped(token, 200), { path: CALL + call, ...options })), [NO_REHEARSAL, "no_rehearsal"], call);
});

test("c127_a_rehearsal while the room is open, opens soon, or somebody has a place → none begins; one that goes on is over within seconds", {
  timeout: 120_000,
}, async (t) => {
  const world = await staged(t);
  const refused = async (what) => {
    const error = await world.operator.begin(5).catch((why) => why);
    assert.equal(error.status, 409, `${what}: ${error.message}`);
    return error.says;
  };
  const soon = new Date(Date.now() + 2 * 60_000).toISOString();
  await world.change({ mode: "open", opens_at: soon, hall_s: 0 });
  assert.match(await refused("it opens in two minutes"), /opens before/);
  await world.change({ opens_at: null, hall_s: null });
  assert.match(await refused("it is open"), /open for the public/);
  const buyer = await comesIn(world.visitor(), "a buyer");
  await world.change({ mode: "closed" });
  assert.match(await refused("somebody is inside"), /1 real visitors are inside/);
  await buyer.leave();
  const { token } = await world.operator.begin(5);
  const person = await comesIn(world.rehearsing(token));
  const numbers = (await world.operator.look()).report.next_number;
  await world.change({ mode: "open" });
  await eventually(async () => (await world.shown(token)).status === NO_REHEARSAL, { timeoutMs: 5_000, what: "that the rehearsal is over" });
  assert.deepEqual([(await person.arrive()).status, (await person.join()).status], [NO_REHEARSAL, NO_REHEARSAL], "with the pass that it was given");
  assert.equal((await world.operator.look()).report.next_number, numbers, "nobody of the crowd was taken for the public");
});

test("c128_a_rehearsals_cookies without its token, and a pass of the room with it → worth nothing", { timeout: 120_000 }, async (t) => {
  const world = await staged(t, { room: { mode: "open" } });
  const buyer = await comesIn(world.visitor(), "a buyer");
  const pass = buyer.cookie("pass");
  await buyer.leave();
  await world.change({ mode: "closed" });
  const { token } = await world.operator.begin(5);
  const person = await comesIn(world.rehearsing(token));
  const of = (name) => person.jar.get(name);
  const names = person.jar.names();
  assert.ok(names.includes("baton-onsale~-pass"), names.join());
  const port = world.baton.port;
  const shows = (cookie, headers = {}) => raw(port, "/buy/", { headers: { accept: "application/json", cookie, ...headers } });
  const all = names.map((name) => `${name}=${of(name)}`).join("; ");
  assert.equal((await shows(all)).headers["baton-state"], "waiting", "its cookies alone");
  assert.equal(
    (await shows(`baton-visitor=${of("baton-visitor")}; baton-onsale-pass=${of("baton-onsale~-pass")}`)).headers["baton-state"],
    "waiting",
    "renamed",
  );
  const foreign = await shows(`${names[0]}=${of(names[0])}; baton-onsale~-pass=${pass}`, { host: `127.0.0.1:${port}`, "baton-rehearsal": token });
  assert.notEqual(foreign.body, "the shop", "a pass of the room, in the rehearsal");
  assert.equal((await shows(all, { host: `127.0.0.1:${port}`, "baton-rehearsal": token })).body, "the shop", "with its token");
});

test("c129_a_rehearsals_visitor buys, writes, opens a socket of the shop → 403, and the shop sees nothing of it", { timeout: 120_000 }, async (t) => {
  const world = await staged(t);
  const { token } = await world.operator.begin(5);
  const person = await comesIn(world.rehearsing(token));
  const seen = world.origin.requests.length;
  for (const method of ["POST", "PUT", "DELETE", "PATCH"]) assert.equal((await person.arrive("/buy/book", { method })).status, NO_REHEARSAL, method);
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  assert.equal((await person.arrive("/buy/live", { headers: upgrade })).status, NO_REHEARSAL, "a socket");
  assert.equal(world.origin.requests.length, seen);
  assert.equal((await person.arrive()).state, "shop", "looking goes on");
});

test("c130_an_address of the rehearsal's own, and an operator who may only look → no room, 403; the public gets no number meanwhile", {
  timeout: 120_000,
}, async (t) => {
  const world = await staged(t);
  const { token } = await world.operator.begin(5);
  const headers = { authorization: `Bearer ${ADMIN}`, origin: new URL(world.url).origin };
  for (const name of ["onsale~", "onsale%7e", "onsale%7E"]) {
    for (const [path, options] of [
      ["join", { method: "POST" }],
      ["status", {}],
      ["draw", {}],
    ]) {
      const answer = await raw(world.baton.port, `/__baton/${name}/${path}`, { ...options, headers: { ...headers, "baton-rehearsal": token } });
      assert.equal(answer.status, 404, `${name}/${path}`);
    }
    for (const call of ["", "/rehearsal", "/journal"])
      assert.equal((await raw(world.baton.port, `/__baton/admin/rooms/${name}${call}`, { headers })).status, 404, `${name}${call}`);
  }
  const nobody = operatorOf({ url: world.url, room: "onsale", token: "nobody's token, long enough" });
  for (const call of [() => nobody.begin(5), () => nobody.stage(), () => nobody.end()]) assert.equal((await call().catch((why) => why)).status, 401);
  await meetsClosed(world, "while it goes on");
  const { report } = await world.operator.look();
  assert.deepEqual([report.next_number, report.totals.joined, report.totals.walked_in], [1, 0, 0]);
});
