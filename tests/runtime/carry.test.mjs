// Carrying a place to another device: a link is good once and for a while, looking at it changes nothing, and there is
// one place all the time.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { eventually, passTimes, startOrigin, startWorld as begin } from "./support/world.mjs";

const LONG = { permits: 1, lease_idle_s: 900, pass_ttl_s: 600, linger_s: 60 };
const ADMIN = "an operator's token that nobody guesses";
const FORM = { accept: "text/html", "content-type": "application/x-www-form-urlencoded" };

/** A site that says who came. */
async function startWorld(t, options) {
  const site = await startOrigin(t, (request, response) => response.end(request.headers["baton-fence"] ?? ""));
  const world = await begin(t, { origin: site.url, ...options });
  return { ...world, site };
}

const offer = (visitor, headers = {}) => visitor.call("carry", { method: "POST", headers });
const take = (visitor, url, headers = {}) =>
  visitor.request(url, {
    method: "POST",
    headers: { accept: "application/json", origin: visitor.url.origin, "sec-fetch-site": "same-origin", ...headers },
  });

async function link(visitor, headers) {
  const answer = await offer(visitor, headers);
  assert.equal(answer.status, 200, answer.body);
  return answer.json.url;
}

/** Opens a link as a browser does: that names it, and nothing more. */
async function look(visitor, url) {
  return await visitor.request(url, { headers: { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" } });
}

const opened = async (world, url) => {
  const visitor = world.visitor();
  assert.equal((await look(visitor, url)).status, 200);
  return visitor;
};

async function waiting(world, options) {
  const visitor = world.visitor(options);
  await visitor.arrive();
  await visitor.openSocket();
  return visitor;
}

/** Somebody inside, whose pass was shown back, and a queue behind. */
async function inside(world) {
  const visitor = world.visitor();
  await visitor.arrive();
  await eventually(async () => (await visitor.arrive()).status === 200 && !passTimes(visitor.cookie("pass")).provisional);
  return visitor;
}

test("a place moves: the old socket is told and closed, the new device is where the old one was", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0 } });
  const [front, old] = [await waiting(world), await waiting(world)];
  assert.deepEqual([front.number, old.number], [1, 2]);
  const url = await link(old, { referer: `${world.url}?seat=4` });
  assert.equal(new URL(url, world.url).searchParams.get("to"), "/buy/?seat=4");

  const device = await opened(world, url);
  assert.equal((await look(world.visitor(), url)).status, 200, "a preview looks as well");
  assert.equal((await old.status()).json.state, "waiting", "looking changes nothing");

  const told = await take(device, url);
  assert.deepEqual([told.status, told.json.state, told.json.number, told.json.ahead], [200, "waiting", 2, 1]);
  await old.waitFor((tab) => tab.tab.closed, 30_000, { evenClosed: true });
  assert.equal(old.tab.closed.code, 1000);
  assert.deepEqual([old.last.state, old.last.reason], ["over", "carried"]);
  await device.openSocket({ resume: true });
  assert.deepEqual([device.number, device.state], [2, "waiting"]);

  const back = await old.arrive();
  assert.deepEqual([back.status_object.state, back.status_object.reason], ["over", "carried"], "told once");
  assert.equal((await old.join()).json.number, 3, "and then it is anybody");
});

test("c103_a_link_is_good_once: of two devices one has it, and a lost answer is told again", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0 } });
  const old = await waiting(world);
  const url = await link(old);
  const devices = await Promise.all([opened(world, url), opened(world, url), opened(world, url)]);
  const answers = await Promise.all(devices.map((device) => take(device, url)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410]);
  const winner = devices[answers.findIndex(({ status }) => status === 200)];
  const again = await take(winner, url);
  assert.deepEqual([again.status, again.json.number], [200, old.number]);
  const late = await take(await openedLate(world), url);
  assert.deepEqual([late.status, late.error], [410, "carry_over"]);
  for (const loser of devices.filter((device) => device !== winner)) assert.equal((await loser.status()).json.state, "none");
});

async function openedLate(world) {
  const visitor = world.visitor();
  await visitor.call("status");
  return visitor;
}

test("of two links one is good: when the place was carried the other is void, and each ends in time", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0, carry_within_s: 2 } });
  const old = await waiting(world);
  const late = await link(old);
  const device = await opened(world, late);
  await eventually(async () => (await look(world.visitor(), late)).status === 410, { what: "the link's end" });
  assert.equal((await take(device, late)).status, 410);
  assert.equal((await old.status()).json.state, "waiting");
  const first = await link(old),
    second = await link(old);
  assert.equal((await take(device, second)).status, 200);
  const other = await openedLate(world);
  assert.deepEqual([(await take(other, first)).error, (await take(other, second)).error], ["carry_over", "carry_over"]);
  const back = await link(device);
  assert.equal((await take(other, back)).status, 200, "a link that was made after it is good");
  assert.equal((await take(device, second)).error, "carry_over", "and what was carried on does not come back by an old one");
});

test("c104_a_lease_moves: a new fence, and the old pass is not renewed", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, pass_ttl_s: 1 } });
  const old = await inside(world);
  const before = await old.arrive();
  const url = await link(old);
  const device = await opened(world, url);
  const told = await take(device, url);
  assert.deepEqual([told.status, told.json.state, told.json.number], [200, "admitted", 1]);
  const after = await device.request("/buy/");
  assert.equal(after.status, 200);
  assert.ok(Number(after.body) > Number(before.body), `${after.body} after ${before.body}`);
  await eventually(
    async () => {
      const answer = await old.request("/buy/", { headers: { accept: "application/json" } });
      return answer.status === 429;
    },
    { what: "the old pass's end" },
  );
  for (let i = 0; i < 3; i++) assert.equal((await device.request("/buy/")).status, 200, "the new one goes on");
});

test("c104_a_strict_room: the old pass is dead at once", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, strict: "all" } });
  const old = await inside(world);
  const url = await link(old);
  const device = await opened(world, url);
  assert.equal((await take(device, url)).status, 200);
  assert.equal((await old.request("/buy/", { headers: { accept: "application/json" } })).status, 429);
  assert.equal((await device.request("/buy/")).status, 200);
});

test("a called place moves with the time there is to come, and is claimed there", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, claim_within_s: 60 } });
  const old = await waiting(world);
  const called = await old.waitForState("called");
  const url = await link(old);
  const device = await opened(world, url);
  const told = await take(device, url);
  assert.equal(told.json.state, "called");
  assert.ok(Math.abs(told.json.claim_by_at_ms - called.claim_by_at_ms) < 500, "not a moment longer");
  assert.equal((await old.claim()).status, 410);
  assert.equal((await device.claim()).status, 200);
});

test("an own place of the new device is given up, in whichever lobby it is", async (t) => {
  for (const crowd of [10_000, 40_000]) {
    const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0, crowd } });
    const old = await waiting(world);
    const others = await Promise.all(Array.from({ length: 6 }, () => waiting(world)));
    const numbers = others.map(({ number }) => number);
    for (const device of others) {
      const url = await link(device === others[0] ? old : others[others.indexOf(device) - 1]);
      assert.equal((await take(device, url)).json.number, old.number);
    }
    const next = world.visitor();
    await eventually(async () => (await next.join()).json.ahead === 1, { what: `only one place left of ${numbers}` });
  }
});

test("a link is no trap: whoever is nearer, called or inside keeps the own place and is told, and the link stays good", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0 }, vars: { BATON_ADMIN_TOKEN: ADMIN } });
  const near = await waiting(world);
  const old = await waiting(world);
  const url = await link(old);
  assert.equal((await look(near, url)).status, 200);
  const kept = await take(near, url);
  assert.deepEqual([kept.status, kept.error], [409, "carry_nearer"]);
  const page = await take(near, url, FORM);
  assert.deepEqual([page.status, page.body.includes('<body data-state="nearer">')], [409, true]);
  const places = async () => [await near.status(), await old.status()].map(({ json }) => [json.state, json.number]);
  assert.deepEqual(await places(), [
    ["waiting", near.number],
    ["waiting", old.number],
  ]);
  // The own place is called, and then inside: a number in front would not take it away either.
  const ahead = await link(near);
  const patch = await fetch(new URL("/__baton/admin/rooms/onsale", world.url), {
    method: "PATCH",
    headers: { authorization: `Bearer ${ADMIN}` },
    body: '{"permits":2}',
  });
  assert.equal(patch.status, 200);
  await eventually(async () => (await old.status()).json.state === "called", { what: "both are called" });
  assert.equal((await take(old, ahead)).error, "carry_nearer");
  assert.equal((await old.claim()).status, 200);
  assert.equal((await take(old, ahead)).error, "carry_nearer");
  await old.leave();
  assert.equal((await take(old, ahead)).json.number, near.number, "who gave the own place up takes the link's");
});

test("c102_links_that_are_forged_or_foreign: pages, links and people without a place get nothing", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0 }, vars: {} });
  const old = await waiting(world);
  const url = await link(old);
  const device = await opened(world, url);
  const evil = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  assert.deepEqual([(await take(device, url, evil)).error, (await offer(old, evil)).error], ["forbidden_origin", "forbidden_origin"]);
  const forged = url.replace(/carry\/(.)/, (whole, first) => `carry/${first === "A" ? "B" : "A"}`);
  for (const bad of [forged, "/__baton/onsale/carry/AAAA"]) {
    assert.equal((await look(device, bad)).status, 410);
    assert.equal((await take(device, bad)).error, "carry_over");
  }
  const stranger = world.visitor();
  const refused = await take(stranger, url);
  assert.deepEqual([refused.status, refused.error], [403, "cookies_required"]);
  assert.equal((await take(stranger, url)).status, 200, "with the cookie that came along");
  assert.equal((await offer(world.visitor())).error, "cookies_required");
  assert.equal((await offer(await openedLate(world))).error, "bad_ticket");
  await stranger.leave();
  assert.equal((await offer(stranger)).error, "ticket_over");
});

test("where places are not carried there are no links", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0, carry_within_s: 0 } });
  const old = await waiting(world);
  assert.deepEqual([(await offer(old)).status, (await look(old, "/__baton/onsale/carry/AAAA")).status], [404, 410]);
});

test("without JavaScript: a button, and on to the page where the place was", async (t) => {
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0 } });
  const old = await waiting(world);
  const url = await link(old, { referer: `${world.url}hall/3` });
  const device = world.visitor({ language: "ja" });
  const page = await look(device, url);
  assert.match(page.body, /<body data-state="ready">/);
  assert.match(page.body, /<form[^>]* method="post">/);
  assert.match(page.headers["content-security-policy"], /default-src 'none'.*form-action 'self'/);
  assert.equal(page.headers["cache-control"], "private, no-store");
  assert.match(page.body, /<html lang="ja"/);
  const taken = await take(device, url, FORM);
  assert.deepEqual([taken.status, taken.headers.location], [303, "/buy/hall/3"]);
  assert.equal((await device.arrive("/buy/hall/3")).status_object.number, old.number);
  for (const elsewhere of ["https://evil.example/", "//evil.example/buy/", "/\\evil.example/buy/", "/other", "%2F%2Fevil.example"]) {
    const again = await take(device, url.replace(/to=.*/, `to=${encodeURIComponent(elsewhere)}`), FORM);
    assert.equal(again.headers.location, "/buy/", elsewhere);
  }
  const over = await take(await openedLate(world), url, FORM);
  assert.equal(over.status, 410);
  assert.match(over.body, /<body data-state="over">/);
});

test("killed in between: one place, and it is where it was taken up", async (t) => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-carry-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const world = await startWorld(t, { room: { ...LONG, walk_in: false, permits: 0 }, runtime: { dataDir } });
  const old = await waiting(world);
  const url = await link(old);
  const device = await opened(world, url);
  await world.baton.restart();
  const taking = take(device, url).catch((error) => error);
  await world.baton.restart();
  await taking;
  const told = await eventually(
    async () => {
      const answer = await take(device, url).catch(() => null);
      return answer?.status === 200 && answer;
    },
    { what: "the place" },
  );
  assert.equal(told.json.number, old.number);
  const after = await old.status();
  assert.deepEqual([after.json.state, after.json.reason], ["over", "carried"]);
  const next = world.visitor();
  await next.call("status");
  assert.equal((await next.join()).json.ahead, 1);
});
