/* What a screen reader is told, in each engine: what the tree has, how often the place is spoken while the line moves, and that whatever else comes onto the
 * page is spoken once. All engines at once: they mostly wait. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";
import { Stub } from "../page/stub.mjs";
import { pass } from "../runtime/harness.mjs";

const BOUND = { timeout: 180_000 };
const WAITING = { state: "waiting", number: 1234, ahead: 156, waiting: 90, eta_min_s: 20, eta_max_s: 50 };
/** Longer than the page is silent between two places. */
const MOVES_MS = 35_000;
const STEP_MS = 700;
const APART_MS_MIN = 15_000;

/** Notes whatever comes into the two live regions, with the time; and the page stays when it is called. */
function listen() {
  window.heard = [];
  for (const id of ["spoken", "alert"]) {
    const region = document.getElementById(id);
    new MutationObserver(() => region.textContent && window.heard.push([id, region.textContent, performance.now()])).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  }
  Object.defineProperty(navigator, "onLine", { get: () => false });
}

/** What is in the tree: selector, role, name where it has one of its own. */
const TREE = [
  ["#spoken", "status"],
  ["#alert", "alert"],
  ["main", "main"],
  [".far h1", "heading", "You are in line"],
  [".ticket", "region", "Your place in line"],
];

async function story(name, t) {
  const [stub, engine] = await Promise.all([new Stub().open(), startEngine(name)]);
  t.after(() => engine.close().then(() => stub.close()));
  // WebKit then runs the page before it knows what is hidden.
  Object.assign(stub, { status: WAITING, lateAssets: /css$/ });
  const person = await engine.person();
  await person.goto(`${await engine.origin(stub.origin)}/buy`);
  await person.until(() => document.getElementById("spoken")?.textContent);
  await stub.called("socket resume");
  for (const [selector, role, itsName] of TREE.filter(([, role]) => role))
    assert.ok(await person.isExposedAs(selector, role, itsName), `${selector} is ${role} ${itsName ?? ""}`);
  await person.evaluate(listen);
  const told = async (region) => (await person.evaluate(() => window.heard)).filter(([id]) => id === region);
  const texts = async (region) => (await told(region)).map(([, text]) => text);

  let { ahead } = WAITING;
  for (const end = Date.now() + MOVES_MS; Date.now() < end; await pass(STEP_MS)) stub.set({ ...WAITING, ahead: --ahead });
  const places = await told("spoken");
  assert.ok(places.length >= 1, "the place is spoken as the line moves");
  places
    .slice(1)
    .forEach(([, text, atMs], before) =>
      assert.ok(atMs - places[before][2] >= APART_MS_MIN, `${text}, ${atMs - places[before][2]} ms after the last`),
    );
  assert.deepEqual(await texts("alert"), [], "and nothing besides");

  // Each comes, is repeated with other news, and stays.
  const news = [
    [{ message: "Doors at six" }, "Doors at six."],
    [{ mode: "paused" }, "The line is paused for a moment. Nobody is being called, and your place is kept."],
    [
      { mode: "open", missed: true },
      "We called you while you were away. Your place is kept, and you are among the very next. Please stay on this page: a second missed call ends your number.",
    ],
    [{ message: "Doors at seven" }, "Doors at seven."],
    [{ ahead: 1 }, "You are almost there. When it is your turn, this page takes you in by itself. Please stay here."],
    [{ ahead: 0 }, "You are next."],
  ];
  let status = { ...WAITING, ahead };
  const wanted = [];
  for (const [change, text] of news) {
    status = { ...status, ...change };
    for (const waiting of [90, 91, 92]) stub.set({ ...status, waiting });
    wanted.push(text);
    await person.until((last) => window.heard.some(([, said]) => said === last), text);
  }
  stub.set({ state: "called", number: 1234 });
  wanted.push("It is your turn. Taking you in now.");
  await person.state("called");
  assert.deepEqual(await texts("alert"), wanted);
  assert.deepEqual(await person.complaints(), []);
}

describe("spoken", { concurrency: true }, () => {
  for (const name of ENGINES) test(`${name}: what is spoken, how often, and as what`, { ...BOUND, skip: missing(name) }, (t) => story(name, t));
});
