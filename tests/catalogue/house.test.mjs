// Attacks on the house: rooms that come and go without a deploy must be no way around a gate, and nobody's to change but an operator's.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { catalogue, each, JSON_ONLY, PAGE } from "./stage.mjs";

const VIEW = "a token to look with that nobody guesses";
const sha256 = createHash("sha256").update(VIEW).digest("hex");
const row = catalogue({
  vars: {
    GROUNDS: { paths: ["/c144-new/*", "/c145-new/*", "/c146/*", "/c147-new/*", "/c148-new/*", "/c149-new/*"] },
    OPERATORS: [{ name: "mika", role: "view", sha256 }],
  },
});

/** `call(path, { method, body, headers, token })` to the house: `{ status, text, json }`. */
const houseOf =
  (it) =>
  async (path, { method = "GET", body, headers = {}, token = it.secrets.BATON_ADMIN_TOKEN } = {}) => {
    const authorization = token && { authorization: `Bearer ${token}` };
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const answer = await it.rawAt(`/__baton/admin/house${path}`, { method, headers: { ...authorization, ...headers }, body: text });
    return { ...answer, json: answer.body.startsWith("{") && !path.startsWith("/journal") ? JSON.parse(answer.body) : undefined };
  };
const table = (path) => ({ paths: [path], permits: 0 });
const revision = async (house) => (await house("")).json.revision;

row("c144_a_view_role_changes_no_room: nor does a guess, nor nobody", {}, async (it) => {
  const house = houseOf(it);
  const before = await revision(house);
  const body = table("/c144-new/*");
  const changes = [
    ["/rooms/new", { method: "PUT", body }],
    ["/rooms/new", { method: "DELETE" }],
    ["/rooms/new/release", { method: "POST" }],
    ["/apply", { method: "POST", body: { rooms: { new: body } }, headers: { "if-match": `"${before}"` } }],
    ["/undo", { method: "POST", headers: { "if-match": `"${before}"` } }],
  ];
  await each(changes, async ([path, options]) => {
    for (const [token, status] of [
      [VIEW, 403],
      ["a guess of somebody who has no token", 401],
      [null, 401],
    ]) {
      assert.equal((await house(path, { ...options, token })).status, status, `${options.method} ${path}`);
    }
  });
  for (const [path, options] of [
    ["", {}],
    ["/journal", {}],
    ["/plan", { method: "POST", body: { rooms: { new: body } } }],
  ])
    assert.equal((await house(path, { ...options, token: VIEW })).status, 200, path);
  assert.equal(await revision(house), before);
});

row("c145_a_room_outside_the_grounds: by no pattern, spelling or host does the house gate elsewhere", {}, async (it) => {
  const house = houseOf(it);
  const before = await revision(house);
  const outside = [
    "/*",
    "/c145/*",
    "/c145-new*",
    "/*/x",
    "/c145-new/../c145/*",
    "/c145-new/%2e%2e/c145",
    "//c145/*",
    "/C145/*",
    "/c145-new",
    "/c145-new/*/../../x",
  ];
  await each(outside, async (path) => {
    const { status, body } = await house("/plan", { method: "POST", body: { rooms: { new: table(path) } } });
    // What lies within is none of these but the folder itself.
    const problems = status === 200 ? JSON.parse(body).problems : [body];
    if (path === "/c145-new") assert.deepEqual(problems, []);
    else assert.match(problems.join("\n"), /outside the grounds|is no path pattern|paths/, path);
  });
  assert.equal(await revision(house), before);
});

row("c146_a_room_of_the_file_is_not_the_houses: neither by its name nor by its ground", { permits: 0 }, async (it) => {
  const house = houseOf(it);
  const before = await revision(house);
  for (const [room, body] of [
    ["c146", table("/c146/*")],
    ["twin", table("/c146/*")],
    ["c146", { paths: ["/c146/*"], permits: 1_000, mode: "bypass" }],
  ]) {
    const put = await house(`/rooms/${room}`, { method: "PUT", body });
    assert.equal(put.status, 400, put.body);
    assert.match(put.body, /is a room of wrangler\.toml as well|also gated by the room c146/);
  }
  for (const [method, path] of [
    ["DELETE", "/rooms/c146"],
    ["POST", "/rooms/c146/release"],
  ])
    assert.equal((await house(path, { method })).status, 404);
  assert.equal(await revision(house), before);
  assert.equal((await it.rawAt("/c146/seat", { headers: PAGE })).headers["baton-state"], "waiting");
});

row("c147_an_old_look_changes_nothing: If-Match of before, none where one must be, anything that is none", {}, async (it) => {
  const house = houseOf(it);
  const body = table("/c147-new/*");
  const first = await house("/rooms/c147-new", { method: "PUT", body });
  assert.equal(first.status, 200, first.body);
  const now = first.json.revision;
  const wrong = [
    [`"${now - 1}"`, 412],
    [`"${now + 1}"`, 412],
    ["x", 412],
    ['"-1"', 412],
    [`"${now}x"`, 412],
  ];
  await each(wrong, async ([tag, status]) => {
    const headers = { "if-match": tag };
    for (const [path, options] of [
      ["/apply", { method: "POST", body: { rooms: { "c147-new": { ...body, permits: 9 } } } }],
      ["/undo", { method: "POST" }],
      ["/rooms/c147-new", { method: "PUT", body: { ...body, permits: 9 } }],
    ]) {
      assert.equal((await house(path, { ...options, headers })).status, status, `${path} ${tag}`);
    }
  });
  for (const headers of [{}, { "if-match": "*" }]) assert.equal((await house("/undo", { method: "POST", headers })).status, 428);
  assert.equal(await revision(house), now);
});

row("c148_a_body_that_is_too_large_or_no_definition: refused, and nothing is stored", {}, async (it) => {
  const house = houseOf(it);
  const before = await revision(house);
  const big = "x".repeat(2_100_000);
  const bodies = [
    ["/plan", `{"rooms": {"new": {"message": "${big}"}}}`, 413],
    ["/plan", "", 400],
    ["/plan", "[]", 400],
    ["/plan", '{"rooms": []}', 400],
    ["/plan", '{"rooms": {"new": 5}}', 400],
    ["/plan", `${'{"rooms":'.repeat(5_000)}`, 400],
    ["/plan", '{"rooms": {}, "by": "operator"}', 400],
  ];
  for (const [path, body, status] of bodies) assert.equal((await house(path, { method: "POST", body })).status, status, body.slice(0, 40));
  for (const body of [{ ...table("/c148-new/*"), message: "x".repeat(17_000) }, "[]", "{", `{"permits": ${"9".repeat(400)}}`]) {
    const put = await house("/rooms/new", { method: "PUT", body });
    assert.equal(put.status, 400, put.body.slice(0, 200));
  }
  assert.equal(await revision(house), before);
});

row("c149_a_name_is_a_name: as a path trick, as another room's object, as what JavaScript has", {}, async (it) => {
  const house = houseOf(it);
  const before = await revision(house);
  const body = table("/c149-new/*");
  const names = [
    "..",
    "%2e%2e",
    "a%2fb",
    "../journal",
    "onsale~",
    "c149!",
    "~house",
    "A",
    "a b",
    "__proto__",
    "x".repeat(33),
    "",
    "admin",
    "static",
    "%00",
    "é",
  ];
  await each(names, async (name) => {
    const put = await house(`/rooms/${encodeURI(decodeURI(name))}`, { method: "PUT", body });
    assert.ok([400, 404, 405].includes(put.status), `${name}: ${put.status}`);
  });
  for (const name of ["..", "c149~", "~house", "A", "__proto__", "constructor"]) {
    const planned = await house("/plan", { method: "POST", body: `{"rooms": {${JSON.stringify(name)}: ${JSON.stringify(body)}}}` });
    const isRefused = planned.status >= 400 || planned.json.problems.length > 0;
    assert.equal(isRefused, name !== "constructor", `${name}: ${planned.body}`);
  }
  assert.equal(await revision(house), before);
  assert.equal((await it.rawAt("/__baton/~house/status", { headers: JSON_ONLY })).status, 404);
});
