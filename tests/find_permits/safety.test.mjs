// The rules that keep a load test from doing harm, each with what it guards: the guard alone, and whole runs in simulated time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../../scripts/common.mjs";
import { Guard, makeCode, refuseWrites, waitForConsent, whyNoConsent } from "../../scripts/find_permits/safety.mjs";
import { readSteps } from "../../scripts/find_permits/steps.mjs";
import { simulate } from "./simulated.mjs";
import { VirtualClock } from "./virtual.mjs";

const SHOP = { segments: 1, servers: 8 };
const STEP = { name: "order" };
const good = { isOk: true, status: 200, why: null };
const bad = { isOk: false, status: 500, why: "status 500" };

// ---- the host's consent

test("a code is good for one run and cannot be guessed", () => {
  const codes = Array.from({ length: 100 }, makeCode);
  assert.equal(new Set(codes).size, 100);
  assert.ok(codes.every((code) => /^baton-find-permits=[\w-]{24}$/.test(code)));
});

test("consent is the very code at the very place: no redirect, no error, no other run's", () => {
  const code = makeCode();
  assert.equal(whyNoConsent({ status: 200, body: `${code}\n` }, code), null);
  assert.match(whyNoConsent({ status: 200, body: makeCode() }, code), /another text/);
  assert.match(whyNoConsent({ status: 200, body: `<p>${code}</p>` }, code), /another text/);
  assert.match(whyNoConsent({ status: 302, body: code }, code), /redirects/);
  assert.match(whyNoConsent({ status: 404, body: code }, code), /404/);
});

async function consentOf(answers, { waitMs = 10_000, origins = ["https://a.example", "https://b.example"] } = {}) {
  const clock = new VirtualClock();
  const [asked, told] = [[], []];
  const ask = (url) => {
    asked.push(url.href);
    return answers(url, clock.now());
  };
  const work = waitForConsent({
    origins: origins.map((origin) => new URL(origin)),
    code: "the code",
    ask,
    clock,
    waitMs,
    tell: (text) => told.push(text),
  });
  const error = await clock.run(work).then(
    () => null,
    (caught) => caught,
  );
  return { asked, told, error };
}
const yes = { status: 200, body: "the code" };

test("every named host must agree, and only the place of the code is asked before", async () => {
  const { asked, told, error } = await consentOf(async () => yes);
  assert.equal(error, null);
  assert.deepEqual(told, []);
  assert.deepEqual(asked, ["https://a.example/.well-known/baton-find-permits", "https://b.example/.well-known/baton-find-permits"]);
  const half = await consentOf(async ({ host }) => (host === "a.example" ? yes : { status: 404, body: "" }));
  assert.ok(half.error instanceof UserError);
  assert.match(
    half.error.message,
    /b\.example did not serve the code at https:\/\/b\.example\/\.well-known\/baton-find-permits: it answers 404\. Nothing else was sent\.\nCure: /,
  );
  assert.match(half.told[0], /Serve this text\n\n {4}the code\n\nat https:\/\/b\.example/);
});

test("it waits for the code, and begins when it is there", async () => {
  const { asked, error } = await consentOf(async (_, nowMs) => (nowMs > 6_000 ? yes : { status: 404, body: "" }), { origins: ["https://a.example"] });
  assert.equal(error, null);
  assert.equal(asked.length, 4, "asked every three seconds");
});

test("a host that does not answer is named", async () => {
  const { error } = await consentOf(() => Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" })));
  assert.match(error.message, /^a\.example did not serve the code .*it does not answer: ECONNREFUSED/);
});

test("steps that may change something need --allow-writes; they are named with their lines", () => {
  const { steps } = readSteps("c.toml", '[[steps]]\nget = "/"\n[[steps]]\nname = "pay"\npost = "/pay"\n');
  assert.throws(
    () => refuseWrites(steps, "c.toml", false),
    (error) => error instanceof UserError && /c\.toml:3: "pay" sends POST \/pay\nCure: .*--allow-writes\. Nothing was sent\./.test(error.message),
  );
  refuseWrites(steps, "c.toml", true);
  refuseWrites(steps.slice(0, 1), "c.toml", false);
});

// ---- the guard

test("one 429 or one 403 is enough", () => {
  const guard = new Guard({ requests_per_s_max: 10 });
  assert.equal(guard.note({ ...bad, status: 404 }, STEP), null);
  assert.match(guard.note({ ...bad, status: 429 }, STEP), /"order" was answered 429 \(too many requests\)/);
  assert.match(guard.note({ ...bad, status: 403 }, STEP), /403 \(forbidden\)/);
});

test("2 % errors are enough, three at least; fewer are not", () => {
  const noted = (answers) => {
    const guard = new Guard({ requests_per_s_max: 10 });
    return answers.map((answer) => guard.note(answer, STEP)).findIndex((why) => why !== null);
  };
  const every = (nth, count) => Array.from({ length: count }, (_, at) => ((at + 1) % nth === 0 ? bad : good));
  assert.equal(noted(every(60, 5_000)), -1, "1.7 % is let pass");
  assert.equal(noted(every(50, 5_000)), 149, "2 %, at the third");
  assert.equal(noted([bad, bad, good]), -1, "two are no share");
  assert.equal(noted([bad, good, bad, bad]), 3);
  assert.ok(noted([...every(1_000, 5_000), ...Array.from({ length: 20 }, () => bad)]) <= 5_012, "what was good long ago does not count");
});

test("in a second no more requests than the cap; the next second has its own", () => {
  const guard = new Guard({ requests_per_s_max: 3 });
  assert.deepEqual(
    [0, 10, 999].map((ms) => guard.mayAsk(ms)),
    [null, null, null],
  );
  assert.match(guard.mayAsk(999), /more than 3 requests in a second \(--requests-per-s-max\)/);
  assert.equal(guard.mayAsk(1_000), null);
  assert.equal(guard.requests, 4);
});

// ---- whole runs

/** When the run began to end, and what it asked afterwards. */
async function stopped(fail, more = {}) {
  const times = [];
  const watched = ({ asked, nowMs, waiting }) => {
    times.push(nowMs);
    return fail({ asked, nowMs, waiting });
  };
  const run = await simulate({ ...SHOP, fail: watched }, 1, more);
  const leftAt = run.events.find(({ kind }) => kind === "leaving");
  return { ...run, leftAt, after: times.filter((ms) => ms > leftAt.atMs), times };
}

for (const status of [429, 403]) {
  test(`a shop that answers ${status} once is left alone: the crowd goes down evenly, and nobody new comes`, async () => {
    const { verdict, seen, leftAt, after, clock } = await stopped(({ asked }) => (asked === 3_000 ? status : null));
    assert.match(seen.stopped, new RegExp(`answered ${status}`));
    assert.notEqual(verdict.kind, "number");
    assert.ok(leftAt.people > 4, `${leftAt.people} people were there`);
    const spans = [0, 1].map((half) => after.filter((ms) => ms - leftAt.atMs > half * 500 && ms - leftAt.atMs <= (half + 1) * 500).length);
    assert.ok(spans[0] > spans[1], `it goes down: ${spans}`);
    assert.ok(
      after.every((ms) => ms <= leftAt.atMs + 1_000),
      "after the second that was given nobody asks for anything",
    );
    assert.ok(clock.now() <= leftAt.atMs + 1_500, "and everybody is gone");
  });
}

test("a shop of which 3 % of the answers are errors is left alone; the number is not said", async () => {
  const { verdict, seen } = await stopped(({ asked }) => (asked % 33 === 0 ? 500 : null));
  assert.match(seen.stopped, /of the last \d+ answers were errors; the last at "/);
  assert.notEqual(verdict.kind, "number");
});

test("errors past a size of the crowd end the run there, with what was carried before", async () => {
  const { verdict, seen } = await stopped(({ waiting, nowMs }) => (waiting > 60 && nowMs > 40_000 ? 500 : null));
  assert.ok(seen.stopped);
  assert.equal(verdict.kind, "at_least");
  assert.ok(verdict.people <= 90, `${verdict.people}`);
});

test("never more people than the cap, never more requests a second than the cap", async () => {
  const { seen, times } = await stopped(() => null, { caps: { people_max: 40, requests_per_s_max: 100 } });
  assert.equal(seen.stopped, null);
  assert.ok(seen.levels.length >= 8);
  assert.ok([...seen.looks, ...seen.levels].every(({ people }) => people <= 40));
  const bySecond = Map.groupBy(times, (ms) => Math.floor(ms / 1_000));
  assert.ok(Math.max(...[...bySecond.values()].map(({ length }) => length)) <= 100);
  assert.ok(Math.max(...seen.levels.map(({ people }) => people)) < 40, "the crowd was chosen so that the cap holds");
});

test("a run ends with its time, and says so", async () => {
  const { seen, clock, verdict } = await stopped(() => null, { caps: { run_ms_max: 30_000 } });
  assert.match(seen.stopped, /--minutes-max/);
  assert.ok(clock.now() < 32_000);
  assert.notEqual(verdict.kind, "number");
});

test("Ctrl-C ends the run wherever it is, with an empty shop", async () => {
  for (const [kind, nth] of [
    ["look", 2],
    ["level", 1],
    ["level", 4],
    ["measured", 3],
  ]) {
    let count = 0;
    const onEvent = ({ event, clock, stop }) => {
      if (event.kind === kind && (count += 1) === nth) clock.at(clock.now() + 700, () => stop.because("you stopped it (SIGINT)"));
    };
    const { seen, shop, clock, leftAt } = await stopped(() => null, { onEvent });
    assert.equal(seen.stopped, "you stopped it (SIGINT)");
    assert.ok(clock.now() <= leftAt.atMs + 2_500, `${kind} ${nth}: gone after ${clock.now() - leftAt.atMs} ms`);
    assert.ok(shop.done > 0);
  }
});

test("a level that this machine spoilt is measured again, up to four times, and does not count", async () => {
  let closed = 0;
  const once = { open: () => {}, close: () => ({ cpu_percent: (closed += 1) % 7 === 0 ? 90 : 5 }) };
  const { events, verdict } = await simulate(SHOP, 2, { machine: once });
  assert.ok(events.some(({ kind, why }) => kind === "measured" && /busy to 90 %/.test(why ?? "")));
  assert.equal(verdict.kind, "number", `${verdict.why}`);
  const always = await simulate(SHOP, 2, { machine: { open: () => {}, close: () => ({ cpu_percent: 90 }) } });
  assert.equal(always.verdict.kind, "none");
  assert.equal(Math.max(...always.events.filter(({ kind }) => kind === "level").map(({ tries }) => tries)), 4);
});

test("a look that this machine spoilt is taken again", async () => {
  let closed = 0;
  const second = { open: () => {}, close: () => ({ cpu_percent: (closed += 1) === 2 ? 90 : 5 }) };
  const { events, seen } = await simulate(SHOP, 2, { machine: second });
  assert.deepEqual(
    events
      .filter(({ kind }) => kind === "look")
      .slice(0, 4)
      .map(({ people }) => people),
    [4, 8, 8, 16],
  );
  assert.deepEqual(
    seen.looks.slice(0, 3).map(({ people }) => people),
    [4, 8, 16],
  );
});
