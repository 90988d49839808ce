// What the operator does while people wait: settings that take effect at once and outlive a restart, modes, a message,
// the end of one ticket. And that whatever is wrong is refused whole, with the reason.

import assert from "node:assert/strict";
import { test } from "node:test";
import { audited, journalOf } from "../support/audit.mjs";
import { pass, play } from "./harness.mjs";
import { eventually, startOrigin, startWorld } from "./support/world.mjs";

const TOKEN = "an operator's token that nobody guesses";

/** A world with its operator: `desk.set(values)`, `desk.look()`, `desk.release(number)`. */
async function operated(t, room = {}, options = {}) {
  const vars = { BATON_ADMIN_TOKEN: TOKEN, ...options.vars };
  const world = await startWorld(t, { room: { permits: 1, linger_s: 60, ...room }, ...options, vars });
  const call = (path, { method = "GET", body, headers = {} } = {}) =>
    fetch(new URL(`/__baton/admin/rooms/onsale${path}`, world.url), {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body: typeof body === "object" ? JSON.stringify(body) : body,
    });
  const desk = {
    call,
    look: async () => (await call("")).json(),
    patch: (body, headers) => call("", { method: "PATCH", body, headers }),
    async set(body) {
      const answer = await desk.patch(body);
      assert.equal(answer.status, 200, await answer.clone().text());
      return answer.json();
    },
    release: (number) => call(`/tickets/${number}/release`, { method: "POST" }),
    async sound() {
      const { sound, text } = await audited(await journalOf({ url: world.url, token: TOKEN }));
      assert.ok(sound, text);
    },
  };
  return { ...world, desk };
}

/** One inside, `count` waiting with open sockets. */
async function crowd(world, count) {
  const holder = world.visitor({ name: "holder" });
  await holder.arrive();
  assert.equal((await holder.arrive()).state, "shop");
  const line = [];
  for (let i = 0; i < count; i++) {
    const visitor = world.visitor({ name: `waiter ${i + 1}` });
    await visitor.arrive();
    await visitor.openSocket();
    line.push(visitor);
  }
  return { holder, line };
}

test("more permits take effect at once, a live value wins until it is cleared, and all of it is in the journal", async (t) => {
  const world = await operated(t);
  const { desk } = world;
  const { line } = await crowd(world, 3);
  const before = await desk.look();
  assert.deepEqual(before.settings.permits, { value: 1, source: "file", live: true });
  assert.deepEqual(before.settings.crowd, { value: 10_000, source: "default", live: false });
  const answer = await desk.patch({ permits: 3 });
  assert.equal(answer.headers.get("etag"), '"1"');
  const after = await answer.json();
  assert.deepEqual([after.settings.permits, after.revision], [{ value: 3, source: "live", live: true }, 1]);
  assert.equal(after.changed.permits.by, "operator");
  await line[0].waitForState("called");
  await line[1].waitForState("called");
  assert.equal(line[2].state, "waiting");
  const { report } = await desk.set({ permits: null });
  assert.deepEqual([report.permits, report.debt], [1, 2], "nobody is put out, two are owed");
  assert.equal((await desk.look()).settings.permits.source, "file");
  await desk.sound();
});

test("a change that is wrong in one place changes nothing, and says what to do", async (t) => {
  const { desk } = await operated(t);
  const wrong = [
    [{ permits: -1 }, /permits/],
    [{ permits: "ten" }, /permits/],
    [{ permits: 1e20 }, /permits/],
    [{ permits: 5, mode: "shut" }, /mode/],
    [{ permitz: 5 }, /permitz.*permits/s],
    [{ crowd: 5 }, /crowd.*deploy/s],
    [{ message: "a".repeat(501) }, /message/],
    [{ claim_within_s: 0 }, /claim_within_s/],
  ];
  for (const [body, why] of wrong) {
    const answer = await desk.patch(body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    const { error } = await answer.json();
    assert.equal(error.code, "bad_request");
    assert.match(error.message, why);
  }
  for (const body of ["[1]", "{", "permits=3"]) {
    assert.equal((await desk.patch(body)).status, 400, body);
  }
  const { report, revision, settings } = await desk.look();
  assert.deepEqual([report.permits, revision, settings.mode.source], [1, 0, "default"]);
});

test("of two edits of one state the second is told", async (t) => {
  const { desk } = await operated(t);
  const tag = (await desk.call("")).headers.get("etag");
  assert.equal((await desk.patch({ permits: 2 }, { "if-match": tag })).status, 200);
  const late = await desk.patch({ permits: 9 }, { "if-match": tag });
  assert.equal(late.status, 412);
  assert.equal((await late.json()).error.code, "precondition_failed");
  assert.equal((await desk.patch({ permits: 9 }, { "if-match": "nonsense" })).status, 412);
  assert.equal((await desk.look()).report.permits, 2);
  assert.equal((await desk.patch({ permits: 3 }, { "if-match": '"1"' })).status, 200);
});

test("the operator's words reach everybody who waits at once, as text", async (t) => {
  const world = await operated(t);
  const { line } = await crowd(world, 2);
  const words = "Back at noon <script>alert(1)</script>";
  await world.desk.set({ message: words });
  for (const visitor of line) await visitor.waitFor(({ last }) => last.message === words);
  const page = await line[0].arrive();
  assert.ok(!page.body.includes("<script>alert"), "the page shows it as text");
  await world.desk.set({ message: { any: words, ja: "正午に <b>" } });
  for (const visitor of line) await visitor.waitFor(({ last }) => last.messages?.ja === "正午に <b>");
  const pageIn = async (language) => (await line[0].arrive("/buy/", { headers: { "accept-language": language } })).body;
  const shown = (body) => /data-baton="message"[^>]*>([^<]*)</.exec(body)?.[1];
  assert.deepEqual(
    [shown(await pageIn("ja")), shown(await pageIn("de"))],
    ["正午に &lt;b&gt;", "Back at noon &lt;script&gt;alert(1)&lt;/script&gt;"],
  );
  await world.desk.set({ message: null });
  for (const visitor of line) await visitor.waitFor(({ last }) => last.message === undefined && last.messages === undefined);
});

test("paused: the line forms and stands; open again: it moves", async (t) => {
  const world = await operated(t);
  const { holder, line } = await crowd(world, 1);
  await world.desk.set({ mode: "paused" });
  await line[0].waitFor(({ last }) => last.mode === "paused");
  await holder.leave();
  const late = world.visitor({ name: "late" });
  await late.arrive();
  await late.openSocket();
  assert.equal(late.number, 3);
  assert.deepEqual([line[0].state, late.state], ["waiting", "waiting"]);
  await world.desk.set({ mode: "open" });
  await line[0].waitForState("called");
  assert.equal(late.state, "waiting");
  await world.desk.sound();
});

test("sold out: everybody who waits is told at once and is over, who is inside stays, nobody joins", async (t) => {
  const world = await operated(t);
  const { holder, line } = await crowd(world, 1);
  const [called] = line;
  await world.desk.set({ permits: 2 });
  await called.waitForState("called");
  const waiter = world.visitor({ name: "waiter" });
  await waiter.arrive();
  await waiter.openSocket();
  await world.desk.set({ mode: "sold_out" });
  for (const visitor of [called, waiter]) {
    await visitor.waitForState("over");
    assert.equal(visitor.last.reason, "sold_out");
  }
  assert.equal((await holder.arrive()).state, "shop", "who is inside stays");
  const late = world.visitor({ name: "late" });
  await late.status();
  const answer = await late.join();
  assert.equal(answer.status, 200);
  assert.deepEqual([answer.json.state, answer.json.mode, answer.json.number], ["none", "sold_out", undefined]);
  const { report } = await world.desk.look();
  assert.deepEqual([report.waiting, report.called, report.inside, report.hand], [0, 0, 1, 1]);
  await world.desk.set({ mode: "open" });
  assert.equal((await late.arrive()).state, "shop", "and when something came back, the next may come");
  await world.desk.sound();
});

test("closed and drain issue nothing; drain serves those in line, closed keeps their places", async (t) => {
  const world = await operated(t);
  const { holder, line } = await crowd(world, 2);
  await world.desk.set({ mode: "closed" });
  await line[0].waitFor(({ last }) => last.mode === "closed");
  const late = world.visitor({ name: "late" });
  await late.status();
  assert.equal((await late.join()).json.state, "none");
  await holder.leave();
  assert.equal((await line[0].status()).json.state, "waiting");
  await world.desk.set({ mode: "drain" });
  await line[0].waitForState("called");
  assert.equal((await late.join()).json.state, "none");
  assert.equal((await line[0].claimByLanding()).state, "shop");
  await line[0].leave();
  await line[1].waitForState("called");
  await world.desk.sound();
});

for (const [who, headers] of [
  ["a person", { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }],
  ["a program", { accept: "application/json" }],
]) {
  test(`${who} who keeps no cookies hears alone of each change of the mode`, async (t) => {
    const { desk, ...world } = await operated(t, { permits: 0, mode: "closed" });
    const isIn = async () => (await world.raw("/buy/", { headers })).headers["baton-state"] === undefined;
    assert.equal(await isIn(), false);
    for (const shut of ["closed", "open", "paused", "sold_out"]) {
      for (const mode of ["bypass", "observe"]) {
        await desk.set({ mode });
        await eventually(isIn, { what: `a way in: ${mode}`, everyMs: 100 });
        await desk.set({ mode: shut });
        await eventually(async () => !(await isIn()), { what: `no way in: ${shut}`, everyMs: 100 });
      }
    }
  });
}

const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const PROGRAM = { accept: "application/json" };
const reaches = (told) => told.url !== undefined;
for (const [what, modes, path, options, isIn] of [
  ["a person", ["bypass", "observe"], "/buy/", { headers: PAGE }, reaches],
  ["a program", ["bypass", "observe"], "/buy/", { headers: PROGRAM }, reaches],
  ["a form", ["bypass", "observe"], "/buy/", { method: "POST", headers: PROGRAM }, reaches],
  ["an app", ["bypass"], "/__baton/onsale/enter", { method: "POST", headers: PROGRAM }, (told) => told.in],
  ["a header that names a path", ["observe"], "/", { headers: { ...PROGRAM, script_name: "/buy" } }, (told) => told.headers.script_name],
]) {
  test(`after silence ${what} hears of the end of ${modes.join(" and ")}, also where twenty come at once`, async (t) => {
    const shop = await startOrigin(t, ({ url, headers }, response) => response.end(JSON.stringify({ url, headers })));
    const { desk, ...world } = await operated(t, { permits: 0 }, { origin: shop.url });
    const comesIn = async () => {
      const { body } = await world.raw(path, options);
      return body.startsWith("{") && Boolean(isIn(JSON.parse(body)));
    };
    for (const mode of modes) {
      await desk.set({ mode });
      const hears = () => world.raw("/buy/", { headers: PROGRAM });
      await eventually(async () => (await hears()) && comesIn(), { what: `a way in: ${mode}`, everyMs: 100 });
      await desk.set({ mode: "open" });
      // What a front, and a lobby, heard is old then.
      await pass(2_100);
      const crowd = await Promise.all(Array.from({ length: 20 }, comesIn));
      assert.deepEqual(crowd.filter(Boolean), [], mode);
    }
  });
}

test("observe: everybody passes and nobody waits, and the room counts who would have been inside", async (t) => {
  const world = await operated(t, { permits: 1, mode: "observe" });
  const visitors = Array.from({ length: 4 }, (_, i) => world.visitor({ name: `visitor ${i + 1}` }));
  for (const visitor of visitors) {
    assert.equal((await visitor.arrive()).state, "shop");
    assert.equal((await visitor.arrive()).state, "shop");
  }
  const seen = await world.desk.look();
  assert.deepEqual([seen.report.inside, seen.report.permits, seen.report.debt, seen.report.waiting], [4, 1, 3, 0]);
  await world.desk.set({ mode: "open" });
  const late = world.visitor({ name: "late" });
  await late.arrive();
  await late.openSocket();
  assert.equal(late.state, "waiting", "from now on it is meant");
  for (const visitor of visitors.slice(0, 3)) await visitor.leave();
  assert.equal((await late.status()).json.state, "waiting", "what is owed is paid first");
  await visitors[3].leave();
  await late.waitForState("called");
  await world.desk.sound();
});

test("a ticket that the operator ends is told, and its permit passes on", async (t) => {
  const world = await operated(t);
  const { holder, line } = await crowd(world, 2);
  const [first, second] = line;
  assert.equal((await world.desk.release(first.number)).status, 204);
  await first.waitForState("over");
  assert.equal(first.last.reason, "released");
  assert.equal((await world.desk.release(holder.number ?? 1)).status, 204);
  await second.waitForState("called");
  assert.equal((await world.desk.release(first.number)).status, 410);
  assert.equal((await world.desk.release(99)).status, 410);
  await world.desk.sound();
});

play("live values outlive a crash, and nobody has to say them again", { permits: 1 }, async (it) => {
  const room = (options) =>
    fetch(new URL("/__baton/admin/rooms/onsale", it.rt.url), { headers: { authorization: `Bearer ${it.token}` }, ...options });
  const authorization = `Bearer ${it.token}`;
  const set = await room({ method: "PATCH", headers: { authorization }, body: JSON.stringify({ permits: 4, message: "Soon." }) });
  assert.equal(set.status, 200, await set.clone().text());
  await it.crash({ permits: 2 });
  const { report, settings, revision } = await (await room()).json();
  assert.deepEqual([report.permits, settings.message.value, revision], [4, "Soon.", 1], "no deploy changes a live value");
});

/** The room once `holds` is true of it. */
const until = (desk, holds) =>
  eventually(
    async () => {
      const room = await desk.look();
      return holds(room) && room;
    },
    { timeoutMs: 20_000 },
  );

test("a ramp raises permits step by step and wakes those who wait; lowered on one, the room owes and puts nobody out", async (t) => {
  const world = await operated(t);
  const { desk } = world;
  const { holder, line } = await crowd(world, 3);
  const begun = await desk.set({ permits: { to: 4, over_s: 3 } });
  const { value, ramp } = begun.settings.permits;
  assert.deepEqual([value, ramp.from, ramp.to, ramp.over_s, ramp.ends_at_ms - ramp.since_at_ms], [1, 1, 4, 3, 3_000]);
  // Nobody asks the room for anything meanwhile: its own alarm moves it.
  for (const visitor of line) {
    await visitor.waitForState("called");
    assert.equal((await visitor.claimByLanding()).state, "shop");
  }
  const up = await until(desk, ({ settings }) => settings.permits.ramp === undefined);
  assert.deepEqual([up.report.permits, up.settings.permits.value], [4, 4]);
  await desk.set({ permits: { to: 0, over_s: 2 } });
  const down = await until(desk, ({ report }) => report.permits === 0);
  assert.deepEqual([down.report.inside, down.report.debt], [4, 4], "nobody is put out");
  for (const visitor of [holder, ...line]) await visitor.leave();
  const empty = await until(desk, ({ report }) => report.inside === 0);
  assert.deepEqual([empty.report.debt, empty.report.hand + empty.report.tray], [0, 0]);
  const steps = [];
  for (const line of (await (await desk.call("/journal")).text()).trimEnd().split("\n").slice(1)) {
    const { at_ms, events } = JSON.parse(line);
    for (const { configured } of events) if (configured) steps.push([configured.permits, at_ms]);
  }
  assert.deepEqual(
    steps.map(([permits]) => permits),
    [1, 2, 3, 4, 3, 2, 1, 0],
    "each step is in the journal",
  );
  await desk.sound();
});

test("a ramp is ended by a value, by null and by an undo; an undo brings back what was, for whoever saw it", async (t) => {
  const { desk } = await operated(t, { permits: 10 });
  const undo = (revision) => desk.call("/undo", { method: "POST", headers: revision === undefined ? {} : { "if-match": `"${revision}"` } });
  assert.equal((await undo(0)).status, 400, "nothing was changed yet");
  const ramp = { from: 100, to: 200, over_s: 3_600 };
  const begun = await desk.set({ permits: ramp, message: "It goes on." });
  assert.deepEqual([begun.report.permits, begun.undo.permits.value, begun.undo.message.value], [100, 10, ""]);
  const ended = await desk.set({ permits: 7 });
  assert.deepEqual([ended.report.permits, ended.settings.permits.ramp, ended.undo.permits.ramp.from], [7, undefined, 100]);
  assert.equal((await undo()).status, 428);
  assert.equal((await undo(1)).status, 412);
  const answer = await undo(2);
  assert.equal(answer.status, 200, await answer.clone().text());
  const back = await answer.json();
  assert.deepEqual(back.settings.permits.ramp, begun.settings.permits.ramp, "the ramp goes on as if it had never ended");
  assert.deepEqual([back.revision, back.report.permits >= 100, back.settings.message.value], [3, true, "It goes on."]);
  assert.equal((await desk.set({ permits: null })).report.permits, 10);
  assert.equal((await (await undo(4)).json()).settings.permits.ramp.to, 200);
  const again = await (await undo(5)).json();
  assert.deepEqual([again.report.permits, again.settings.permits.source], [10, "file"], "an undo is undone");
  await desk.sound();
});

test("a ramp that is wrong is refused, and says what to do", async (t) => {
  const { desk } = await operated(t);
  for (const [body, why] of [
    [{ permits: { to: 5 } }, /permits\.over_s.*"over_s": 300/s],
    [{ permits: { to: 1e9, over_s: 5 } }, /permits/],
    [{ permits: { to: 5, over_s: 5, form: 1 } }, /permits\.form.*from/s],
    [{ admissions_per_s: { to: 5, over_s: 5 } }, /admissions_per_s\.from.*no cap/s],
    [{ tick_ms: { to: 500, over_s: 5 } }, /tick_ms/],
  ]) {
    const answer = await desk.patch(body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match((await answer.json()).error.message, why);
  }
  assert.equal((await desk.look()).revision, 0);
});

play("a ramp goes on after a crash, from when it began", { permits: 1 }, async (it) => {
  const authorization = `Bearer ${it.token}`;
  const room = async (options) => (await fetch(new URL("/__baton/admin/rooms/onsale", it.rt.url), { headers: { authorization }, ...options })).json();
  const {
    settings: { permits },
  } = await room({ method: "PATCH", headers: { authorization }, body: JSON.stringify({ permits: { to: 1_001, over_s: 15 } }) });
  await it.crash();
  const after = await room();
  assert.deepEqual(after.settings.permits.ramp, permits.ramp);
  assert.equal(after.report.permits, after.settings.permits.value);
  assert.ok(after.report.permits < 1_001, "on its way still");
  const done = await eventually(
    async () => {
      const { report } = await room();
      return report.permits === 1_001;
    },
    { timeoutMs: 30_000 },
  );
  assert.ok(done);
});
