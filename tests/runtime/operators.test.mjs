// Several operators: each is known by an own token, does what the role allows, and stands in the journal by name. A
// removal, or a lesser role, holds at once.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { parse } from "smol-toml";
import { inRoot } from "../../scripts/common.mjs";
import { audited, journalOf } from "../support/audit.mjs";
import { coded } from "../support/logs.mjs";
import { cookieOf, startWorld } from "./support/world.mjs";

const SECRET = "an operator's token that nobody guesses";
const VIEW = "a token for looking at rooms, nothing else";
const OPERATE = "a token for whoever turns the knobs as well";
const SHORT = "too short a token to be safe";
const ROOMS = "/__baton/admin/rooms";
const ROOM = `${ROOMS}/onsale`;
const DOOR = "/__baton/admin/session";
const HOST = "tickets.example.com";

const sha256 = (token) => createHash("sha256").update(token).digest("hex");
const entry = (name, role, token) => ({ name, role, sha256: sha256(token) });
const EVERYBODY = [entry("mika", "view", VIEW), entry("noor@example.com", "operate", OPERATE), entry("short", "operate", SHORT)];

async function operated(t, { secret = SECRET, operators = EVERYBODY } = {}) {
  const world = await startWorld(t, { room: { permits: 1 }, vars: { BATON_ADMIN_TOKEN: secret, OPERATORS: operators } });
  const call = (token, path, { method = "GET", body, headers = {} } = {}) => {
    const authorization = token && { authorization: `Bearer ${token}` };
    return fetch(new URL(path, world.url), { method, headers: { ...authorization, ...headers }, body: body && JSON.stringify(body) });
  };
  return { ...world, call };
}

const saying = async (answer) => (await answer.json()).error;

test("to view is to see everything; what changes something is refused, with the role that is missing", async (t) => {
  const { call } = await operated(t);
  for (const path of [ROOMS, ROOM, `${ROOM}/journal`, "/__baton/metrics"]) {
    for (const token of [VIEW, OPERATE, SECRET]) assert.equal((await call(token, path)).status, 200, path);
  }
  const changes = [
    [ROOM, { method: "PATCH", body: { permits: 9 } }],
    [`${ROOM}/tickets/1/release`, { method: "POST" }],
  ];
  for (const [path, options] of changes) {
    const refused = await call(VIEW, path, options);
    assert.deepEqual(
      [refused.status, await saying(refused)],
      [403, { code: "forbidden", message: "Your role is view; this needs the role operate." }],
    );
  }
  assert.equal((await (await call(VIEW, ROOM)).json()).revision, 0, "nothing was changed");
  const statuses = [];
  for (const [path, options] of changes) statuses.push((await call(OPERATE, path, options)).status);
  assert.deepEqual(statuses, [200, 410]);
});

test("who asks is told who that is, and who changed what; an export names nobody", async (t) => {
  const { call, url } = await operated(t);
  const asking = async (token) => (await (await call(token, ROOMS)).json()).operator;
  assert.deepEqual(await asking(VIEW), { name: "mika", role: "view", rooms: [] });
  assert.deepEqual(await asking(SECRET), { name: "operator", role: "own", rooms: [] });
  const changed = await (await call(OPERATE, ROOM, { method: "PATCH", body: { permits: 3 } })).json();
  assert.equal(changed.changed.permits.by, "noor@example.com");
  const paused = await (await call(SECRET, ROOM, { method: "PATCH", body: { mode: "paused" } })).json();
  assert.deepEqual([paused.changed.permits.by, paused.changed.mode.by], ["noor@example.com", "operator"]);
  const text = await (await call(VIEW, `${ROOM}/journal`)).text();
  const events = text
    .trimEnd()
    .split("\n")
    .slice(1)
    .flatMap((line) => JSON.parse(line).events);
  assert.equal(events.filter(({ adjusted }) => adjusted).length, 2);
  assert.doesNotMatch(text, /noor/);
  const { sound, text: why } = await audited(await journalOf({ url, token: VIEW }));
  assert.ok(sound, why);
});

test("c175_a_token_that_is_none: nothing but a whole token opens: no hash, no short one, none of somebody who is not named", async (t) => {
  const { call } = await operated(t);
  for (const token of [sha256(VIEW), VIEW.slice(1), `${VIEW}x`, SHORT, "", "somebody else's token, long enough for one"]) {
    const refused = await call(token, ROOMS);
    assert.deepEqual([refused.status, (await saying(refused)).code], [401, "unauthorized"], token);
  }
  const unset = await operated(t, { secret: "" });
  assert.equal((await unset.call(VIEW, ROOMS)).status, 200, "named operators need no secret");
  assert.equal((await unset.call(SECRET, ROOMS)).status, 401);
});

test("a cookie of the desk is one operator's, with the role of now, and ends with that operator", async (t) => {
  const world = await operated(t);
  const ask = (cookie, path = ROOMS, options = {}) =>
    world.raw(path, { ...options, headers: { host: HOST, cookie: cookie && `${cookie.name}=${cookie.value}`, ...options.headers } });
  const signIn = async (token) => {
    const answer = await world.raw(DOOR, { method: "POST", headers: { host: HOST, authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 204, answer.body);
    return cookieOf(answer.headers["set-cookie"][0]);
  };
  const [mika, noor] = [await signIn(VIEW), await signIn(OPERATE)];
  const who = async (cookie) => {
    const { status, body } = await ask(cookie);
    return status === 200 ? JSON.parse(body).operator : status;
  };
  const patch = async (cookie) =>
    (await ask(cookie, ROOM, { method: "PATCH", headers: { origin: new URL(`http://${HOST}`).origin }, body: '{"permits":5}' })).status;
  assert.deepEqual([await who(mika), await patch(mika)], [{ name: "mika", role: "view", rooms: [] }, 403]);
  assert.deepEqual([await who(noor), await patch(noor)], [{ name: "noor@example.com", role: "operate", rooms: [] }, 200]);
  // The next deploy: noor may only look, mika is gone, and somebody else has that name.
  await world.baton.restart({
    signal: "SIGTERM",
    vars: { OPERATORS: [entry("noor@example.com", "view", OPERATE), entry("mika", "operate", `another ${VIEW}`)] },
  });
  assert.deepEqual([await who(noor), await patch(noor)], [{ name: "noor@example.com", role: "view", rooms: [] }, 403]);
  assert.deepEqual([await who(mika), await patch(mika)], [401, 401]);
});

test("`npm run operator-token` names the most days that it takes", () => {
  const made = (days) =>
    spawnSync(process.execPath, [inRoot("scripts", "operator-token.mjs"), "hooks", "release", "onsale", days], { encoding: "utf8" });
  const { status, stderr } = made("1e9");
  assert.deepEqual([status, /36500 days at most/.test(stderr), /^ {4}at /m.test(stderr)], [2, true, false], stderr);
  assert.match(made("36500").stdout, /ends_at = "2\d{3}-/);
});

test("what `npm run operator-token` prints opens what it says", async (t) => {
  const printed = execFileSync(process.execPath, [inRoot("scripts", "operator-token.mjs"), "mika", "view"], { encoding: "utf8" });
  const token = printed.match(/^ {4}(\S+)$/m)[1];
  const { vars } = parse(printed.slice(printed.indexOf("[[vars")));
  const { call } = await operated(t, { secret: "", operators: vars.OPERATORS });
  assert.deepEqual((await (await call(token, ROOMS)).json()).operator, { name: "mika", role: "view", rooms: [] });
});

test("operators who are wrong are a bad configuration, said in the log, with no token in it", async (t) => {
  const world = await operated(t, { operators: [{ name: "mika", role: "all", token: VIEW }] });
  assert.equal((await world.call(SECRET, "/buy/")).status, 503);
  const said = coded(world.logs(), "config_bad")
    .map(({ why }) => why)
    .join("\n");
  assert.match(said, /OPERATORS\[0\]\.role = "all": is none of/);
  assert.match(said, /OPERATORS\[0\]\.token: stands in the file/);
  assert.ok(!world.logs().includes(VIEW));
});
