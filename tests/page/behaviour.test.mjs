/* What the page does as things happen: calls, lost connections, other tabs, cookies, sleep. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, afterEach, before, beforeEach, describe, test as anyTest } from "node:test";
import { lineAround } from "../support/frames.mjs";
import { launch, newPage, pinging } from "./browser.mjs";
import { Stub } from "./stub.mjs";

/** What is awaited here may never come when the page is wrong. */
const test = (name, body) => anyTest(name, { timeout: 300_000 }, body);
const waiting = (ahead, more) => ({ state: "waiting", number: 1234, ahead, waiting: 90, ...more });

describe("behaviour", () => {
  let browser, stub, context, page, complaints;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());
  beforeEach(async () => {
    stub = await new Stub().open();
  });
  afterEach(async () => {
    await context.close();
    await stub.close();
    assert.deepEqual(complaints, []);
  });

  async function visit({ clock = false, path = "/buy", ...options } = {}) {
    ({ context, page, complaints } = await newPage(browser, { expectNetworkErrors: true, ...options }));
    if (clock) await page.clock.install();
    await page.goto(stub.origin + path);
  }
  const ahead = (value) => page.locator(`body[data-ahead="${value}"]`).waitFor({ timeout: 10_000 });
  const state = (value) => page.locator(`body[data-state=${value}]`).waitFor({ timeout: 10_000 });

  test("a first visit is a page and a socket, nothing else", async () => {
    await visit();
    await ahead(56);
    assert.deepEqual(stub.calls, ["page", "socket"]);
  });

  test("among many who come at once: the page says so calmly, and opens its socket in the second that it was told, however often it is looked at", async () => {
    stub.status = { state: "none", spread_s: 30 };
    await visit({ clock: true });
    await page.getByText("You will have your number in a few seconds.").waitFor();
    await page.locator("html[data-live]").waitFor();
    await page.clock.runFor(10_000);
    await page.evaluate(() => {
      document.dispatchEvent(new Event("visibilitychange"));
      dispatchEvent(new Event("online"));
    });
    await page.clock.runFor(5_000);
    assert.deepEqual(stub.calls, ["page"]);
    assert.equal(await page.locator("[data-note=lost]").isVisible(), false);
    await page.clock.runFor(15_000);
    await ahead(56);
    assert.deepEqual(stub.calls, ["page", "socket"]);
  });

  test("ahead never rises on the screen, though frames come in odd order", async () => {
    await visit();
    await ahead(56);
    await page.evaluate(() => {
      window.seen = [];
      const element = document.querySelector("[data-baton=ahead]");
      new MutationObserver(() => seen.push(Number(element.textContent))).observe(element, { childList: true, subtree: true, characterData: true });
    });
    const at = (version, ahead) => stub.frame({ version, line: lineAround(1234, ahead + 9) });
    at(5, 30);
    at(3, 2);
    at(6, 38);
    stub.frame(Uint8Array.of(1, 0, 200));
    stub.frame(Uint8Array.of(9, 9, 9));
    stub.set(waiting(50));
    at(8, 20);
    await ahead(29);
    at(9, 11);
    await ahead(20);
    assert.deepEqual(await page.evaluate(() => seen), [39, 29, 20]);
    await page.reload();
    await page.locator("html[data-live]").waitFor();
    assert.equal(await page.locator("[data-baton=ahead]").textContent(), "20");
    assert.ok((await page.locator("progress").evaluate((bar) => bar.value)) > 0.5);
  });

  test("a frame brings the measured wait and the pause", async () => {
    await visit();
    await ahead(56);
    stub.frame({ version: 2, low: 2_000_000, high: 3_000_000, line: lineAround(1234, 39) });
    await page.getByText("about 1–2 min").waitFor();
    stub.frame({ version: 3, mode: 1, low: 2_000_000, high: 3_000_000, line: lineAround(1234, 39) });
    await page.locator("[data-note=paused]").waitFor();
    assert.equal(await page.locator(".eta").isVisible(), false);
  });

  test("the title counts along when the turn is near", async () => {
    await visit();
    await ahead(56);
    assert.equal(await page.title(), "Waiting room");
    stub.set(waiting(3));
    await ahead(3);
    assert.equal(await page.title(), "3 ahead – Waiting room");
  });

  test("called: goes in, once, by the same address", async () => {
    await visit({ path: "/buy?seat=4#row" });
    await ahead(56);
    stub.inside = true;
    stub.set({ state: "called", number: 1234 });
    stub.set({ state: "called", number: 1234 });
    await page.getByRole("heading", { name: "Inside", exact: true }).waitFor();
    assert.equal(page.url(), `${stub.origin}/buy?seat=4#row`);
    assert.equal(stub.count("inside"), 1);
    assert.equal(stub.count("page"), 1);
  });

  test("called: a shop that answers with no page is not asked again and again", async () => {
    await visit({ clock: true });
    await ahead(56);
    stub.inside = true;
    stub.insideStatus = 204;
    stub.set({ state: "called", number: 1234 });
    await stub.called("inside");
    stub.set({ state: "admitted", number: 1234 });
    await state("admitted");
    await page.clock.runFor(20_000);
    assert.equal(stub.count("inside"), 1);
    stub.insideStatus = 200;
    await page.getByRole("link", { name: "Go in now" }).click();
    await page.getByRole("heading", { name: "Inside", exact: true }).waitFor();
  });

  test("admitted in another tab: goes in too", async () => {
    await visit();
    await ahead(56);
    stub.inside = true;
    stub.set({ state: "admitted", number: 1234 });
    await page.getByRole("heading", { name: "Inside", exact: true }).waitFor();
  });

  test("a page that answered a form goes in without sending that form again", async () => {
    await visit();
    await ahead(56);
    await page.evaluate(() => {
      const form = Object.assign(document.createElement("form"), { method: "post", action: "/buy?seat=4" });
      document.body.append(form);
      form.submit();
    });
    await stub.called("page by POST");
    await page.locator("[data-note=unsent]").waitFor();
    stub.inside = true;
    stub.set({ state: "called", number: 1234 });
    await page.getByRole("heading", { name: "Inside", exact: true }).waitFor();
    assert.equal(page.url(), `${stub.origin}/buy?seat=4`);
    assert.equal(stub.count("inside by POST"), 0);
  });

  test("a call that leads back to this page does not spin", async () => {
    await visit({ clock: true });
    await ahead(56);
    await page.clock.pauseAt(Date.now() + 1_000);
    stub.set({ state: "called", number: 1234 });
    await page.clock.runFor(10);
    await stub.called("page", 2);
    await state("called");
    await page.locator("html[data-live]").waitFor();
    await page.clock.runFor(1_500);
    assert.equal(stub.count("page"), 2);
    assert.ok(await page.getByRole("link", { name: "Go in now" }).isVisible());
    await page.clock.runFor(1_000);
    await stub.called("page", 3);
    stub.set(waiting(2, { missed: true }));
    await page.locator("html[data-live]").waitFor();
    await page.locator("[data-note=missed]").waitFor();
  });

  test("called while offline: stays, and goes in when the network is back", async () => {
    await visit();
    await ahead(56);
    await page.evaluate(() => {
      window.net = false;
      Object.defineProperty(navigator, "onLine", { get: () => window.net });
    });
    stub.set({ state: "called", number: 1234 });
    await state("called");
    assert.equal(stub.count("page"), 1);
    stub.inside = true;
    await page.evaluate(() => {
      window.net = true;
      dispatchEvent(new Event("online"));
    });
    await page.getByRole("heading", { name: "Inside", exact: true }).waitFor();
  });

  test("a call missed in sleep: a word over the socket, once, makes the visitor present again", async () => {
    await visit();
    await ahead(56);
    stub.set(waiting(0, { missed: true }));
    await stub.called('{"here":true}');
    stub.set(waiting(0, { missed: true }));
    await page.locator("body[data-missed=true]").waitFor({ timeout: 10_000 });
    assert.equal(stub.count('{"here":true}'), 1);
  });

  test("over: the socket closes, nothing reconnects, the button takes a new number", async () => {
    await visit();
    await ahead(56);
    const closed = once(stub, "closed");
    stub.set({ state: "over", number: 1234, reason: "missed" });
    await state("over");
    await closed;
    await page.evaluate(() => dispatchEvent(new Event("online")));
    assert.equal(stub.count("POST join"), 0);
    assert.equal(await page.title(), "Number ended – Waiting room");
    stub.joined = waiting(80, { number: 2000 });
    await page.getByRole("button", { name: "Take a new number" }).click();
    await ahead(80);
    assert.equal(await page.locator("[data-baton=number]").textContent(), "2000");
    assert.equal(await page.locator("[data-note=renumbered]").isVisible(), false);
    await stub.called("socket resume");
    assert.equal(stub.count("POST join"), 1);
  });

  test("a page that is served as over asks nothing until the button", async () => {
    stub.status = { state: "over", number: 1234, reason: "away" };
    await visit();
    await page.locator("html[data-live]").waitFor();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(stub.calls, ["page"]);
  });

  test("leaving asks first, then leaves", async () => {
    await visit();
    await ahead(56);
    await page.getByText("Leave the line").click();
    await page.getByRole("button", { name: "Give up my place" }).click();
    await page.getByRole("heading", { name: "You have left the line" }).waitFor();
    assert.equal(stub.count("POST leave"), 1);
  });

  test("a dropped socket comes back and says so only when it takes long", async () => {
    await visit({ clock: true });
    await ahead(56);
    stub.socketsRefused = true;
    for (const socket of stub.sockets) socket.terminate();
    await once(stub, "closed");
    assert.equal(await page.locator("[data-note=lost]").isVisible(), false);
    stub.down = true;
    await page.clock.runFor(6_000);
    await page.locator("[data-note=lost]").waitFor();
    assert.ok(await page.locator("[data-baton=number]").isVisible());
    stub.down = stub.socketsRefused = false;
    const opened = once(stub, "opened");
    await page.clock.runFor(40_000);
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await opened;
    await page.locator('body[data-link=""]').waitFor();
    assert.equal(stub.count("socket"), 1, "every later socket only resumes");
  });

  test("who is told by a resumed socket that there is no place joins anew", async () => {
    await visit({ clock: true });
    await ahead(56);
    for (const socket of stub.sockets) socket.terminate();
    await once(stub, "closed");
    stub.set({ state: "none" });
    await page.clock.runFor(20_000);
    await stub.called("socket resume");
    await stub.called("socket", 2);
    await ahead(56);
  });

  test("a socket that says no pong is given up", async () => {
    await visit({ clock: true });
    await ahead(56);
    stub.pongs = false;
    const reopened = once(stub, "opened");
    await page.clock.runFor(25_500);
    await stub.called("ping");
    await page.clock.runFor(10_500);
    await page.clock.runFor(5_000);
    await reopened;
  });

  test("a socket with pongs is kept, and is pinged every 25 s though frames flow", async () => {
    await visit({ clock: true });
    await ahead(56);
    for (let round = 1; round <= 3; round++) {
      await page.clock.runFor(13_000);
      stub.frame({ version: round, line: lineAround(1234, 50 - round) });
      await ahead(50 - round);
      await page.clock.runFor(12_500);
      await stub.called("ping", round);
    }
    assert.equal(stub.calls.filter((call) => call.startsWith("socket")).length, 1);
  });

  test("where sockets do not get through: joins and polls, and takes a socket later", async () => {
    stub.socketsRefused = true;
    await visit({ clock: true });
    await stub.called("socket");
    await page.clock.runFor(4_500);
    await stub.called("socket", 2);
    await page.clock.runFor(4_500);
    await ahead(56);
    assert.equal(stub.count("POST join"), 1);
    await page.clock.runFor(1_500);
    await stub.called("GET status");
    stub.set(waiting(20));
    await ahead(20);
    stub.socketsRefused = false;
    const opened = once(stub, "opened");
    const polling = setInterval(() => stub.emit("changed"), 20);
    while (!stub.sockets.size) await page.clock.runFor(2_000);
    clearInterval(polling);
    await opened;
    stub.set(waiting(4));
    await ahead(4);
  });

  test("a poll that is called goes in", async () => {
    stub.socketsRefused = true;
    await visit({ clock: true });
    await stub.called("socket");
    while (!stub.count("GET status")) await page.clock.runFor(1_000);
    stub.inside = true;
    stub.set({ state: "called", number: 1234 });
    while (!stub.count("inside")) await page.clock.runFor(100);
    await page.getByRole("heading", { name: "Inside", exact: true }).waitFor();
  });

  test("cookies off: says what to do after the second refusal, and stops", async () => {
    stub.cookiesKept = false;
    await visit({ clock: true });
    while (stub.count("POST join") < 2) await page.clock.runFor(1_000);
    await page.getByRole("heading", { name: "Please allow cookies" }).waitFor();
    const calls = stub.calls.length;
    await page.clock.runFor(120_000);
    assert.equal(stub.calls.length, calls);
    assert.equal(stub.count("POST join"), 2);
    assert.ok(await page.getByRole("link", { name: "Try again" }).isVisible());
  });

  test("back from the cache of the browser, from sleep, online again: reconnects at once", async () => {
    await visit({ clock: true });
    await ahead(56);
    const closed = once(stub, "closed");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    await closed;
    let opened = once(stub, "opened");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    await opened;
    stub.set(waiting(40));
    await ahead(40);
    // A half-open socket after a change of networks.
    stub.pongs = false;
    opened = once(stub, "opened");
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await stub.called("ping");
    await page.clock.runFor(8_000);
    await opened;
  });

  test("after a long sleep in which the number ended, the page says so and joins nothing", async () => {
    await visit({ clock: true });
    await ahead(56);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    stub.status = { state: "over", number: 1234, reason: "away" };
    await page.clock.fastForward("02:00:00");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    await page.getByRole("heading", { name: "You were away for too long" }).waitFor();
    assert.equal(stub.count("POST join"), 0);
    assert.deepEqual(stub.calls, ["page", "socket", "GET status"]);
  });

  test("too many tabs: the oldest polls instead of fighting for a socket", async () => {
    await visit({ clock: true });
    await ahead(56);
    for (const socket of stub.sockets) socket.close(1001);
    await once(stub, "closed");
    await page.clock.runFor(2_000);
    await stub.called("GET status");
    assert.equal(stub.calls.filter((call) => call.startsWith("socket")).length, 1);
  });

  test("an unreachable line is tried again, by itself", async () => {
    stub.down = true;
    stub.template = { state: "unreachable", status: "" };
    await visit({ clock: true });
    await page.getByRole("heading", { name: "cannot be reached" }).waitFor();
    await stub.called("socket");
    stub.down = false;
    while (!stub.sockets.size) await page.clock.runFor(1_000);
    await ahead(56);
    await state("waiting");
  });

  test("while the line is unreachable, the number that the visitor has stays in sight", async () => {
    stub.down = true;
    stub.status = { state: "none", number: 1234, edition: 1 };
    stub.template = { state: "unreachable" };
    await visit({ clock: true });
    await page.getByRole("heading", { name: "cannot be reached" }).waitFor();
    const number = page.locator(".number b");
    assert.equal(await number.innerText(), "1234", "as it was served");
    await page.clock.runFor(10_000);
    assert.equal(await number.innerText(), "1234", "as the script drew it");
    assert.ok(await number.isVisible());
    stub.status = { state: "none" };
    await page.reload();
    await page.getByRole("heading", { name: "cannot be reached" }).waitFor();
    assert.ok(!(await number.isVisible()), "nobody without a number is shown one");
  });

  for (const [name, mode] of [
    ["bypass", 2],
    ["observe", 6],
  ])
    test(`${name}: goes in`, async () => {
      await visit({ clock: true });
      await ahead(56);
      stub.inside = true;
      stub.frame({ version: 4, mode, line: lineAround(1234, 50) });
      await ahead(50);
      while (!stub.count("inside")) await page.clock.runFor(500);
      await page.getByRole("heading", { name: "Inside", exact: true }).waitFor();
    });

  /** Notes in `heard` what the live regions say. */
  function listen() {
    window.heard = [];
    for (const id of ["spoken", "alert"]) {
      const region = document.getElementById(id);
      new MutationObserver(() => region.textContent && window.heard.push(`${id}: ${region.textContent}`)).observe(region, { childList: true });
    }
  }

  test("screen readers hear the place at most every 30 s and the call at once", async () => {
    await visit({ clock: true });
    await ahead(56);
    await page.evaluate(listen);
    assert.equal(await page.locator("#spoken").textContent(), "Your number is 1234. 56 people are ahead of you.");
    assert.equal(await page.locator(".place").getAttribute("aria-hidden"), "true");
    for (let left = 55; left > 10; left--) {
      stub.set(waiting(left));
      await ahead(left);
      await page.clock.runFor(1_000);
    }
    // The second ping: its pong comes before this status, so the clock may leap on.
    await page.clock.runFor(6_000);
    await stub.called("ping", 2);
    stub.set(waiting(10));
    await ahead(10);
    await page.clock.runFor(20_000);
    assert.equal((await page.evaluate(() => heard)).length, 2, await page.evaluate(() => heard.join()));
    assert.equal(await page.locator("#spoken").textContent(), "Your number is 1234. 10 people are ahead of you.");
    // Held back, so that the words can be heard before the page goes.
    await page.evaluate(() => Object.defineProperty(navigator, "onLine", { get: () => false }));
    stub.set({ state: "called", number: 1234 });
    await state("called");
    assert.equal(await page.locator("#alert").textContent(), "It is your turn. Taking you in now.");
    assert.equal(await page.title(), "It is your turn – Waiting room");
  });

  test("a message, a note and what is next are spoken once, and a number that stays is not said again", async () => {
    await visit({ clock: true });
    await ahead(56);
    await page.evaluate(listen);
    const untilPong = await pinging(page);
    const heardAfter = async (change) => {
      for (const waiting of [90, 91]) stub.set({ ...stub.status, ...change, waiting });
      await untilPong();
      return page.evaluate(() => window.heard.splice(0).sort());
    };
    const place = "spoken: Your number is 1234. 56 people are ahead of you.";
    assert.deepEqual(await heardAfter({ message: "Doors at six" }), ["alert: Doors at six."]);
    assert.deepEqual(await heardAfter({ mode: "paused" }), [
      "alert: The line is paused for a moment. Nobody is being called, and your place is kept.",
    ]);
    assert.deepEqual(await heardAfter({ mode: "open", seats_to: 0 }), [`${place} There may be no seats left by your turn.`]);
    assert.deepEqual(await heardAfter({}), []);
    assert.deepEqual(await heardAfter({}), []);
    assert.deepEqual(await heardAfter({ message: "", seats_to: undefined }), []);
    assert.match((await heardAfter({ missed: true })).join(), /^alert: We called you while you were away\..*ends your number\.$/);
    assert.deepEqual(
      await heardAfter({ mode: "paused" }),
      ["alert: The line is paused for a moment. Nobody is being called, and your place is kept."],
      "a second pause is news",
    );
    assert.deepEqual(await heardAfter({ mode: "open", ahead: 0, eta_min_s: 1, eta_max_s: 9 }), [
      "alert: You are almost there. When it is your turn, this page takes you in by itself. Please stay here. You are next.",
      "spoken: Your number is 1234. 0 people are ahead of you. Estimated wait: under 10 sec.",
    ]);
    assert.deepEqual(await heardAfter({ behind: true }), []);
    assert.deepEqual(await heardAfter({ behind: false }), []);
  });
});
