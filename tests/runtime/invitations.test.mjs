// Invitations, codes, staff links and the bypass secret: who gets in by one, once, and what none of them is good for.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { inRoot } from "../../scripts/common.mjs";
import { eventually, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const ADMIN = "the operator's token of this test, long enough";
const BYPASS = "the secret of the monitors of this test, long enough";
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const ROOM = { entry: "required", permits: 0, linger_s: 60 };

async function begin(t, room = {}, { vars = {}, ...more } = {}) {
  const rooms = { onsale: { paths: ["/buy", "/buy/*"], tick_ms: 50, ...ROOM, ...room }, presale: { paths: ["/pre/*"], tick_ms: 50, ...ROOM } };
  const world = await startWorld(t, { rooms, vars: { BATON_ADMIN_TOKEN: ADMIN, BYPASS_SECRET: BYPASS, ...vars }, ...more });
  const operate = async (what, { method = "GET", body, token = ADMIN, of = "onsale" } = {}) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(new URL(`/__baton/admin/rooms/${of}/${what}`, world.baton.url), {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, json: text.startsWith("{") ? JSON.parse(text) : undefined };
  };
  const make = async (body, of) => (await operate("sheets", { method: "POST", body, of })).json;
  const invitations = async (body, of = "onsale") => {
    const { sheet } = await make(body, of);
    return { sheet, tokens: (await operate(`sheets/${sheet}/invitations`, { of })).json.invitations };
  };
  const open = (visitor, token, { at = "/buy/", ...options } = {}) => visitor.request(`${at}?baton_entry=${token}`, { headers: PAGE, ...options });
  const write = (visitor, code, headers = {}) => {
    const form = {
      "content-type": "application/x-www-form-urlencoded",
      accept: "text/html",
      origin: visitor.url.origin,
      "sec-fetch-site": "same-origin",
      referer: visitor.url.href,
      ...headers,
    };
    return visitor.request("/__baton/onsale/code", { method: "POST", headers: form, body: new URLSearchParams({ code }).toString() });
  };
  /** Somebody comes by a link, to the page and once more, as the page reloads itself. */
  const comes = async (token) => {
    const visitor = world.visitor();
    await open(visitor, token);
    await visitor.arrive();
    return { visitor, page: await visitor.request("/buy/", { headers: PAGE }) };
  };
  const used = async () => (await operate("sheets")).json.sheets.map((sheet) => sheet.used);
  return { ...world, operate, make, invitations, open, write, comes, used };
}

/** What a page says by the attributes of its body. */
const shownOn = (answer) => [answer.status, /data-state="(\w*)"/.exec(answer.body)?.[1], /data-reason="(\w*)"/.exec(answer.body)?.[1]];
const altered = (token) => `${token.slice(0, 40)}${token[40] === "A" ? "B" : "A"}${token.slice(41)}`;

test("c156_an invitation gives one place, to the first who joins with it, as often as that one comes", async (t) => {
  const { invitations, comes, open, visitor: newcomer, used } = await begin(t);
  const {
    tokens: [one, two],
  } = await invitations({ invitations: 2 });
  const { visitor: anna, page } = await comes(one);
  assert.deepEqual(shownOn(page).slice(0, 2), [200, "waiting"]);
  await open(anna, one);
  assert.equal((await anna.join()).json.number, 1, "the same again");
  const { visitor: bob, page: told } = await comes(one);
  assert.deepEqual(shownOn(told), [403, "refused", "used"]);
  assert.deepEqual((await bob.join()).json.reason, "used");
  await open(bob, two);
  assert.equal((await bob.join()).json.number, 2, "one that is good takes the place of one that is used");
  assert.deepEqual((await newcomer().join()).json.reason, "missing");
  assert.deepEqual(await used(), [2]);
});

test("c157_a link that is merely opened spends nothing, however it is opened", async (t) => {
  const { invitations, open, visitor: newcomer, used } = await begin(t, { permits: 5 });
  const {
    tokens: [one],
  } = await invitations({ invitations: 1 });
  for (const options of [{}, { method: "HEAD" }, { headers: { ...PAGE, "sec-purpose": "prefetch" } }]) {
    const scanner = newcomer();
    const opened = await open(scanner, one, options);
    assert.deepEqual([opened.status, opened.headers.location, Object.keys(setCookies(opened))], [303, "/buy/", ["baton-onsale-entry"]]);
    const page = await scanner.request("/buy/", { headers: PAGE });
    assert.deepEqual(shownOn(page).slice(0, 2), [200, "arriving"], "the redirect followed");
  }
  assert.equal((await open(newcomer(), one, { method: "POST" })).status, 400);
  assert.deepEqual(await used(), [0]);
});

test("c158_codes are guessed a few times a minute, under whatever name", async (t) => {
  const { make, write, visitor: newcomer, used } = await begin(t);
  await make({ codes: [{ code: "SUMMER-2027", uses: 2 }] });
  const visitor = newcomer();
  const answers = [];
  for (let at = 0; at < 12; at += 1) {
    assert.equal((await write(visitor, `guess-00${at}`)).status, 303);
    answers.push(shownOn(await visitor.request("/buy/", { headers: PAGE })).at(-1));
  }
  assert.equal(answers.filter((why) => why === "unknown").length, 5, answers.join());
  await write(visitor, "summer 2027");
  assert.equal((await visitor.join()).status, 429, "not even the right one, for a while");
  assert.deepEqual(await used(), [0]);
});

test("a code is written as people write, and gives as many places as it says", async (t) => {
  const { make, write, visitor: newcomer, used } = await begin(t);
  const made = await make({ codes: [{ code: "SUMMER-2027", uses: 2 }, { code: "winter27" }] });
  assert.deepEqual([made.codes, made.uses, made.used], [{ count: 2, uses: 3 }, 3, 0]);
  for (const [code, state] of [
    ["summer 2027", "waiting"],
    ["ＳＵＭＭＥＲ２０２７", "waiting"],
    ["Summer-2027", "used"],
    ["WINTER 27", "waiting"],
  ]) {
    const visitor = newcomer();
    const first = await visitor.request("/buy/", { headers: PAGE });
    assert.match(first.body, /<form[^>]*action="\/__baton\/onsale\/code"/);
    const written = await write(visitor, code);
    assert.deepEqual([written.status, written.headers.location], [303, "/buy/"]);
    const page = await visitor.request("/buy/", { headers: PAGE });
    assert.ok(shownOn(page).includes(state), `${code}: ${shownOn(page)}`);
    assert.equal(page.body.includes('/code"'), state === "used", "the form is where it is of use");
  }
  assert.deepEqual(await used(), [3]);
  assert.equal((await make({ codes: [{ code: "winter-27" }] })).error.code, "bad_request", "there already");
});

test("c159_an invitation that is altered, for another room, early, late or withdrawn gives no place, and the page says why", async (t) => {
  const { invitations, comes, operate, visitor: newcomer, open } = await begin(t);
  const now = Date.now();
  const {
    sheet,
    tokens: [good],
  } = await invitations({ invitations: 1 });
  const {
    tokens: [early],
  } = await invitations({ invitations: 1, from_at_ms: now + 3_600_000 });
  const {
    tokens: [soonOver],
  } = await invitations({ invitations: 1, ends_at_ms: now + 1_500 });
  const {
    tokens: [other],
  } = await invitations({ invitations: 1 }, "presale");
  assert.deepEqual(shownOn((await comes(altered(good))).page), [403, "refused", ""]);
  assert.deepEqual(shownOn((await comes(other)).page), [403, "refused", "audience"]);
  const { page } = await comes(early);
  assert.deepEqual(shownOn(page), [403, "refused", "early"]);
  assert.match(page.body, /data-opens="60"/);
  await eventually(async () => shownOn((await comes(soonOver)).page).at(-1) === "late", { what: "the end of its time" });
  assert.equal((await operate(`sheets/${sheet}`, { method: "DELETE" })).status, 204);
  assert.equal((await operate(`sheets/${sheet}`, { method: "DELETE" })).status, 404);
  assert.deepEqual(shownOn((await comes(good)).page), [403, "refused", "unknown"]);
  const there = newcomer({ url: new URL("/pre/", newcomer().url).href, room: "presale" });
  await open(there, other, { at: "/pre/" });
  await there.request("/pre/", { headers: PAGE });
  assert.deepEqual(shownOn(await there.request("/pre/", { headers: PAGE })).slice(0, 2), [200, "waiting"], "good in its own room");
});

test("c160_c161_a code comes from the room's own page alone, and goes nowhere but into a hash", async (t) => {
  const { make, write, visitor: newcomer, logs, operate, baton } = await begin(t);
  await make({ codes: [{ code: "SUMMER-2027", uses: 9 }] });
  const visitor = newcomer();
  const foreign = await write(visitor, "SUMMER-2027", { origin: "https://evil.example", "sec-fetch-site": "cross-site" });
  assert.deepEqual([foreign.status, /data-state="refused"/.test(foreign.body)], [403, true]);
  await write(visitor, "summer-2027");
  await visitor.arrive();
  const cookie = Buffer.from(visitor.cookie("entry"), "base64url").toString("latin1");
  const journal = await (
    await fetch(new URL("/__baton/admin/rooms/onsale/journal", baton.url), { headers: { authorization: `Bearer ${ADMIN}` } })
  ).text();
  assert.match(journal, /"sheet_made"/);
  const told = JSON.stringify([(await operate("sheets")).json, journal, cookie, logs()]);
  assert.doesNotMatch(told, /summer/i);
});

/** An origin that remembers what it was sent. */
async function listening(t) {
  const heard = [];
  const { url } = await startOrigin(t, (request, response) => {
    heard.push(Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith("baton-"))));
    response.end("in");
  });
  return { heard, origin: url };
}

test("c162_staff go in beside the line with their link, until it ends, and are named to the origin alone", async (t) => {
  const { heard, origin } = await listening(t);
  const { operate, open, visitor: newcomer, baton, vars } = await begin(t, {}, { origin });
  const link = async (of, hours = 8) => operate("staff", { method: "POST", body: { name: "mika", hours }, of });
  const { token } = (await link("onsale")).json;
  const mika = newcomer();
  const opened = await open(mika, token);
  assert.deepEqual([opened.status, Object.keys(setCookies(opened))], [303, ["baton-onsale-staff"]], "a cookie, and nothing else");
  const look = (visitor) => visitor.request("/buy/", { headers: { ...PAGE, "baton-staff": "eve" } });
  assert.deepEqual([(await look(mika)).body, heard.length], ["in", 1]);
  assert.deepEqual(
    [heard[0]["baton-staff"], heard[0]["baton-room"], heard[0]["baton-ticket"], heard[0]["baton-fence"]],
    ["mika", "onsale", undefined, undefined],
  );
  assert.match(heard[0]["baton-proof"], /^v1;/);
  assert.equal((await mika.request("/buy/", { method: "POST", headers: { "baton-staff": "eve" }, body: "x" })).body, "in");
  for (const bad of [altered(token), (await link("presale")).json.token]) {
    const somebody = newcomer();
    await open(somebody, bad);
    assert.equal((await look(somebody)).status, 403);
  }
  assert.equal((await link("onsale", 25)).status, 400);
  const rooms = structuredClone(vars.ROOMS);
  rooms.onsale.staff_epoch = 2;
  await baton.restart({ vars: { ...vars, ROOMS: rooms } });
  assert.equal((await look(mika)).status, 403, "another epoch ends every link");
  assert.equal(heard.length, 2);
});

test("c163_the bypass secret lets monitors through, and a wrong one is no better than none", async (t) => {
  const { heard, origin } = await listening(t);
  const { visitor: newcomer } = await begin(t, {}, { origin });
  const monitor = newcomer();
  const asked = (secret, more = {}) => monitor.request("/buy/", { headers: { ...PAGE, "baton-bypass": secret, ...more } });
  const somewhere = { "cf-connecting-ip": "203.0.113.7" };
  const through = await asked(BYPASS);
  assert.deepEqual([through.status, through.body, setCookies(through)], [200, "in", {}], "no name and no place");
  assert.deepEqual(Object.keys(heard[0]).sort(), ["baton-proof", "baton-room", "baton-target"], "the secret stays here");
  for (const from of [somewhere, {}]) for (let at = 0; at < 10; at += 1) assert.equal((await asked(`${BYPASS}${at}`, from)).status, 403);
  assert.equal((await asked(BYPASS, somewhere)).status, 403, "who has guessed ten times is not heard for a minute");
  assert.equal((await asked(BYPASS)).status, 200, "where no address is known, guesses silence nobody who has it");
});

test("c164_who may only look makes no sheet, takes none back and gets no link", async (t) => {
  const { createHash } = await import("node:crypto");
  const token = "a token of somebody who may only look";
  const OPERATORS = [{ name: "lena", role: "view", sha256: createHash("sha256").update(token).digest("hex") }];
  const { operate, invitations } = await begin(t, {}, { vars: { OPERATORS } });
  const { sheet } = await invitations({ invitations: 1 });
  const as = (what, more) => operate(what, { token, ...more });
  assert.equal((await as("sheets")).status, 200);
  const refused = [
    ["sheets", { method: "POST", body: { invitations: 1 } }],
    [`sheets/${sheet}`, { method: "DELETE" }],
    [`sheets/${sheet}/invitations`],
    ["staff", { method: "POST", body: { name: "lena", hours: 1 } }],
  ];
  for (const [what, more] of refused) assert.equal((await as(what, more)).status, 403, what);
});

test("c165_of many who join at once with one invitation one gets a place", async (t) => {
  const { invitations, open, visitor: newcomer, used } = await begin(t, { crowd: 40_000 });
  const {
    tokens: [one],
  } = await invitations({ invitations: 1 });
  const all = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const visitor = newcomer();
      await open(visitor, one);
      await visitor.arrive();
      return visitor;
    }),
  );
  const joined = await Promise.all(all.map((visitor) => visitor.join()));
  assert.equal(joined.filter(({ status }) => status === 201).length, 1);
  assert.equal(joined.filter(({ json }) => json?.reason === "used").length, 11);
  assert.deepEqual(await used(), [1]);
});

test("a reset ends every place and gives every voucher back", async (t) => {
  const { invitations, comes, operate, used, baton } = await begin(t);
  const {
    tokens: [one],
  } = await invitations({ invitations: 1 });
  await comes(one);
  const authorization = `Bearer ${ADMIN}`;
  const look = await fetch(new URL("/__baton/admin/rooms/onsale", baton.url), { headers: { authorization } });
  const reset = await fetch(new URL("/__baton/admin/rooms/onsale/reset", baton.url), {
    method: "POST",
    headers: { authorization, "if-match": look.headers.get("etag") },
    body: JSON.stringify({ room: "onsale" }),
  });
  assert.ok(reset.ok, `${reset.status}`);
  assert.deepEqual(await used(), [0]);
  assert.deepEqual(shownOn((await comes(one)).page).slice(0, 2), [200, "waiting"]);
  assert.equal((await operate("sheets")).json.sheets.length, 1);
});

test("an app shows an invitation in a header, or a code beforehand", async (t) => {
  const { App } = await import("../support/app.mjs");
  const { invitations, make, baton } = await begin(t);
  const {
    tokens: [one],
  } = await invitations({ invitations: 1 });
  await make({ codes: [{ code: "SUMMER-2027" }] });
  const anna = new App({ url: baton.url });
  const first = await anna.call("enter", "POST", { headers: { "baton-entry": one } });
  assert.deepEqual([first.status, first.json.number], [200, 1], "the first call is enough");
  assert.equal((await anna.call("enter")).json.number, 1);
  const bob = new App({ url: baton.url });
  const used = await bob.call("enter", "POST", { headers: { "baton-entry": one } });
  assert.deepEqual([used.status, used.json.reason], [403, "used"]);
  const body = JSON.stringify({ code: "summer 2027" });
  const length = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  assert.equal((await bob.call("code", "POST", { headers: length, body })).status, 204);
  assert.equal((await bob.call("enter")).json.number, 2);
});

test("a room that only observes lets an app in, whatever its invitation is worth", async (t) => {
  const { App } = await import("../support/app.mjs");
  const { invitations, baton } = await begin(t, { mode: "observe" });
  const {
    tokens: [one],
  } = await invitations({ invitations: 1 });
  const enter = async (app) => {
    const { status, json } = await app.call("enter", "POST", { headers: { "baton-entry": one } });
    return [status, json.in];
  };
  assert.deepEqual(await enter(new App({ url: baton.url })), [200, true]);
  assert.deepEqual(await enter(new App({ url: baton.url })), [200, true], "a used one keeps nobody out");
});

test("a room that looks at no invitation makes no sheet, and says what to set", async (t) => {
  const { operate } = await begin(t, { entry: "off" });
  for (const body of [{ invitations: 5 }, { codes: [{ code: "SUMMER-2027" }] }]) {
    const { status, json } = await operate("sheets", { method: "POST", body });
    assert.deepEqual([status, json.error.code], [400, "bad_request"]);
    assert.match(json.error.message, /looks at no invitation and no code.*entry = "optional"/);
  }
  assert.deepEqual((await operate("sheets")).json.sheets, []);
});

test("the commands make, list, write and take back", async (t) => {
  const { baton, comes, operate } = await begin(t);
  const dir = await mkdtemp(path.join(tmpdir(), "baton-vouchers-"));
  t.after(() => rm(dir, { recursive: true }));
  const env = { ...process.env, BATON_ADMIN_TOKEN: ADMIN };
  const run = async (...args) =>
    (
      await promisify(execFile)(
        process.execPath,
        [inRoot("scripts", "vouchers.mjs"), ...args, "--room", "onsale", "--url", new URL("/buy/?a=1", baton.url).href],
        { env },
      )
    ).stdout;
  const out = path.join(dir, "links.csv");
  assert.match(
    await run("invite", "--count", "1001", "--lane", "vip", "--out", out),
    /^sheet 1, 1001 invitations, 0 used, lane vip, until .*\n.*1001 links of sheet 1/,
  );
  const lines = (await readFile(out, "utf8")).trimEnd().split("\n");
  assert.deepEqual([lines.length, lines[0], new Set(lines).size], [1002, "sheet,number,link", 1002]);
  const link = new URL(lines.at(-1).split(",")[2]);
  assert.deepEqual([link.pathname, link.searchParams.get("a")], ["/buy/", "1"]);
  const { page } = await comes(link.searchParams.get("baton_entry"));
  assert.deepEqual(shownOn(page).slice(0, 2), [200, "waiting"]);
  await assert.rejects(
    run("invite", "--count", "5", "--out", out),
    (error) => error.code === 2 && /links\.csv is there already, and may hold the links of another sheet/.test(error.stderr),
  );
  assert.deepEqual((await readFile(out, "utf8")).trimEnd().split("\n"), lines, "what is there stays");
  const again = path.join(dir, "again.csv");
  await run("invite", "--links", "1", "--out", again);
  assert.deepEqual((await readFile(again, "utf8")).trimEnd().split("\n"), lines);
  const none = path.join(dir, "none.csv");
  await assert.rejects(run("invite", "--links", "9", "--out", none), (error) => error.code === 1);
  await assert.rejects(readFile(none), { code: "ENOENT" }, "no file is left of nothing");
  await assert.rejects(
    run("invite", "--count", "5", "--out", path.join(dir, "no", "where.csv")),
    (error) => error.code === 2 && /cannot be made \(ENOENT\)/.test(error.stderr),
  );
  const codes = path.join(dir, "codes.csv");
  await writeFile(codes, "SUMMER-2027,3\n\nWINTER-2027\n");
  assert.match(await run("codes", "--file", codes), /^sheet 2, 2 codes for 4 places, 0 used, until/);
  await writeFile(codes, "SUMMER-2028\n\n;;;;\n");
  await assert.rejects(
    run("codes", "--file", codes),
    (error) => error.code === 1 && /codes\.csv, line 3 is no code\. Write 6 to 64 letters/.test(error.stderr),
  );
  assert.match(await run("codes", "--list"), /^sheet 1, 1001 invitations, 1 used, lane vip, .*\nsheet 2,/);
  assert.match(await run("invite", "--withdraw", "1"), /Sheet 1 is withdrawn/);
  assert.match(await run("staff", "--name", "mika"), /baton_entry=[\w-]+/);
  await assert.rejects(run("invite", "--count", "0", "--out", out), (error) => error.code === 2 && /--count needs a whole number/.test(error.stderr));
  assert.equal((await operate("sheets")).json.sheets.length, 1, "no sheet whose links could not be written");
  await assert.rejects(run("invite", "--withdraw", "1"), (error) => error.code === 1 && /no such sheet/.test(error.stderr));
  assert.deepEqual(
    (await operate("sheets")).json.sheets.map(({ sheet }) => sheet),
    [2],
  );
});

test("where anybody may come a code that is sent from the line moves its owner at once, and one that is no good is told and costs nothing", async (t) => {
  const lanes = [
    { name: "members", title: "Members" },
    { name: "everybody", title: "Everybody" },
  ];
  const { make, write, visitor: newcomer, used } = await begin(t, { entry: "optional", walk_in: false, lanes });
  await make({ lane: "members", codes: [{ code: "SUMMER-2027" }] });
  const visitor = newcomer();
  const look = async () => {
    const { body } = await visitor.request("/buy/", { headers: PAGE });
    return ["data-state", "data-lane", "data-number", "data-code"].map((name) => new RegExp(`${name}="([^"]*)"`).exec(body)?.[1]);
  };
  await visitor.request("/buy/", { headers: PAGE });
  assert.equal((await visitor.join()).json.number, 1);
  assert.deepEqual(await look(), ["waiting", "Everybody", "1", "asked"]);
  assert.deepEqual([(await write(visitor, "no such code")).status, await used()], [303, [0]]);
  assert.deepEqual(await look(), ["waiting", "Everybody", "1", "unknown"]);
  assert.deepEqual([(await write(visitor, "summer 2027")).status, await used()], [303, [1]]);
  assert.deepEqual(await look(), ["waiting", "Members", "1", undefined], "and is asked no more");
  const bob = newcomer();
  await bob.request("/buy/", { headers: PAGE });
  await bob.join();
  await write(bob, "summer 2027");
  assert.match((await bob.request("/buy/", { headers: PAGE })).body, /data-lane="Everybody"[^]*data-code="used"/);
});

test("the link of an invitation offers who waits already a better lane, joining moves there, and what was tried is offered no more", async (t) => {
  const lanes = ["gold", "members", "everybody"].map((name) => ({ name, title: name }));
  const { App } = await import("../support/app.mjs");
  const { invitations, open, comes, visitor: newcomer, used, baton } = await begin(t, { entry: "optional", walk_in: false, lanes });
  const {
    tokens: [one, two, three],
  } = await invitations({ lane: "members", invitations: 3 });
  const look = async (visitor) => {
    const { body } = await visitor.request("/buy/", { headers: PAGE });
    const { lane } = JSON.parse(/id="baton-status">([^<]*)</.exec(body)[1]);
    return [lane.name, lane.number, lane.better ?? false, (body.match(/\/__baton\/onsale\/join"/g) ?? []).length - 1];
  };
  const [anna, bob] = [newcomer(), newcomer()];
  for (const visitor of [anna, bob]) {
    await visitor.request("/buy/", { headers: PAGE });
    await visitor.join();
  }
  assert.deepEqual(await look(anna), ["everybody", 1, false, 0]);
  await open(anna, one, { headers: { ...PAGE, "sec-fetch-site": "cross-site" } });
  assert.deepEqual([await look(anna), await used()], [["everybody", 1, true, 1], [0]], "a link moves nobody");
  const moved = await anna.join();
  assert.deepEqual([moved.status, moved.json.lane.name, moved.json.lane.better, await used()], [200, "members", undefined, [1]]);
  assert.deepEqual(await look(anna), ["members", 1, false, 0]);
  await open(bob, one);
  assert.deepEqual(await look(bob), ["everybody", 2, true, 1]);
  await open(anna, three, { headers: { ...PAGE, "sec-fetch-site": "cross-site" } });
  assert.deepEqual(await look(anna), ["members", 1, false, 0], "a page elsewhere takes no voucher away");
  assert.deepEqual([(await bob.join()).json.lane.name, await look(bob)], ["everybody", ["everybody", 2, false, 0]], "another's is worth nothing");
  const app = new App({ url: baton.url });
  await app.call("enter");
  assert.equal((await app.call("enter")).json.lane.name, "everybody");
  const { lane } = (await app.call("enter", "POST", { headers: { "baton-entry": two } })).json;
  assert.deepEqual([lane.name, lane.number, lane.better, await used()], ["members", 2, undefined, [2]], "an app's one call does both");
  const other = new App({ url: baton.url });
  await other.call("enter");
  assert.equal((await other.call("enter")).json.lane.name, "everybody");
  const late = await other.call("enter", "POST", { headers: { "baton-entry": one } });
  assert.deepEqual([late.status, late.json.in, late.json.lane?.name, await used()], [200, false, "everybody", [2]], "a used one takes no place away");
  const { visitor: cleo } = await comes(three);
  await cleo.join();
  assert.deepEqual([await look(cleo), await used()], [["members", 3, false, 0], [3]], "who has come by one is offered nothing");
});
