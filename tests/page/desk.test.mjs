/* The desk in Chromium, on the built worker with people in its line: what an operator sees, turns and is told. */

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { createHistory } from "../../web/desk/rates.js";
import { startOrigin } from "../runtime/support/world.mjs";
import { DESKTOP, PHONE, launch } from "./browser.mjs";
import { TOKEN, openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 300_000 };
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const desk = (t, options) => openDesk(browser, t, options);

test("sign in, see people come, sign out; the token is nowhere in the browser", BOUND, async (t) => {
  const { page, context, signIn, told, figure, join } = await desk(t);
  await signIn("a guess");
  await told("That is not an operator's token");
  assert.equal(await page.locator("article").count(), 0);
  await signIn();
  await page.locator("article").waitFor();
  await figure("waiting", "2");
  await figure("inside", "1");
  await join();
  await figure("waiting", "3");
  await page.locator(".chart svg").first().waitFor();
  const kept = await page.evaluate(() =>
    JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.querySelector("#token").value]),
  );
  assert.equal(kept, '["",{},{},""]');
  assert.ok(!JSON.stringify(await context.cookies()).includes(TOKEN));
  await page.reload();
  await figure("waiting", "3");
  await page.locator("#menu summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await told("Signed out");
  await page.reload();
  await page.getByLabel("Operator's token").waitFor();
  assert.equal(await page.locator("article").count(), 0);
});

test("what the shop has left is shown as soon as it says so, and no number before something was measured", BOUND, async (t) => {
  const secret = "shared with the shop";
  const origin = await startOrigin(t, (request, response) => {
    const atMs = Date.now();
    const mac = createHmac("sha256", secret).update(`baton-stock-v1\n${atMs}\nonsale\n1234`).digest("hex");
    response.setHeader("baton-stock", `v1;left=1234;t=${atMs};mac=${mac}`);
    response.end("ok");
  });
  const { signIn, figure } = await desk(t, { room: { stock_line: true }, vars: { ORIGIN: origin.url, ORIGIN_SECRET: secret } });
  await signIn();
  await figure("stock", "1,234");
  await figure("seats_to", "–");
});

test("what the shop's check says of proofs is one line, which turns good when the check is mended", BOUND, async (t) => {
  let proofs = {};
  const { page, signIn } = await desk(t);
  await page.route("**/__baton/admin/rooms", async (route) => {
    const answer = await route.fetch();
    const told = await answer.json();
    for (const { report } of told.rooms ?? []) Object.assign(report.proofs, proofs);
    await route.fulfill({ response: answer, json: told });
  });
  await signIn();
  const line = page.locator('[data-show="proofs"]');
  const says = async (text, looks) => {
    await line.filter({ hasText: text }).waitFor();
    assert.equal(await line.getAttribute("class"), looks);
  };
  await page.locator("article").waitFor();
  assert.equal(await line.isVisible(), false, "no check, no line");
  proofs = { ok: 1_400, mac: 11, host: 1 };
  await says(
    "Proofs: the shop checked 1,412 requests in the last minutes: 12 refused (mac 11, host 1). While it only reports, they were let through.",
    "note",
  );
  proofs = { ok: 412, mac: 0, host: 0 };
  await says("Proofs: the shop checked 412 requests in the last minutes: all good.", "good");
  await page.unrouteAll({ behavior: "wait" });
});

test("who was turned away without an entry is one line; a reason that the shop must mend is a note", BOUND, async (t) => {
  let entry = {};
  const { page, signIn } = await desk(t);
  await page.route("**/__baton/admin/rooms", async (route) => {
    const answer = await route.fetch();
    const told = await answer.json();
    for (const { report } of told.rooms ?? []) Object.assign(report.totals.entry, entry);
    await route.fulfill({ response: answer, json: told });
  });
  await signIn();
  const line = page.locator('[data-show="entry"]');
  const says = async (text, looks) => {
    await line.filter({ hasText: text }).waitFor();
    assert.equal(await line.getAttribute("class"), looks);
  };
  await page.locator("article").waitFor();
  assert.equal(await line.isVisible(), false, "nobody, no line");
  entry = { missing: 1_400, late: 3, used: 2, unknown: 1 };
  await says("Turned away without a valid entry token, in this edition: 1,406 visits (missing 1,400, late 3, used 2, unknown 1).", "hint");
  entry = { missing: 1_400, signature: 20 };
  await says("1,420 visits (missing 1,400, signature 20).", "note");
  await page.unrouteAll({ behavior: "wait" });
});

test("how long the shop takes is told with two digits and no more, and what failed", BOUND, async (t) => {
  let recent = { count: 0, failed: 0, p50_ms: null, p95_ms: null };
  const { page, signIn } = await desk(t);
  await page.route("**/__baton/admin/rooms", async (route) => {
    const answer = await route.fetch();
    const told = await answer.json();
    for (const { report } of told.rooms ?? []) Object.assign(report.answers, { recent });
    await route.fulfill({ response: answer, json: told });
  });
  await signIn();
  const says = (text) => page.locator('[data-part="shop-answer"]', { hasText: text }).waitFor();
  await says("The shop was not asked lately.");
  recent = { count: 412, failed: 0, p50_ms: 243, p95_ms: 1_234 };
  await says("The shop answers in 240 ms; nineteen of twenty answers come within 1.2 s.");
  await page.locator(".say h2", { hasText: /; the shop answers in 240 ms\.$/ }).waitFor();
  recent = { count: 1_400, failed: 12, p50_ms: 999, p95_ms: 65_536 };
  await says("The shop answers in 1 s; nineteen of twenty answers come within a minute or more; 12 of the last 1,412 failed.");
  recent = { count: 0, failed: 30, p50_ms: null, p95_ms: null };
  await says("None of the last 30 requests to the shop was answered well.");
  await page.locator(".say.act", { hasText: "100 % of its last answers were errors" }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
});

test("who may only look sees everything and is offered nothing to turn", BOUND, async (t) => {
  const token = "a token of somebody who may only look at the rooms";
  const sha256 = createHash("sha256").update(token).digest("hex");
  const { page, unfolded, signIn, figure, knob } = await desk(t, { vars: { OPERATORS: [{ name: "mika", role: "view", sha256 }] } });
  await signIn(token);
  await figure("waiting", "2");
  await page.getByText("mika: read only").waitFor({ state: "attached" });
  await unfolded("settings");
  assert.equal(await knob("permits").locator("input").first().inputValue(), "1");
  assert.ok(await knob("permits").locator("input").first().isDisabled());
  for (const name of ["Change", "Release", "Begin anew …", "Back to the file's", "Pause", "Fewer", "End …"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
});

test("a message, a ticket's end, sold out: whoever waits is told", BOUND, async (t) => {
  const { page, unfolded, signIn, set, yes, told, line } = await desk(t);
  await signIn();
  await set("message", "Back at noon");
  await yes();
  await unfolded("ticket");
  for (const visitor of line) await visitor.waitFor(({ last }) => last.message === "Back at noon");
  await page.getByLabel("End the ticket with number").fill(String(line[1].number));
  await page.getByRole("button", { name: "Release", exact: true }).click();
  await page.getByText("cannot be undone").waitFor();
  await yes();
  await told(`Ticket ${line[1].number} of onsale has ended`);
  await line[1].waitForState("over");
  await set("mode", "sold_out");
  await page.getByText("Everybody who waits is told so").waitFor();
  assert.equal(line[0].state, "waiting", "nothing before the answer");
  await yes();
  await line[0].waitForState("over");
  assert.equal(line[0].last.reason, "sold_out");
  await page.locator(".say.off h2", { hasText: /^Sold out/ }).waitFor();
});

test("a room is begun anew only once its name was typed", BOUND, async (t) => {
  const { page, unfolded, signIn, told, figure, line, holder } = await desk(t);
  await signIn();
  await figure("waiting", "2");
  await unfolded("anew");
  const begin = page.getByRole("button", { name: "Begin anew …" });
  const yes = page.getByRole("button", { name: "Begin anew", exact: true });
  await page.getByText("Edition 1", { exact: true }).waitFor();
  await begin.click();
  await page.getByText("2 in line and 1 inside").waitFor();
  const word = page.getByLabel("Type onsale to confirm");
  for (const typed of ["", "onsal", "Onsale", "onsale "]) {
    await word.fill(typed);
    await word.press("Enter");
    assert.ok(await yes.isDisabled(), `"${typed}" does`);
  }
  assert.ok(await page.locator("#confirm[open]").isVisible(), "Enter is no answer before that");
  await page.keyboard.press("Escape");
  await page.locator("#confirm:not([open])").waitFor({ state: "attached" });
  await begin.click();
  assert.equal(await word.inputValue(), "", "nothing is typed already");
  assert.equal(line[0].state, "waiting", "nothing before the answer");
  await word.fill("onsale");
  await word.press("Enter");
  await told("onsale was begun anew: edition 2");
  await page.getByText("Edition 2", { exact: true }).waitFor();
  await figure("waiting", "0");
  await figure("inside", "0");
  for (const visitor of line) {
    await visitor.waitForState("over", undefined, { evenClosed: true });
    assert.equal(visitor.last.reason, "reset");
  }
  assert.equal((await holder.status()).json.reason, "reset");
  // Another question asks for no word.
  await unfolded("ticket");
  await page.getByLabel("End the ticket with number").fill("1");
  await page.getByRole("button", { name: "Release", exact: true }).click();
  await page.locator("#confirm[open]").waitFor();
  assert.equal(await word.count(), 0);
  await page.locator("#yes:enabled").waitFor();
});

test("a room that somebody changed is not begun anew by an older look", BOUND, async (t) => {
  const { page, unfolded, signIn, told, figure, elsewhere } = await desk(t);
  await signIn();
  await figure("waiting", "2");
  await unfolded("anew");
  // What the desk knows stays as it was.
  let known;
  await page.route("**/__baton/admin/rooms", async (route) => {
    known ??= await (await route.fetch()).text();
    await route.fulfill({ contentType: "application/json", body: known });
  });
  await page.waitForResponse("**/__baton/admin/rooms");
  await elsewhere({ permits: 4 });
  await page.getByRole("button", { name: "Begin anew …" }).click();
  await page.getByLabel("Type onsale to confirm").fill("onsale");
  await page.getByRole("button", { name: "Begin anew", exact: true }).click();
  await told("Somebody else changed this room");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await figure("permits", "4");
  await page.getByText("Edition 1", { exact: true }).waitFor();
  await figure("waiting", "2");
});

test("of two who turn knobs at once the second is told and sees what is", BOUND, async (t) => {
  const { page, unfolded, signIn, set, yes, told, knob, elsewhere, figure } = await desk(t);
  await signIn();
  await unfolded("settings");
  await figure("permits", "1");
  await knob("permits").locator("input").first().fill("9");
  await elsewhere({ permits: 4 });
  await figure("permits", "4");
  assert.equal(await knob("permits").locator("input").first().inputValue(), "9", "what is being typed stays");
  await knob("permits").getByRole("button", { name: "Change" }).click();
  await yes();
  await told("Somebody else changed this room");
  await figure("permits", "4");
  await page.waitForFunction(() => document.querySelector('[data-key="permits"] input').value === "4");
  await set("permits", "5");
  await yes();
  await figure("permits", "5");
});

test("how long people wait and stay, and the story of a ticket", BOUND, async (t) => {
  const { page, unfolded, signIn, figure, line, holder, told } = await desk(t);
  await signIn();
  await unfolded("all");
  await unfolded("ticket");
  await figure("waiting", "2");
  await figure("wait_p50", "–");
  const [first] = line;
  await holder.leave();
  await first.waitForState("called");
  await first.arrive();
  // Somebody was called and somebody had been inside: both have a time, and the permit was dead from one to the other.
  await page.locator('[data-figure="wait_p50"]', { hasText: / s$/ }).waitFor();
  await page.locator('[data-figure="stay_p90"]', { hasText: / s$/ }).waitFor();
  await page.locator('[data-figure="dead"]', { hasText: / %$/ }).waitFor();
  await figure("missed", "0");
  const look = async (number) => {
    await page.getByLabel("The story of the ticket").fill(String(number));
    await page.keyboard.press("Enter");
  };
  await look(first.number);
  await page.getByText(`Number ${first.number} is inside.`).waitFor();
  const says = await page.locator(".story li").allTextContents();
  assert.deepEqual(says.length, 3, says.join("\n"));
  assert.match(says[0], /got its number, through lobby 0$/);
  assert.match(says[1], /was called with the baton of fence \d+ \(fence \d+\)$/);
  assert.match(says[2], /came after the call and is inside$/);
  await look(line[1].number);
  await page.getByText(`Number ${line[1].number} waits, with 0 in front.`).waitFor();
  await look(4711);
  await page.getByText("Number 4711 was not issued.").waitFor();
  assert.equal(await page.locator(".story li").count(), 0);
  await told("Live");
});

test("what was observed is told with the arithmetic", BOUND, async (t) => {
  const { page, signIn, figure } = await desk(t);
  // What an hour of a crowd leaves behind takes an hour; the room's own arithmetic is tested in tests/times.rs.
  const observation = {
    observed_ms: 3_600_000,
    peak: 100,
    p90: 40,
    held: 64,
    visits: 400,
    visit_p99_ms: 120_000,
    pauses: 1_200,
    pause_p99_ms: 30_000,
    cut: 2,
    silent: 7,
    only: 41,
    recommended: { permits: 64, lease_idle_s: 60, lease_max_s: 240, crowd: 10_000 },
  };
  await page.route("**/__baton/admin/rooms", async (route) => {
    const answer = await route.fetch();
    const told = await answer.json();
    if (told.rooms) told.rooms[0].report.observation = observation;
    await route.fulfill({ response: answer, json: told });
  });
  await signIn();
  await figure("waiting", "2");
  await page.getByText("What was observed").click();
  await page.getByText("permits = 64: so many or more were inside for five minutes").waitFor();
  await page.getByText("lease_max_s = 240: twice the visit of 2 min").waitFor();
  await page.getByText("2 visits were cut").waitFor();
  await page.getByText("41 requests without a pass went on that could not have walked in").waitFor();
  if (process.env.DESK_SHOTS) await page.screenshot({ path: `${process.env.DESK_SHOTS}/observed.png`, fullPage: true });
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("who is in the hall, and when the room opens", BOUND, async (t) => {
  const { page, signIn } = await desk(t);
  let report = { in_hall: 40_112, opens_at_ms: Date.UTC(2030, 0, 1, 10) };
  await page.route("**/__baton/admin/rooms", async (route) => {
    const answer = await route.fetch();
    const told = await answer.json();
    if (told.rooms) Object.assign(told.rooms[0].report, report);
    await route.fulfill({ response: answer, json: told });
  });
  await signIn();
  await page.locator(".say.off h2", { hasText: /^It opens .*2030.*, in .*; 40,112 are in the hall\.$/ }).waitFor();
  report = { in_hall: 0, opens_at_ms: null };
  await page.locator(".say h2", { hasText: /^All well/ }).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("the hour before the page is put in front of what the page saw, once", () => {
  const history = createHistory(2);
  history.prefill([
    [940, 7, 0],
    [1_000, 8, 1],
    [1_060, 9, 2],
  ]);
  history.take(1_061_000, [5, 3]);
  assert.deepEqual(history.columns, [
    [940, 1_000, 1_060, 1_061],
    [7, 8, 9, 5],
    [0, 1, 2, 3],
  ]);
  const late = createHistory(1);
  late.take(1_000_000, [1]);
  late.prefill([
    [940, 7],
    [1_000, 8],
  ]);
  assert.deepEqual(late.columns, [
    [940, 1_000],
    [7, 1],
  ]);
  late.take(5_000_000, [2]);
  assert.deepEqual(late.columns, [[5_000], [2]], "an hour and no more");
});

test("who does not look asks nothing", BOUND, async (t) => {
  const { page, signIn, figure } = await desk(t);
  await signIn();
  await figure("permits", "1");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { get: () => window.away, configurable: true });
    window.away = true;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await page.waitForLoadState("networkidle");
  let asked = 0;
  page.on("request", () => asked++);
  // Three times the pace at which it asks when seen.
  await page.waitForTimeout(3_000);
  assert.equal(asked, 0);
  const back = page.waitForRequest("**/__baton/admin/rooms");
  await page.evaluate(() => {
    window.away = false;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await back;
});

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [PHONE, DESKTOP]) {
    test(`clean for axe and no wider than the screen: ${colorScheme}, ${viewport.width} px`, BOUND, async (t) => {
      const { page, signIn, figure, set, unfolded } = await desk(t, { options: { colorScheme, viewport, bypassCSP: true } });
      const clean = async (what) => {
        const { violations } = await new AxeBuilder({ page }).analyze();
        assert.deepEqual(
          violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target).join(" ")]),
          [],
          what,
        );
        const { scrollWidth, clientWidth } = await page.evaluate(() => ({
          scrollWidth: document.documentElement.scrollWidth,
          clientWidth: document.documentElement.clientWidth,
        }));
        assert.ok(scrollWidth <= clientWidth, `${what}: ${scrollWidth} > ${clientWidth}`);
      };
      await page.getByLabel("Operator's token").waitFor();
      await clean("the door");
      await signIn();
      await figure("waiting", "2");
      await page.locator(".chart svg").first().waitFor();
      await clean("the rooms");
      if (process.env.DESK_SHOTS) await page.screenshot({ path: `${process.env.DESK_SHOTS}/${colorScheme}-${viewport.width}.png`, fullPage: true });
      await set("mode", "sold_out");
      await page.locator("#confirm[open]").waitFor();
      await clean("the question");
      await page.keyboard.press("Escape");
      await unfolded("anew");
      await page.getByRole("button", { name: "Begin anew …" }).click();
      await clean("the question with a word to type");
    });
  }
}
