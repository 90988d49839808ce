// Who may operate, on the real runtime: roles and rooms, and operators that the house keeps.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { csvOf } from "../../web/desk/done.js";
import { audited } from "../support/audit.mjs";
import { coded } from "../support/logs.mjs";
import { BOUND_MS, housed, ROOM, TOKEN } from "./support/housed.mjs";
import { eventually } from "./support/world.mjs";

const sha256 = (token) => createHash("sha256").update(token).digest("hex");
const [OWNER, MIKA, NOOR, BOUND] = ["owner", "mika", "noor", "bound"].map((name) => `${name}-${"x".repeat(40)}`);
const FILE = [{ name: "bound", role: "own", rooms: ["spring"], sha256: sha256(BOUND) }];

/** A world with two rooms of the file, a house, and calls by anybody's token. */
async function staffed(t, { vars = {} } = {}) {
  const rooms = { onsale: { paths: ["/file/*"], permits: 1 }, other: { paths: ["/other/*"], permits: 1 } };
  const world = await housed(t, { rooms, vars: { OPERATORS: FILE, ...vars } });
  const as =
    (token) =>
    async (path, { headers = {}, ...options } = {}) =>
      world.house.call(path, { ...options, headers: { ...headers, authorization: `Bearer ${token}` } });
  const names = ({ json }) => json.rooms.map(({ room }) => room);
  return { ...world, as, names };
}

const person = (role, token, more = {}) => ({ role, sha256: sha256(token), ...more });
const codeOf = ({ status, text }) => [status, text.startsWith('{"error"') ? JSON.parse(text).error.code : undefined];

test("c171_an_operator_elsewhere: one of the house is in and out within the bound, and sees and does the own rooms alone", async (t) => {
  const { house, as, names, url } = await staffed(t);
  await house.put("spring", ROOM);
  const mika = as(MIKA);
  assert.deepEqual(codeOf(await mika("rooms")), [401, "unauthorized"]);
  const put = await house.call("house/operators/mika", { method: "PUT", body: person("operate", MIKA, { rooms: ["onsale", "spring"] }) });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(put.json.operators, { mika: { role: "operate", rooms: ["onsale", "spring"], token: true } });
  assert.ok(!put.text.includes(sha256(MIKA)), "what is made of a token never comes out");
  const within = (look, what) => eventually(look, { what, timeoutMs: BOUND_MS });
  await within(async () => (await mika("rooms")).status === 200, "mika is in");
  const seen = await mika("rooms");
  assert.deepEqual(seen.json.operator, { name: "mika", role: "operate", rooms: ["onsale", "spring"] });
  assert.deepEqual(names(seen), ["onsale", "spring"]);
  for (const what of ["", "/journal", "/hour", "/outlook"]) assert.deepEqual(codeOf(await mika(`rooms/other${what}`)), [403, "forbidden"], what);
  assert.equal((await mika("rooms/onsale", { method: "PATCH", body: { permits: 3 } })).json.changed.permits.by, "mika");
  assert.deepEqual(codeOf(await mika("rooms/other", { method: "PATCH", body: { permits: 3 } })), [403, "forbidden"]);
  const text = await (await fetch(new URL("/__baton/metrics", url), { headers: { authorization: `Bearer ${MIKA}` } })).text();
  assert.ok(text.includes('room="onsale"') && !text.includes('room="other"'));
  // Mika sees the own rooms of the house, and changes none of them.
  const look = await mika("house");
  assert.deepEqual([Object.keys(look.json.rooms), look.json.operators, look.json.undo], [["spring"], undefined, []]);
  for (const [path, options] of [
    ["house/rooms/spring", { method: "PUT", body: ROOM }],
    ["house/undo", { method: "POST", headers: { "if-match": '"2"' } }],
    ["house/journal", {}],
  ]) {
    assert.deepEqual(codeOf(await mika(path, options)), [403, "forbidden"], path);
  }
  await house.call("house/operators/mika", { method: "DELETE" });
  await within(async () => (await mika("rooms")).status === 401, "mika is out");
});

test("c172_who_raises_themselves: nobody does, the last owner stays, and names, tokens and reserved names are nobody else's", async (t) => {
  const { house, as, baton } = await staffed(t, {
    vars: { OPERATORS: [...FILE, { name: "owner", role: "own", ends_at: "2099-01-01T00:00:00Z", sha256: sha256(OWNER) }], BATON_ADMIN_TOKEN: "" },
  });
  const owner = as(OWNER);
  const set = (who, name, table, headers) => who(`house/operators/${name}`, { method: "PUT", body: table, headers });
  assert.equal((await set(owner, "noor", person("own", NOOR))).status, 200);
  assert.equal((await set(owner, "mika", person("operate", MIKA), { "if-match": '"0"' })).status, 412);
  assert.equal((await set(owner, "mika", person("operate", MIKA), { "if-match": '"1"' })).status, 200);
  const mika = as(MIKA);
  await eventually(async () => (await mika("rooms")).status === 200, { what: "mika is in", timeoutMs: BOUND_MS });
  for (const who of [mika, as(BOUND)]) {
    assert.deepEqual(codeOf(await set(who, "mika", person("own", MIKA))), [403, "forbidden"]);
    assert.deepEqual(codeOf(await set(who, "bound", person("own", BOUND))), [403, "forbidden"]);
  }
  // Who is bound to a room changes that one, also by a file, and nothing else.
  const bound = as(BOUND);
  assert.equal((await bound("house/rooms/spring", { method: "PUT", body: ROOM })).status, 200);
  const apply = (rooms) => bound("house/apply", { method: "POST", body: { rooms }, headers: { "if-match": '"3"' } });
  assert.deepEqual(codeOf(await apply({ spring: { ...ROOM, permits: 2 }, autumn: { ...ROOM, paths: ["/a/*"] } })), [403, "forbidden"]);
  assert.deepEqual(codeOf(await bound("house/undo", { method: "POST", headers: { "if-match": '"3"' } })), [403, "forbidden"]);
  assert.equal((await apply({ spring: { ...ROOM, permits: 2 } })).status, 200);
  const bad = [
    ["bound", person("view", NOOR), /is that of bound as well/],
    ["zoe", person("view", OWNER), /sha256: is that of owner as well/],
    ["zoe", person("view", MIKA), /is that of mika as well/],
    ["zoe", { role: "view" }, /sha256: is missing/],
    ["zoe", { role: "view", token: "hush-hush" }, /stands in the file/],
    ["zoe", { role: "view", email: "zoe@example.com" }, /needs an identity provider/],
  ];
  for (const [name, table, why] of bad) {
    const { status, text } = await set(owner, name, table);
    assert.equal(status, 400, text);
    assert.match(text, why);
    assert.ok(!text.includes("hush"));
  }
  for (const name of ["schedule", "operator", "baton", "house", "system", "a%20b", ""])
    assert.equal((await set(owner, name, person("view", MIKA))).status, 404, name);
  for (const [options, status] of [
    [{ method: "DELETE" }, 409],
    [{ method: "PUT", body: person("operate", NOOR) }, 409],
    [{ method: "PUT", body: person("own", NOOR, { rooms: ["onsale"] }) }, 409],
    [{ method: "PUT", body: person("own", `new-${NOOR}`) }, 200],
  ]) {
    assert.equal((await owner("house/operators/noor", options)).status, status, JSON.stringify(options));
  }
  assert.deepEqual(codeOf(await owner("house/operators/zoe", { method: "DELETE" })), [404, "unknown_operator"]);
  // With the secret there is always somebody.
  await baton.restart({ signal: "SIGTERM", vars: { BATON_ADMIN_TOKEN: TOKEN } });
  assert.equal((await house.call("house/operators/noor", { method: "DELETE" })).status, 200);
});

test("c173_whoever_was_removed: an undo brings operators back, the journal hides who they are and is sound, and a deploy that takes a name wins", async (t) => {
  const { house, as, baton, logs } = await staffed(t);
  await house.call("house/operators/mika", { method: "PUT", body: person("view", MIKA) });
  const gone = await house.call("house/operators/mika", { method: "DELETE" });
  assert.deepEqual(gone.json.undo, [{ operator: "mika", does: "create", from: null, to: { role: "view", token: true } }]);
  const back = await house.call("house/undo", { method: "POST", headers: { "if-match": gone.etag } });
  assert.deepEqual(back.json.operators, { mika: { role: "view", token: true } });
  const { text } = await house.call("house/journal");
  for (const hidden of ["mika", sha256(MIKA), "view"]) assert.ok(!text.includes(hidden), text);
  const { sound, text: why } = await audited(text);
  assert.ok(sound, why);
  assert.equal(coded(logs(), "operators_changed").length, 3);
  await eventually(async () => (await as(MIKA)("rooms")).status === 200, { what: "mika is back", timeoutMs: BOUND_MS });
  await baton.restart({ signal: "SIGTERM", vars: { OPERATORS: [{ name: "mika", role: "operate", sha256: sha256(NOOR) }] } });
  assert.equal((await as(NOOR)("rooms")).json.operator.role, "operate");
  assert.equal((await as(MIKA)("rooms")).status, 401, "the house's mika is nobody beside the file's");
  assert.match(coded(logs(), "house_operator_bad")[0].why, /operators\.mika\.name: is that of mika as well/);
});

test("another role or room keeps the token, another token ends the old one, and owners are told whom the file names", async (t) => {
  const until = "2099-01-01T00:00:00+09:00";
  const { house, as } = await staffed(t, {
    vars: { OPERATORS: [...FILE, { name: "shop", role: "release", rooms: ["onsale"], ends_at: until, sha256: sha256(OWNER) }] },
  });
  const patch = (name, body, headers) => house.call(`house/operators/${name}`, { method: "PATCH", body, headers });
  const put = await house.call("house/operators/mika", { method: "PUT", body: person("view", MIKA, { rooms: ["onsale"] }) });
  const mika = as(MIKA);
  const within = (look, what) => eventually(look, { what, timeoutMs: BOUND_MS });
  await within(async () => (await mika("rooms")).status === 200, "mika is in");
  assert.equal((await patch("mika", { role: "own" }, { "if-match": '"0"' })).status, 412);
  const changed = await patch("mika", { role: "operate", rooms: null }, { "if-match": put.etag });
  assert.deepEqual([changed.status, changed.json.operators], [200, { mika: { role: "operate", token: true } }]);
  await within(async () => (await mika("rooms")).json.operator.role === "operate", "mika operates, by the same token");
  assert.deepEqual((await mika("rooms")).json.operator.rooms, []);
  assert.deepEqual(
    codeOf(await mika("house/operators/mika", { method: "PATCH", body: { role: "own" } })),
    [403, "forbidden"],
    "nobody raises themselves",
  );
  assert.equal((await patch("mika", { sha256: sha256(NOOR) })).status, 200);
  await within(
    async () => (await as(NOOR)("rooms")).status === 200 && (await mika("rooms")).status === 401,
    "the new token opens, the old one does not",
  );
  for (const [body, why] of [
    [{ role: "all" }, /is none of/],
    [{ rooms: [] }, /leave it out/],
    [{ sha256: null }, /sha256: is missing/],
    [{ token: "hush-hush" }, /stands in the file/],
  ]) {
    const { status, text } = await patch("mika", body);
    assert.equal(status, 400, text);
    assert.match(text, why);
  }
  assert.deepEqual(codeOf(await patch("zoe", { role: "view" })), [404, "unknown_operator"]);
  assert.deepEqual(codeOf(await patch("bound", { role: "view" })), [404, "unknown_operator"], "the file's are the file's");
  assert.deepEqual((await house.look()).json.operators_of_file, {
    bound: { role: "own", rooms: ["spring"], token: true },
    operator: { role: "own", token: true },
    shop: { role: "release", rooms: ["onsale"], token: true, ends_at: "2098-12-31T15:00:00Z" },
  });
  assert.equal((await as(NOOR)("house")).json.operators_of_file, undefined, "for owners alone");
});

test("c174_the_list_of_who_did_what: each sees what concerns the own rooms, whole and in pages, and as a table without formulas", async (t) => {
  const { house, as, url } = await staffed(t);
  await house.put("spring", ROOM);
  await house.call("house/operators/mika", { method: "PUT", body: person("view", MIKA, { rooms: ["onsale"] }) });
  for (const [room, permits] of [
    ["onsale", 3],
    ["other", 4],
    ["spring", 5],
  ])
    await house.patch(room, { permits, message: '=1+1, "x"' });
  const list = async (call, query = "") => (await call(`actions${query}`)).json;
  const short = ({ room, by, does, what }) => [room, by, does, what];
  const all = await list(house.call);
  const message = '=1+1, "x"';
  assert.deepEqual(all.actions.map(short), [
    ["other", "operator", "change", { message, permits: 4 }],
    ["onsale", "operator", "change", { message, permits: 3 }],
    ["~house", "operator", "set_operator", { operator: "mika" }],
    ["~house", "operator", "define", { generation: 1, room: "spring" }],
  ]);
  assert.deepEqual([all.more, all.silent], [[], []]);
  assert.deepEqual((await list(house.call, "?room=spring")).actions.map(short), [["spring", "operator", "change", { message, permits: 5 }]]);
  const last = all.actions[0].at_ms;
  assert.deepEqual(
    (await list(house.call, `?since=${last}`)).actions.filter(({ at_ms: atMs }) => atMs < last),
    [],
  );
  assert.deepEqual(
    (await list(house.call, "?room=~house&before=2")).actions.map(({ row }) => row),
    [1],
  );
  await eventually(async () => (await as(MIKA)("rooms")).status === 200, { what: "mika is in", timeoutMs: BOUND_MS });
  assert.deepEqual((await list(as(MIKA))).actions.map(short), [["onsale", "operator", "change", { message, permits: 3 }]]);
  assert.deepEqual((await list(as(MIKA), "?room=~house")).actions, [], "who operates is not for everybody");
  assert.deepEqual(codeOf(await as(MIKA)("actions?room=other")), [403, "forbidden"]);
  for (const [query, expected] of [
    ["?room=none", [404, "unknown_room"]],
    ["?before=x", [400, "bad_request"]],
    ["?since=-1", [400, "bad_request"]],
  ])
    assert.deepEqual(codeOf(await house.call(`actions${query}`)), expected, query);
  const site = new URL(url).origin;
  const run = async (...flags) => {
    const done = spawn(process.execPath, [inRoot("scripts", "house.mjs"), "actions", "--url", site, ...flags], {
      env: { ...process.env, BATON_ADMIN_TOKEN: TOKEN },
    });
    const out = (await Array.fromAsync(done.stdout)).join("");
    return { status: done.exitCode ?? (await once(done, "close"))[0], out };
  };
  const table = await run("--format", "csv");
  assert.equal(table.status, 0);
  assert.match(table.out, /^at,by,room,does,what,row\r\n/);
  assert.equal(table.out.trim().split("\r\n").length, 5);
  assert.match(table.out, /,operator,other,change,"{""message"":""=1\+1, \\""x\\"""",""permits"":4}",/);
  assert.equal(
    csvOf([{ at_ms: 0, by: "@SUM(A1)", room: "a", does: "change", what: {}, row: 1 }]).split("\r\n")[1],
    "1970-01-01T00:00:00.000Z,'@SUM(A1),a,change,{},1",
  );
  assert.equal((await run("--format", "xml")).status, 2);
});
