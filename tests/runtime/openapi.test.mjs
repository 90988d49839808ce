// The document that is served is OpenAPI 3.1, and true: whatever is asked, well or badly, is answered as it says.
// The requests are made from its own schemas with a seed, which a failure prints; BATON_SEED repeats one.

import assert from "node:assert/strict";
import { createHash, randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { anything, good, judge } from "../support/openapi.mjs";
import { startWorld } from "./support/world.mjs";

const TOKEN = "an operator's token that nobody guesses";
const ROOM = "/__baton/admin/rooms/{room}";
const HOUSE = "/__baton/admin/house";
const seed = Number(process.env.BATON_SEED ?? randomInt(2 ** 31));
const LOGO = await readFile(new URL("../fixtures/images/logo.png", import.meta.url));
const ends = [];
let world;
let api;

before(async () => {
  world = await startWorld(
    { after: (end) => ends.push(end) },
    {
      room: { permits: 2, linger_s: 60, carry_within_s: 300, entry: "optional" },
      vars: { BATON_ADMIN_TOKEN: TOKEN, GROUNDS: { paths: ["/house/*"] }, WEBHOOKS: [{ name: "crm", url: "https://hooks.example.net/baton" }] },
    },
  );
  api = judge(await (await ask("GET", "/__baton/admin/openapi.json")).json());
});
after(async () => {
  for (const end of ends.reverse()) await end();
});

let guesses = 0;

/** One request; `path` filled in already. */
function ask(method, path, { token = TOKEN, headers = {}, body } = {}) {
  const authorization = token && { authorization: `Bearer ${token}` };
  // Each guess at a token from an address of its own: more than ten of one are slowed.
  const from = token === TOKEN ? {} : { "cf-connecting-ip": `203.0.${((guesses += 1) >> 8) & 255}.${guesses & 255}` };
  return fetch(new URL(path, world.url), { method, redirect: "manual", headers: { ...authorization, ...from, ...headers }, body });
}

/** A template with its parts filled in. */
const filled = (path, parts = {}) =>
  path.replace(
    /\{(\w+)\}/g,
    (_, name) =>
      ({
        room: "onsale",
        number: "1",
        fence: "1",
        name: "mika",
        code: "abc",
        tag: "ja",
        image: `${"0".repeat(32)}.png`,
        sheet: "1",
        webhook: "crm",
        ...parts,
      })[name],
  );

/** Asks and holds the answer to the document; resolves to `{ status, body }`. */
async function told(method, path, { parts, query = "", ...options } = {}) {
  const answer = await ask(method, filled(path, parts) + query, options);
  const body = await api.check(path, method, answer);
  assert.ok(answer.status < 500, `${method} ${path}: ${answer.status}`);
  return { status: answer.status, body, headers: answer.headers };
}

const property = (arbitrary, holds, numRuns = 60) => fc.assert(fc.asyncProperty(arbitrary, holds), { seed, numRuns, endOnFailure: true });

test("it is OpenAPI 3.1, and every operation has a name, a summary and a 2xx, 303 or 101", async () => {
  const document = await (await ask("GET", "/__baton/admin/openapi.json")).json();
  const validator = new Validator();
  const { valid, errors } = await validator.validate(document);
  assert.ok(valid, JSON.stringify(errors)?.slice(0, 2_000));
  assert.equal(validator.version, "3.1");
  const names = api.operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(names).size, names.length);
  for (const { operation } of api.operations) {
    assert.ok(operation.summary && Object.keys(operation.responses).some((status) => /^(2..|101|303)$/.test(status)), operation.operationId);
  }
});

test("what a visitor meets is as it says, from the first call to the last", async () => {
  const jar = new Map();
  const visit = async (method, path, options = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answered = await told(method, path, { token: null, ...options, headers: { cookie, ...options.headers } });
    for (const line of answered.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      if (/Max-Age=0/.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answered;
  };
  const at = (call) => `/__baton/{room}/${call}`;
  const steps = [
    ["POST", at("join"), 403],
    ["GET", at("status"), 200],
    ["POST", at("join"), 201],
    ["POST", at("join"), 200],
    ["GET", at("socket"), 426],
    ["GET", at("draw"), 200],
    ["GET", at("chain"), 200],
    ["POST", at("carry"), 200],
    ["POST", at("language/{tag}"), 204],
    ["POST", at("verify"), 404],
    ["POST", at("take"), 403],
  ];
  for (const [method, path, status] of steps) assert.equal((await visit(method, path)).status, status, path);
  const { body: link } = await visit("POST", at("carry"));
  const code = new URL(link.url, world.url).pathname.split("/").at(-1);
  const look = await visit("GET", at("carry/{code}"), { parts: { code }, headers: { accept: "text/html" } });
  assert.equal(look.status, 200);
  let claimed;
  do claimed = await visit("POST", at("claim"));
  while (claimed.status === 409);
  assert.deepEqual([claimed.status, claimed.body.state], [200, "admitted"]);
  assert.equal((await visit("POST", at("leave"))).status, 204);
  assert.equal((await visit("POST", at("carry"))).status, 410);
  const foreign = await visit("POST", at("join"), { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } });
  assert.equal(foreign.status, 403);
});

test("what an app meets is as it says, from the first call to the last", async () => {
  let credentials;
  const at = (call) => `/__baton/{room}/${call}`;
  const app = async (method, call, options = {}) => {
    const told_ = await told(method, at(call), {
      token: null,
      ...options,
      headers: { ...(credentials !== undefined && { "baton-credentials": credentials }), ...options.headers },
    });
    credentials = told_.headers.get("baton-credentials") ?? credentials;
    return told_;
  };
  const steps = [
    ["POST", "enter", 401],
    ["GET", "status", 200],
    ["POST", "enter", 200],
    ["POST", "enter", 200],
    ["POST", "join", 200],
    ["POST", "claim", 200],
    ["POST", "socket", 200],
    ["POST", "leave", 204],
    ["POST", "claim", 410],
    ["POST", "enter", 200],
  ];
  for (const [method, call, status] of steps) assert.equal((await app(method, call)).status, status, call);
  credentials = "visitor=AAAA; onsale-ticket=AAAA";
  assert.equal((await app("POST", "join")).status, 401);
  assert.match(credentials, /^visitor=[\w-]{40,}$/, "a dead ticket is taken away, a fresh visitor is told");
});

// Long because it is a table of calls.
test("what an operator meets is as it says, good and bad", async () => {
  const { body } = await told("GET", "/__baton/admin/rooms");
  assert.equal(body.rooms[0].room, "onsale");
  const room = await told("GET", ROOM);
  const etag = room.headers.get("etag");
  const calls = [
    ["PATCH", ROOM, 200, { headers: { "if-match": etag }, body: '{"permits": 3}' }],
    ["PATCH", ROOM, 412, { headers: { "if-match": etag }, body: '{"permits": 4}' }],
    ["POST", `${ROOM}/tickets/{number}/release`, 410, { parts: { number: "99" } }],
    ["POST", `${ROOM}/tickets/{number}/release`, 400, { parts: { number: "-1" } }],
    ["POST", `${ROOM}/leave`, 410, { body: '{"sub": "nobody"}' }],
    ["POST", `${ROOM}/leave`, 400, { body: "{}" }],
    ["GET", `${ROOM}/hour`, 200],
    ["GET", `${ROOM}/outlook`, 200],
    ["GET", `${ROOM}/tickets/{number}`, 200],
    ["GET", `${ROOM}/tickets/{number}`, 200, { query: "?from=1-called-7" }],
    ["POST", `${ROOM}/sheets`, 201, { body: '{"invitations":2,"lane":"vip"}' }],
    ["POST", `${ROOM}/sheets`, 201, { body: '{"codes":[{"code":"SUMMER-2027","uses":3}]}' }],
    ["POST", `${ROOM}/sheets`, 400, { body: '{"codes":[{"code":"short"}]}' }],
    ["POST", `${ROOM}/sheets`, 400, { body: "{}" }],
    ["GET", `${ROOM}/sheets`, 200],
    ["GET", `${ROOM}/sheets/{sheet}/invitations`, 200],
    ["GET", `${ROOM}/sheets/{sheet}/invitations`, 200, { query: "?from=1" }],
    ["GET", `${ROOM}/sheets/{sheet}/invitations`, 404, { parts: { sheet: "2" } }],
    ["DELETE", `${ROOM}/sheets/{sheet}`, 204],
    ["DELETE", `${ROOM}/sheets/{sheet}`, 404],
    ["DELETE", `${ROOM}/sheets/{sheet}`, 400, { parts: { sheet: "-1" } }],
    ["POST", `${ROOM}/staff`, 201, { body: '{"name":"mika","hours":8}' }],
    ["POST", `${ROOM}/staff`, 400, { body: '{"name":"Mika","hours":8}' }],
    ["POST", `${ROOM}/leases/{fence}/release`, 404, { parts: { fence: "9000000000000000" } }],
    ["POST", `${ROOM}/leases/{fence}/release`, 400, { parts: { fence: "-1" } }],
    ["POST", `${ROOM}/leases/{fence}/release`, 204],
    ["GET", `${ROOM}/tickets/{number}`, 400, { parts: { number: "-1" } }],
    ["GET", `${ROOM}/tickets/{number}`, 400, { query: "?from=1-asleep-7" }],
    ["POST", `${ROOM}/undo`, 428],
    ["POST", `${ROOM}/undo`, 412, { headers: { "if-match": '"99"' } }],
    ["POST", `${ROOM}/undo`, 200, { headers: { "if-match": '"1"' } }],
    ["PATCH", ROOM, 200, { body: '{"permits": {"to": 9, "over_s": 60}}' }],
    ["GET", ROOM, 200],
    ["POST", `${ROOM}/reset`, 428, { body: '{"room": "onsale"}' }],
    ["POST", `${ROOM}/reset`, 400, { headers: { "if-match": '"1"' }, body: '{"room": "other"}' }],
    ["POST", `${ROOM}/reset`, 412, { headers: { "if-match": etag }, body: '{"room": "onsale"}' }],
    ["POST", `${ROOM}/reset`, 200, { headers: { "if-match": '"3"' }, body: '{"room": "onsale"}' }],
    ["GET", `${ROOM}/rehearsal`, 200],
    ["POST", `${ROOM}/rehearsal`, 400, { body: '{"minutes": 61}' }],
    ["POST", `${ROOM}/rehearsal`, 409, { body: '{"minutes": 5}' }],
    ["PATCH", ROOM, 200, { body: '{"mode": "closed"}' }],
    ["POST", `${ROOM}/rehearsal`, 201],
    ["POST", `${ROOM}/rehearsal`, 201, { body: '{"minutes": 60}' }],
    ["DELETE", `${ROOM}/rehearsal`, 204],
    ["DELETE", `${ROOM}/rehearsal`, 204],
    ["GET", `${ROOM}/rehearsal/journal`, 200],
    ["GET", `${ROOM}/rehearsal/journal`, 400, { query: "?after=99999" }],
    ["PATCH", ROOM, 200, { body: '{"mode": null}' }],
    ["GET", `${ROOM}/journal`, 200],
    ["GET", `${ROOM}/journal`, 400, { query: "?after=99999" }],
    ["GET", ROOM, 404, { parts: { room: "nowhere" } }],
    ["GET", "/__baton/metrics", 200],
    ["GET", "/__baton/health", 200],
    ["GET", "/__baton/admin/", 200],
    ["GET", "/__baton/admin/session", 200],
    ["GET", "/__baton/admin/oidc", 404],
    ["GET", "/__baton/admin/oidc/callback", 404],
    ["GET", "/__baton/admin/actions", 200],
    ["GET", "/__baton/admin/actions", 200, { query: "?room=~house&since=1" }],
    ["GET", "/__baton/admin/actions", 400, { query: "?before=x" }],
    ["GET", "/__baton/admin/actions", 404, { query: "?room=nowhere" }],
    ["POST", "/__baton/admin/session", 204],
    ["POST", "/__baton/admin/session", 400, { token: null, body: "[]" }],
    ["DELETE", "/__baton/admin/session", 204],
  ];
  for (const [method, path, status, options] of calls) assert.equal((await told(method, path, options)).status, status, `${method} ${path}`);
  const { body: lines } = await told("GET", `${ROOM}/journal`);
  const [first, ...rows] = lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const ref = (name) => api.fits({ $ref: `#/components/schemas/${name}` });
  assert.ok(ref("Journal")(first) && rows.length > 0);
  for (const row of rows) assert.ok(ref("JournalRow")(row), JSON.stringify(row).slice(0, 200));
});

// Long because it is a table of calls.
test("what an operator of the house meets is as it says, good and bad", async () => {
  const table = { paths: ["/house/*"], permits: 3, closes_at: "2090-01-01T10:00:00+09:00" };
  const room = `${HOUSE}/rooms/{room}`;
  const spring = { parts: { room: "spring" } };
  const brand = `${HOUSE}/brands/{room}`,
    IMAGES = "/__baton/admin/images",
    IMAGE = "/__baton/images/{image}";
  const kept = { parts: { image: `${createHash("sha256").update(LOGO).digest("hex").slice(0, 32)}.png` } };
  const [person, mika] = [`${HOUSE}/operators/{name}`, { parts: { name: "mika" } }];
  const body = (value) => ({ body: JSON.stringify(value) });
  const seen = (revision) => ({ headers: { "if-match": `"${revision}"` } });
  const file = { rooms: { spring: { ...table, permits: 4 } } };
  const calls = [
    ["GET", HOUSE, 200],
    ["GET", `${HOUSE}/journal`, 200],
    ["POST", `${HOUSE}/undo`, 428],
    ["POST", `${HOUSE}/undo`, 400, seen(0)],
    ["PUT", room, 400, { ...spring, ...body({ ...table, permitz: 1 }) }],
    ["PUT", room, 400, body(table)],
    ["PUT", room, 404, { parts: { room: "NO" }, ...body(table) }],
    ["PUT", room, 200, { ...spring, ...body(table) }],
    ["PUT", room, 412, { ...spring, ...body({ ...table, permits: 4 }), ...seen(0) }],
    ["POST", `${HOUSE}/plan`, 200, body(file)],
    ["POST", `${HOUSE}/plan`, 200, body({ rooms: { bad: {} } })],
    ["POST", `${HOUSE}/plan`, 400, body({ room: {} })],
    ["POST", `${HOUSE}/plan`, 404, body({ rooms: { none: null } })],
    ["POST", `${HOUSE}/plan`, 413, { body: `{"rooms": {}, "x": "${"x".repeat(2_100_000)}"}` }],
    ["POST", `${HOUSE}/apply`, 428, body(file)],
    ["POST", `${HOUSE}/apply`, 412, { ...body(file), ...seen(0) }],
    ["POST", `${HOUSE}/apply`, 200, { ...body(file), ...seen(1) }],
    ["POST", `${HOUSE}/undo`, 412, seen(1)],
    ["POST", `${HOUSE}/undo`, 200, seen(2)],
    ["POST", `${room}/release`, 409, spring],
    ["DELETE", room, 409, spring],
    ["DELETE", room, 404, { parts: { room: "none" } }],
    ["PATCH", ROOM, 200, { ...spring, body: '{"mode": "closed"}' }],
    ["DELETE", room, 200, spring],
    ["PUT", room, 409, { ...spring, ...body(table) }],
    ["POST", `${HOUSE}/plan`, 409, body(file)],
    ["POST", `${room}/release`, 200, spring],
    ["POST", `${room}/release`, 404, spring],
    ["GET", HOUSE, 200],
    ["GET", `${HOUSE}/journal`, 400, { query: "?after=99999" }],
    ["PUT", brand, 200, body({ page_title: "Tour", page_colours: { dark: { accent: "#ffcc00" } }, page_texts: { ja: { title: "ツアー" } } })],
    ["PUT", brand, 400, body({ permits: 3 })],
    ["PUT", brand, 400, body({ page_colours: { light: { ink: "#eeeeee" } } })],
    ["PUT", brand, 412, { ...body({}), ...seen(0) }],
    ["POST", `${HOUSE}/plan`, 200, body({ brands: { onsale: null, none: {} } })],
    ["GET", HOUSE, 200],
    ["DELETE", brand, 200],
    ["PUT", brand, 400, { parts: { room: "none" }, ...body({}) }],
    ["PUT", IMAGES, 200, { body: LOGO }],
    ["PUT", IMAGES, 400, { body: "<svg/>" }],
    ["PUT", IMAGES, 413, { body: new Uint8Array(200_001) }],
    ["GET", IMAGES, 200],
    ["GET", IMAGE, 404],
    ["DELETE", `${IMAGES}/{image}`, 404],
    ["GET", IMAGE, 200, kept],
    ["PUT", brand, 200, body({ page_logo: `/__baton/images/${kept.parts.image}` })],
    ["DELETE", `${IMAGES}/{image}`, 409, kept],
    ["DELETE", brand, 200],
    ["DELETE", `${IMAGES}/{image}`, 204, kept],
    ["PUT", person, 400, { ...mika, ...body({ role: "all" }) }],
    ["PUT", person, 200, { ...mika, ...body({ role: "view", rooms: ["onsale"], sha256: "0".repeat(64) }) }],
    ["GET", HOUSE, 200],
    ["GET", "/__baton/admin/actions", 200],
    ["PUT", person, 412, { ...mika, ...body({ role: "own", sha256: "0".repeat(64) }), ...seen(0) }],
    ["PATCH", person, 200, { ...mika, ...body({ role: "operate", rooms: null }) }],
    ["PATCH", person, 400, { ...mika, ...body({ role: "all" }) }],
    ["PATCH", person, 412, { ...mika, ...body({ role: "view" }), ...seen(0) }],
    ["DELETE", person, 200, mika],
    ["DELETE", person, 404, mika],
    ["PATCH", person, 404, { ...mika, ...body({ role: "view" }) }],
  ];
  for (const [method, path, status, options] of calls)
    assert.equal((await told(method, path, options)).status, status, `${method} ${path} ${JSON.stringify(options)?.slice(0, 200)}`);
  const [first, ...rows] = (await told("GET", `${HOUSE}/journal`)).body
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const fits = (name, value) => assert.ok(api.fits({ $ref: `#/components/schemas/${name}` })(value), JSON.stringify(value));
  fits("Journal", first);
  assert.equal(rows.length, 12);
  for (const row of rows) fits("JournalRow", row);
});

test("what an operator of webhooks meets is as it says, good and bad", async () => {
  const hook = "/__baton/admin/webhooks/{webhook}";
  const calls = [
    ["GET", "/__baton/admin/webhooks", 200],
    ["POST", `${hook}/test`, 200, { parts: { webhook: "crm" } }],
    ["POST", `${hook}/test`, 404, { parts: { webhook: "none" } }],
    ["POST", `${hook}/again`, 200, { parts: { webhook: "crm" } }],
    ["POST", `${hook}/again`, 200, { parts: { webhook: "crm" }, query: "?id=none" }],
    ["POST", `${hook}/again`, 404, { parts: { webhook: "NO" } }],
  ];
  for (const [method, path, status, options] of calls) assert.equal((await told(method, path, options)).status, status, `${method} ${path}`);
});

test("whoever is nobody gets 401 wherever the document asks for somebody", async () => {
  const guarded = api.operations.filter(({ operation }) => operation.security.some((way) => "desk" in way));
  assert.ok(guarded.length >= 7);
  await property(fc.tuple(fc.constantFrom(...guarded), fc.stringMatching(/^[!-~]{1,40}$/)), async ([{ path, method }, token]) => {
    const { status, body } = await told(method, path, { token, body: method === "PATCH" ? "{}" : undefined });
    assert.deepEqual([status, body.error.code], [401, "unauthorized"]);
  });
});

test("methods that it does not name are refused, and those it names are the ones in Allow", async () => {
  for (const path of new Set(api.operations.map(({ path }) => path))) {
    const named = api.operations.filter((operation) => operation.path === path).map(({ method }) => method);
    const { status, headers } = await told(named.includes("PUT") ? "POST" : "PUT", path);
    assert.equal(status, 405, path);
    const allowed = headers
      .get("allow")
      .split(", ")
      .filter((method) => method !== "HEAD");
    assert.deepEqual(allowed.sort(), named.sort(), path);
  }
});

/** The room as it was, whatever was changed. */
const clear = async () => {
  const { body } = await told("GET", ROOM);
  const live = Object.entries(body.settings)
    .filter(([, { source }]) => source === "live")
    .map(([key]) => [key, null]);
  assert.equal((await told("PATCH", ROOM, { body: JSON.stringify(Object.fromEntries(live)) })).status, 200);
};

/** The same with each date as its instant, however it is written. */
const instants = (value) => JSON.parse(JSON.stringify(value), (_, part) => (/^\d{4}-\d\d-\d\dT/.test(part) ? Date.parse(part) : part));

/** A lane as it is told: with its title and share, and its hours as two lists in their order if it has any. */
function laneAsTold({ opens_at, closes_at, ...lane }) {
  const list = (dates) => [dates ?? []].flat().toSorted((a, b) => Date.parse(a) - Date.parse(b));
  const hours = opens_at === undefined && closes_at === undefined ? {} : { opens_at: list(opens_at), closes_at: list(closes_at) };
  return { title: lane.name, share: 1, ...lane, ...hours };
}

/** A value as it is told: lanes whole, steps in order of time, no empty text of a language, one date by itself. */
function asTold(key, value) {
  if (key === "lanes") return value.map(laneAsTold);
  if (key === "schedule") return value.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  if (["opens_at", "closes_at"].includes(key) && value.length === 1) return value[0];
  if (key !== "message" || typeof value === "string") return value;
  const { any = "", ...languages } = value;
  const texts = Object.entries(languages).filter(([, text]) => text !== "");
  return texts.length > 0 ? { ...Object.fromEntries(texts), any } : any;
}

test("live values that fit the schema are taken, and are in force in the answer", async () => {
  const { properties } = (await (await ask("GET", "/__baton/admin/openapi.json")).json()).components.schemas.LiveValues;
  // What two keys must be to one another, what a step may set, and how long texts may be together, no JSON Schema says; of those only the answer's form
  // is held to the document.
  const bound = ["message", "schedule", "lanes", "opens_at", "closes_at", "tick_ms", "claim_within_s", "lease_idle_s", "lease_max_s"];
  const one = fc.constantFrom(...Object.keys(properties)).chain((key) => good(properties[key]).map((value) => [key, value]));
  await property(one, async ([key, value]) => {
    const { status, body } = await told("PATCH", ROOM, { body: JSON.stringify({ [key]: value }) });
    if (bound.includes(key) && status === 400) return;
    if (value?.over_s !== undefined) return ramped(key, value, { status, body });
    assert.equal(status, 200, `${key} = ${JSON.stringify(value)}: ${body.error?.message}`);
    assert.equal(body.settings[key].source === "live", value !== null, key);
    if (value !== null) assert.deepEqual(instants(body.settings[key].value), instants(asTold(key, value)));
    await clear();
  });
});

/** A ramp is taken and shown as it was written, unless it is a rate that begins or ends without a cap. */
async function ramped(key, value, { status, body }) {
  if (status === 400 && key === "admissions_per_s" && (value.to === 0 || !value.from)) return;
  assert.equal(status, 200, `${key} = ${JSON.stringify(value)}: ${body.error?.message}`);
  const { ramp } = body.settings[key];
  for (const [part, written] of Object.entries(value)) assert.equal(ramp[part], written, part);
  await clear();
}

test("live values that do not fit are refused with the error's form, and change nothing", async () => {
  const { properties } = (await (await ask("GET", "/__baton/admin/openapi.json")).json()).components.schemas.LiveValues;
  await clear();
  const { revision } = (await told("GET", ROOM)).body;
  const bad = fc.oneof(
    fc.tuple(fc.constantFrom(...Object.keys(properties)), anything).filter(([key, value]) => !api.fits(properties[key])(value)),
    fc.tuple(
      fc.stringMatching(/^[a-z_]{1,12}$/).filter((key) => !(key in properties)),
      anything,
    ),
  );
  await property(bad, async ([key, value]) => {
    const { status, body } = await told("PATCH", ROOM, { body: JSON.stringify({ [key]: value }) });
    assert.deepEqual([status, body.error.code], [400, "bad_request"], `${key} = ${JSON.stringify(value)}`);
    assert.ok(body.error.message.includes(key), body.error.message);
  });
  await property(
    fc.string({ maxLength: 300 }).filter((text) => !/^\s*\{/.test(text)),
    async (body) => {
      assert.equal((await told("PATCH", ROOM, { body })).status, 400);
    },
    20,
  );
  assert.equal((await told("GET", ROOM)).body.revision, revision);
});

test("numbers and queries that are none are 400, or not there", async () => {
  await property(
    fc.tuple(
      fc.constantFrom(["GET", `${ROOM}/journal`, "after"], ["GET", "/__baton/{room}/status", "wait_s"]),
      fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/^\d+$/.test(text)),
    ),
    async ([[method, path, name], text]) => {
      assert.equal((await told(method, path, { query: `?${name}=${encodeURIComponent(text)}` })).status, 400);
    },
  );
  await property(
    fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/^(\d+|\.\.?)$/.test(text)),
    async (number) => {
      assert.equal((await told("POST", `${ROOM}/tickets/{number}/release`, { parts: { number: encodeURIComponent(number) } })).status, 400);
    },
  );
});
