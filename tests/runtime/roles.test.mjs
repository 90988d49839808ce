// Roles by property: random operators, rooms and calls of the whole API document. Who may what is read from the document (x-needs), which
// tests/roles.rs holds to the code. Whatever an operator may not do is refused and changes nothing; whatever an operator may do changes and tells
// nothing of a room that is another's. A failure prints the seed; BATON_SEED repeats it.

import assert from "node:assert/strict";
import { createHash, randomInt } from "node:crypto";
import { test } from "node:test";
import { diceOf } from "../../scripts/dice.mjs";
import { writePng } from "../support/png.mjs";
import { BOUND_MS, housed, TOKEN } from "./support/housed.mjs";
import { eventually } from "./support/world.mjs";

const SEED = Number(process.env.BATON_SEED ?? randomInt(2 ** 31));
/** Rooms of the file and of the house. Their names stand in no other text. */
const OF_FILE = ["amberrm", "basilrm"],
  OF_HOUSE = ["cedarrm", "daliarm"],
  ROOMS = [...OF_FILE, ...OF_HOUSE];
const OPERATORS = 12;
/** An operator of the house whom only owners of everything may know of. */
const VICTIM = "victimop";

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const tokenOf = (name) => `${name}'s token, which is long enough to be one`;
/** The path below which a room is. It does not name the room. */
const wayOf = (room) => `/way-${ROOMS.indexOf(room)}`;
const mark = (room) => `mark of ${room}`;

/** A picture of this height, all black. */
const picture = (height) => writePng({ width: 4, height, rgb: Buffer.alloc(4 * height * 3) });

/** Returns numbers from 0 to `end` - 1, the same for each seed. */
function randomOf(seed) {
  const roll = diceOf(seed);
  return (end) => Math.floor(roll() * end);
}

/** Random operators, of whom each role has some, with all rooms or with some. */
function somebody(random) {
  const roles = ["view", "operate", "own", "own", "release"];
  return Array.from({ length: OPERATORS }, (_, at) => {
    const role = roles[at % roles.length];
    let rooms = ROOMS.filter(() => random(3) === 0);
    if (rooms.length === 0 && (role === "release" || random(3) > 0)) rooms = [ROOMS[random(ROOMS.length)]];
    const table = {
      role,
      sha256: sha256(tokenOf(`op${at}`)),
      ...(rooms.length > 0 && { rooms }),
      ...(role === "release" && { ends_at: "2090-01-01T00:00:00Z" }),
    };
    return { name: `op${at}`, role, rooms, isOfFile: at % 2 === 0, table };
  });
}

const REACHES = { release: ["release"], view: ["view"], operate: ["view", "operate", "release"], own: ["view", "operate", "own", "release"] };
const isBound = ({ rooms }) => rooms.length > 0;
const acts = (operator, room) => !isBound(operator) || operator.rooms.includes(room);
const may = (operator, { role, within }, room) =>
  REACHES[operator.role].includes(role) && (within === "own" || (within === "room" ? acts(operator, room) : !isBound(operator)));

/** A world with four rooms, each with a page, a change, and a picture of its own owner that no page shows; and twelve operators. */
async function peopled(t, random) {
  const people = somebody(random);
  const table = (room) => ({ paths: [`${wayOf(room)}/*`], permits: 3, tick_ms: 50, page_title: mark(room) });
  const keepers = ROOMS.map((room) => ({ name: `keeper-${room}`, role: "own", rooms: [room], sha256: sha256(tokenOf(`keeper-${room}`)) }));
  const ofFile = [...keepers, ...people.filter(({ isOfFile }) => isOfFile).map(({ name, table: of }) => ({ name, ...of }))];
  const world = await housed(t, {
    rooms: Object.fromEntries(OF_FILE.map((room) => [room, table(room)])),
    vars: { OPERATORS: ofFile, WEBHOOKS: [{ name: "crm", url: "https://hooks.example.net/baton" }] },
  });
  const { house, url } = world;
  const call = async (token, method, path, { body, headers = {} } = {}) => {
    const answer = await fetch(new URL(path, url), { method, redirect: "manual", headers: { authorization: `Bearer ${token}`, ...headers }, body });
    return { status: answer.status, text: await answer.text() };
  };
  for (const room of OF_HOUSE) await house.put(room, table(room));
  for (const { name, table: of } of people.filter(({ isOfFile }) => !isOfFile))
    await must(house.call(`house/operators/${name}`, { method: "PUT", body: of }));
  await must(house.call(`house/operators/${VICTIM}`, { method: "PUT", body: { role: "view", sha256: sha256(VICTIM) } }));
  for (const room of ROOMS) await must(house.call(`house/brands/${room}`, { method: "PUT", body: { page_title: mark(room) } }));
  const ready = async ({ name, role }) => (await call(tokenOf(name), "GET", "/__baton/admin/rooms")).status === (role === "release" ? 403 : 200);
  for (const operator of people) await eventually(() => ready(operator), { what: `${operator.name} is in`, timeoutMs: BOUND_MS });
  const pictures = {};
  for (const [at, room] of ROOMS.entries()) {
    const put = await call(tokenOf(`keeper-${room}`), "PUT", "/__baton/admin/images", { body: picture(at + 1) });
    assert.equal(put.status, 200, put.text);
    pictures[room] = JSON.parse(put.text).name;
    await eventually(async () => (await house.call(`rooms/${room}`)).status === 200, { what: `${room} is there`, timeoutMs: BOUND_MS });
    await house.patch(room, { message: mark(room) });
  }
  const document = (await house.call("openapi.json")).json;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      name: operation.operationId,
      needs: operation["x-needs"],
    })),
  );
  return { ...world, call, people, pictures, operations: operations.filter(({ needs }) => needs) };
}

async function must(asked) {
  const answer = await asked;
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

let calls = 0;
/** What is sent, so that whoever may do it gets further than the door. `path` is where a definition claims something new. */
function requestOf(name, room, into) {
  const table = { paths: [`${wayOf(room)}/*`, `${wayOf(into)}/x-${(calls += 1)}/*`], permits: 3, tick_ms: 50, page_title: mark(room) };
  const json = (body, headers) => ({ body: JSON.stringify(body), headers });
  return (
    {
      change: () => json({ permits: 2 + (calls % 7) }),
      beginRehearsal: () => json({ minutes: 5 }),
      leaveFor: () => json({ sub: "nobody" }),
      makeSheet: () => json({ invitations: 1 }),
      staffLink: () => json({ name: "somebody", hours: 1 }),
      planHouse: () => json({ rooms: { [room]: table } }),
      applyHouse: () => json({ rooms: { [room]: table } }, { "if-match": '"999999"' }),
      defineRoom: () => json(table),
      brandRoom: () => json({ page_title: mark(room) }),
      setOperator: () => json({ role: "view", sha256: sha256(VICTIM) }),
      changeOperator: () => json({ role: "view" }),
      putImage: () => ({ body: picture(9) }),
    }[name]?.() ?? {}
  );
}

/** What a call to this operation, about this room, is answered, as the document and the rooms' owners have it: refused, or let in. */
function refusal(operator, { name, needs }, room, into) {
  if (!may(operator, needs, room)) return 403;
  if (name === "planHouse" && !may(operator, { role: "view", within: "room" }, room)) return 403;
  if (name === "applyHouse" && !may(operator, { role: "own", within: "room" }, room)) return 403;
  if (["applyHouse", "defineRoom"].includes(name) && OF_HOUSE.includes(room) && !acts(operator, into)) return 403;
  if (name === "dropImage" && isBound(operator)) return 404;
  return undefined;
}

test(`nobody changes, sees or deletes what is not theirs (seed ${SEED})`, { timeout: 300_000 }, async (t) => {
  const random = randomOf(SEED);
  const { call, house, people, pictures, operations } = await peopled(t, random);
  assert.ok(operations.length > 40, `${operations.length} operations`);

  /** What must stay as it is unless somebody changes it who may: of these rooms and pictures, and who operates. */
  const state = async (rooms, { people: withPeople = true } = {}) => {
    const { json } = await house.look();
    const own = (of) => Object.fromEntries(Object.entries(of).filter(([room]) => rooms.includes(room)));
    const each = await Promise.all(
      rooms.map(async (room) => {
        const told = (await house.call(`rooms/${room}`)).json;
        const sheets = (await house.call(`rooms/${room}/sheets`)).json;
        return [room, told.settings, told.revision, told.report.edition, sheets];
      }),
    );
    const images = (await house.call("images")).json.images.map(({ name }) => name);
    const kept = rooms.map((room) => images.includes(pictures[room]));
    return { rooms: own(json.rooms), brands: own(json.brands), operators: withPeople && json.operators, each, kept };
  };

  const ask = (operator, operation, room, into) => {
    const parts = { room, number: "1", fence: "9000000000000000", sheet: "1", webhook: "crm", name: VICTIM, image: pictures[room] };
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => parts[name]);
    return call(tokenOf(operator.name), operation.method, path, requestOf(operation.name, room, into));
  };

  /** That an answer tells nothing of rooms that are another's. A caller may hear again what the call itself named. */
  const tellsNothing = (operator, operation, room, { text }, what) => {
    const names = operation.path.includes("{room}") || ["planHouse", "applyHouse"].includes(operation.name);
    for (const other of ROOMS.filter((other) => !acts(operator, other))) {
      assert.ok((names && other === room) || !text.includes(other), `${what} tells of ${other}: ${text}`);
      assert.ok(!text.includes(mark(other)), `${what} tells what is of ${other}: ${text}`);
      assert.ok(!text.includes(pictures[other]), `${what} tells of a picture of ${other}: ${text}`);
    }
    const knowsPeople = operator.role === "own" && !isBound(operator);
    assert.ok(knowsPeople || operation.path.includes("{name}") || !text.includes(VICTIM), `${what} tells who operates: ${text}`);
  };

  const play = async (operator, cases) => {
    for (const { operation, room, into, refused } of cases) {
      const answer = await ask(operator, operation, room, into);
      const what = `seed ${SEED}: ${operator.name} (${operator.role}, ${operator.rooms.join() || "all rooms"}): ${operation.name} ${room} into ${into}`;
      if (refused === undefined) assert.ok(answer.status < 500 && ![401, 403].includes(answer.status), `${what} → ${answer.status} ${answer.text}`);
      else assert.equal(answer.status, refused, `${what} → ${answer.text}`);
      tellsNothing(operator, operation, room, answer, what);
    }
  };

  const seen = { refused: 0, made: 0 };
  for (const operator of people) {
    const cases = operations.flatMap((operation) =>
      ROOMS.map((room) => {
        const into = ROOMS[random(ROOMS.length)];
        return { operation, room, into, refused: refusal(operator, operation, room, into) };
      }),
    );
    const [refused, made] = [cases.filter((one) => one.refused), cases.filter((one) => !one.refused && one.operation.name !== "dropImage")];
    const before = await state(ROOMS);
    await play(operator, refused);
    assert.deepEqual(await state(ROOMS), before, `seed ${SEED}: what ${operator.name} was refused changed something`);
    for (const room of ROOMS) {
      const told = await call(tokenOf(operator.name), "GET", `/__baton/images/${pictures[room]}`);
      const isTheirs = operator.role !== "release" && !isBound(operator);
      assert.equal(told.status, isTheirs ? 200 : 404, `seed ${SEED}: ${operator.name} and the picture of ${room}`);
    }
    const others = ROOMS.filter((room) => !acts(operator, room));
    const apart = async () => state(others, { people: isBound(operator) });
    const untouched = await apart();
    await play(operator, made);
    assert.deepEqual(await apart(), untouched, `seed ${SEED}: ${operator.name} changed what is another's`);
    seen.refused += refused.length;
    seen.made += made.length;
  }
  assert.ok(Math.min(seen.refused, seen.made) > 400, JSON.stringify(seen));
});

test("a picture is its uploader's, and the rooms' whose pages show it", async (t) => {
  const person = (name, rooms) => ({ name, role: "own", ...(rooms && { rooms }), sha256: sha256(tokenOf(name)) });
  const rooms = { alpha: { paths: ["/alpha/*"], permits: 0 }, beta: { paths: ["/beta/*"], permits: 0 } };
  const { house, url } = await housed(t, { rooms, vars: { OPERATORS: [person("ann", ["alpha"]), person("bob", ["beta"])] } });
  const as = (name) => async (method, path, body) => {
    const token = name === "all" ? TOKEN : tokenOf(name);
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${token}` },
      body: body instanceof Uint8Array || body === undefined ? body : JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text(), caching: answer.headers.get("cache-control") };
  };
  const [ann, bob, all] = ["ann", "bob", "all"].map(as);
  const IMAGES = "/__baton/admin/images";
  const upload = async (who, height) => JSON.parse((await who("PUT", IMAGES, picture(height))).text).name;
  const listed = async (who) => JSON.parse((await who("GET", IMAGES)).text).images.map(({ name, rooms: of }) => [name, of]);
  const bobs = await upload(bob, 1);
  assert.deepEqual([await listed(ann), await listed(bob), await listed(all)], [[], [[bobs, []]], [[bobs, []]]]);
  const look = (who) => who("GET", `/__baton/images/${bobs}`);
  assert.deepEqual(
    [(await look(ann)).status, (await look(bob)).status, (await look(bob)).caching, (await look(ann)).status],
    [404, 200, "private, no-store", 404],
  );
  assert.equal((await ann("DELETE", `${IMAGES}/${bobs}`)).status, 404);
  const logo = { page_logo: `/__baton/images/${bobs}` };
  const taken = await ann("PUT", "/__baton/admin/house/brands/alpha", logo);
  assert.deepEqual([taken.status, /Upload it first/.test(taken.text)], [400, true], "whoever knows its name has it not");
  // An owner of everything shows it on Ann's page: she has it for as long, and hears of no other page.
  for (const room of ["alpha", "beta"]) await house.call(`house/brands/${room}`, { method: "PUT", body: logo });
  assert.deepEqual([await listed(ann), await listed(bob)], [[[bobs, ["alpha"]]], [[bobs, ["beta"]]]]);
  const shown = await ann("DELETE", `${IMAGES}/${bobs}`);
  assert.deepEqual([shown.status, /alpha/.test(shown.text), /beta/.test(shown.text)], [409, true, false], shown.text);
  await house.call("house/brands/alpha", { method: "DELETE" });
  assert.deepEqual(await listed(ann), []);
  // Two have the same bytes: each gives up the own, and the last takes them along.
  await house.call("house/brands/beta", { method: "DELETE" });
  assert.equal(await upload(ann, 1), bobs);
  assert.equal((await bob("DELETE", `${IMAGES}/${bobs}`)).status, 204);
  assert.deepEqual([await listed(ann), await listed(bob)], [[[bobs, []]], []]);
  assert.equal((await ann("DELETE", `${IMAGES}/${bobs}`)).status, 204);
  assert.deepEqual(await listed(all), []);
});

test("whoever gets the name of an operator that the house removed has none of that one's pictures", async (t) => {
  const { house, url } = await housed(t);
  const put = (token) => house.call("house/operators/carol", { method: "PUT", body: { role: "operate", rooms: ["onsale"], sha256: sha256(token) } });
  const images = (token, options) => fetch(new URL("/__baton/admin/images", url), { headers: { authorization: `Bearer ${token}` }, ...options });
  const listedFor = async (token) => {
    const answer = await eventually(
      async () => {
        const answer = await images(token);
        return answer.status === 200 && answer;
      },
      { timeoutMs: BOUND_MS, what: "the operator is known" },
    );
    return (await answer.json()).images.map(({ name }) => name);
  };
  const [before, after] = ["before", "after"].map((word) => `the token of carol ${word} her removal`);
  await put(before);
  assert.deepEqual(await listedFor(before), []);
  const { name } = await (await images(before, { method: "PUT", body: picture(3) })).json();
  assert.deepEqual(await listedFor(before), [name]);
  assert.equal((await house.call("house/operators/carol", { method: "DELETE" })).status, 200);
  await put(after);
  assert.deepEqual(await listedFor(after), []);
  assert.deepEqual(await listedFor(TOKEN), [name], "an owner of all rooms still has it");
});

test("the deployment's own token keeps its role, whatever the house is told", async (t) => {
  const { house } = await housed(t);
  const put = await house.call("house/operators/mika", { method: "PUT", body: { role: "view", sha256: sha256(TOKEN) } });
  assert.deepEqual([put.status, /is that of operator as well/.test(put.text)], [400, true], put.text);
  await house.patch("onsale", { permits: 3 });
});
