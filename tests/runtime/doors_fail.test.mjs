// What happens when the room can't be reached: closed unless the operator says otherwise, and then for so long, for so
// many, and loudly.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { coded } from "../support/logs.mjs";
import { eventually, passTimes, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const OUTAGE = inRoot("tests", "runtime", "support", "outage.js");
const TOKEN = "operator-operator-operator-operator";
const HTML = { accept: "text/html" };

async function begin(t, room) {
  const site = await startOrigin(t, async (request, response) => {
    for await (const _ of request);
    response.end(`in ${request.method} ${request.headers["baton-fence"] ?? "-"}`);
  });
  const world = await startWorld(t, {
    origin: site.url,
    room: { permits: 0, walk_in: false, ...room },
    vars: { BATON_ADMIN_TOKEN: TOKEN },
    runtime: { wrapper: OUTAGE },
  });
  const visit = (options = {}) => raw(world.baton.port, "/buy/", { headers: HTML, ...options });
  const outage = (word) => raw(world.baton.port, `/outage/${word}`);
  const metric = async () => {
    const { body } = await raw(world.baton.port, "/__baton/metrics", { headers: { authorization: `Bearer ${TOKEN}` } });
    return Number(/^baton_fail_open_requests_total\{room="onsale"\} (\d+)$/m.exec(body)?.[1]);
  };
  // Known: only who shows a cookie is asked for.
  const cookie = (answer) =>
    Object.values(setCookies(answer))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  const known = { headers: { ...HTML, cookie: cookie(await visit()) } };
  return { ...world, site, visit, outage, metric, known };
}

const isIn = ({ status, headers }) => status === 200 && headers["baton-state"] === undefined;

test("c60_fail_closed_the_default: nobody gets in, and the metrics say none did", async (t) => {
  const { visit, outage, known, metric, site } = await begin(t);
  await outage("on");
  const answers = await Promise.all(Array.from({ length: 20 }, () => visit(known)));
  assert.ok(answers.every((answer) => !isIn(answer) && /data-state="unreachable"/.test(answer.body)));
  assert.equal((await visit({ headers: { ...known.headers, accept: "application/json" } })).status, 429);
  assert.equal(site.requests.length, 0);
  await outage("off");
  await visit(known);
  assert.equal(await metric(), 0);
});

test("c60_c101_fail_open: so many at once and no more, without a fence; when the room is back it closes, and the count is told", async (t) => {
  const { visit, outage, known, metric, baton } = await begin(t, { fail: "open", fail_open_per_s: 3, fail_open_s: 600 });
  assert.ok(!isIn(await visit(known)), "the room answers: one waits");
  await outage("on");
  const began = Date.now();
  const answers = [];
  for (let i = 0; i < 30; i += 1) answers.push(await visit(known));
  const most = 3 + 3 * Math.ceil((Date.now() - began) / 1000);
  const entered = answers.filter(isIn);
  assert.ok(entered.length >= 3 && entered.length <= most, `${entered.length} of ${most}`);
  assert.ok(
    entered.every(({ body, headers }) => body === "in GET -" && !headers["set-cookie"]?.some((line) => line.includes("-pass="))),
    "no lease, and no pass to keep",
  );
  assert.ok(answers.filter((answer) => !isIn(answer)).every(({ body }) => /data-state="unreachable"/.test(body)));
  const said = coded(baton.logs(), "fail_open");
  assert.equal(said.length, entered.length, "each is in the log");
  await outage("off");
  assert.ok(!isIn(await visit(known)), "closed again at once");
  await eventually(async () => (await metric()) === entered.length, { what: "the count in the metrics" });
  await visit(known);
  assert.equal(await metric(), entered.length, "told once");
});

test("c101_fail_open_ends: after fail_open_s although the room is still away", async (t) => {
  const { visit, outage, known } = await begin(t, { fail: "open", fail_open_per_s: 1000, fail_open_s: 1 });
  await outage("on");
  const began = Date.now();
  assert.ok(isIn(await visit(known)));
  await eventually(async () => !isIn(await visit(known)), { what: "the end" });
  assert.ok(Date.now() - began >= 1_000);
  for (let i = 0; i < 20; i += 1) assert.ok(!isIn(await visit(known)));
});

test("while it is open, forms and pictures of who was let in get through, at the same rate", async (t) => {
  const { visit, outage, known } = await begin(t, { fail: "open", fail_open_per_s: 1000, fail_open_s: 600 });
  const post = { method: "POST", headers: { ...known.headers, accept: "application/json" } };
  assert.equal((await visit(post)).status, 429);
  await outage("on");
  assert.equal((await visit(post)).status, 429, "nobody has found the room away yet: this asks nothing");
  assert.ok(isIn(await visit(known)));
  assert.equal((await visit(post)).body, "in POST -");
});

test("a strict room that fails open lets a pass in with the fence it carries", async (t) => {
  const { visit, outage, visitor } = await begin(t, {
    permits: 10,
    walk_in: true,
    strict: "all",
    fail: "open",
    fail_open_per_s: 1000,
    fail_open_s: 600,
  });
  const holder = visitor();
  await holder.arrive();
  await eventually(async () => (await holder.arrive()) && !passTimes(holder.cookie("pass")).provisional);
  const shown = { headers: { ...HTML, cookie: holder.jar.header() } };
  await outage("on");
  assert.match((await visit(shown)).body, /^in GET \d+$/);
});
