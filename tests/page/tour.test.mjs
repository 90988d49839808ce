/* An operator's first hour and the morning after: what `npm start` prints is followed, by Chromium and by commands, with the desk open all the time
 * beside rooms of the house that come, are silent, and go. Whatever the desk says meanwhile is judged by a witness (witness.mjs). */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { inRoot, run, toolEnv } from "../../scripts/common.mjs";
import { started } from "../runtime/support/started.mjs";
import { clock, noShim } from "../runtime/support/set_clock.mjs";
import { ensureBuilt } from "../runtime/support/world.mjs";
import { compileBefore } from "../support/programs.mjs";
import { Visitor } from "../support/visitor.mjs";
import { DESKTOP, launch, newPage } from "./browser.mjs";
import { watchDesk } from "./witness.mjs";

/** A minute and a half on two idle cores, with what it runs. */
const BOUND = { timeout: 900_000 };
const SOON = { timeout: 120_000 };
const PERMITS = 5;
/** Who only closed the window has gone after this. */
const IDLE_S = 40;
const NIGHT_MS = 10 * 3_600_000;
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());
compileBefore("audit", "report");

/** A page of its own, patient with a machine that has much else to do. */
async function open(options) {
  const made = await newPage(browser, { expectNetworkErrors: true, ...options });
  made.context.setDefaultTimeout(SOON.timeout);
  return made;
}

/** Returns what `npm start` prints for the first hour: addresses, the desk's token, and the command for a room of the house. */
function printed(said) {
  const find = (pattern) => pattern.exec(said)?.[1] ?? assert.fail(`${pattern} is not in\n${said}`);
  return {
    shop: find(/the shop +(\S+)/),
    gate: find(/behind the gate (\S+)/),
    desk: find(/the desk +(\S+)/),
    token: find(/#token=(\S+)/),
    windows: Number(find(/in (\d+) private windows/)),
    house: find(/^ +(BATON_ADMIN_TOKEN=.* npm run house -- clone .*)$/m),
  };
}

/** Starts Baton as the README says, with a desk that a witness watches, and hands both on. */
async function begin(t) {
  await ensureBuilt();
  const { env, set } = noShim ? { env: {}, set: null } : clock(t);
  const flags = ["--port", "0", "--permits", String(PERMITS), "--lease-idle-s", String(IDLE_S), "--tickets-per-ip-max", "0"];
  const { said } = await started(t, [...flags, "--walk-ins-per-ip-max", "0", "--joins-per-ip-per-minute", "0"], env);
  const at = printed(said);
  const { context, page, complaints } = await open({ viewport: DESKTOP, acceptDownloads: true });
  t.after(() => context.close());
  const witness = await watchDesk(context);
  await page.clock.install();
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-tour-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  /** A command as one types it. Resolves to `{ code, text }`. */
  const command = (line) =>
    run("bash", ["-c", line], {
      cwd: inRoot(),
      env: toolEnv({ BATON_ADMIN_TOKEN: at.token, BATON_PREPARED: "1", CI: "1" }),
      capture: true,
      quiet: true,
    });
  const must = async (line, says, code = 0) => {
    const done = await command(line);
    assert.equal(done.code, code, `${line}\n${done.text}`);
    assert.match(done.text, says, line);
    return done.text;
  };
  const base = new URL(at.shop).origin;
  const asked = async (call, { method = "GET", body, headers = {} } = {}) => {
    const answer = await fetch(`${base}/__baton/admin/${call}`, { method, headers: { authorization: `Bearer ${at.token}`, ...headers }, body });
    assert.ok(answer.ok, `${call}: ${answer.status}`);
    return answer.json();
  };
  const article = (room) => page.locator(`article[aria-label="${room}"]:visible`);
  const card = (room, text) => page.locator("#overview .card", { hasText: room }).filter({ hasText: text });
  const told = (text) => page.locator("#news", { hasText: text }).waitFor(SOON);
  const yes = () => page.locator("#yes:enabled").click();
  return { t, at, base, set, context, page, complaints, witness, folder, must, asked, article, card, told, yes, windows: [] };
}

/** Waits until the desk says of a room, in a sentence, what the API says at that time. */
async function agree({ page, article, asked }, room, holds, what) {
  for (const end = Date.now() + SOON.timeout; ; ) {
    const { report } = await asked(`rooms/${room}`);
    const says = await article(room).locator(".say h2").textContent();
    const after = (await asked(`rooms/${room}`)).report;
    const isStill = report.inside === after.inside && report.waiting === after.waiting;
    // A sentence need not name both.
    const isSaid = ["inside", "waiting"].every((key) => Number(new RegExp(`(\\d+) ${key}`).exec(says)?.[1] ?? report[key]) === report[key]);
    if (isStill && isSaid && holds(report)) return report;
    assert.ok(Date.now() < end, `${room}: ${what}; the desk says “${says}”, the API ${report.inside} inside, ${report.waiting} waiting`);
    await page.waitForResponse((response) => response.url().endsWith("/admin/rooms"), SOON);
  }
}

/** The desk by the link that was printed, and as many private windows before the gate as it says: the last one waits. */
async function firstMinute(tour) {
  const { page, at, told, windows } = tour;
  await page.goto(at.desk);
  await told("Live");
  await agree(tour, "onsale", ({ inside, waiting }) => inside + waiting === 0, "nobody is here");
  assert.equal(at.windows, PERMITS + 1);
  for (let count = 0; count < at.windows; count++) {
    const { context, page: window } = await open();
    windows.push(context);
    await window.goto(at.gate);
    if (count < PERMITS) await window.waitForURL(at.gate);
    else await window.locator("body[data-state=waiting]").waitFor(SOON);
  }
  await agree(tour, "onsale", ({ inside, waiting }) => inside === PERMITS && waiting === 1, "five are in, and one waits");
}

/** The shop's button sends thirty more, the operator gives more permits and says why, and somebody elsewhere changes the room too. */
async function firstCrowd(tour) {
  const { page, at, yes, told, asked, windows } = tour;
  const { context, page: shop } = await open();
  windows.push(context);
  await shop.goto(at.shop);
  await shop.getByRole("button", { name: "Send 30 visitors" }).click();
  await agree(tour, "onsale", ({ waiting }) => waiting > 15, "many wait");
  const { revision } = await asked("rooms/onsale");
  await page.locator('[data-do="more"]').click();
  await page.locator("#fields input").first().fill("9");
  await yes();
  await told("permits of onsale was set to 9");
  assert.ok((await asked("rooms/onsale")).revision > revision);
  await page.locator('[data-do="message"]').click();
  await page.locator("#fields textarea").fill("We let a few more in.");
  await yes();
  await told("message of onsale");
  await asked("rooms/onsale", { method: "PATCH", body: JSON.stringify({ mode: "paused" }) });
  await page.locator('[data-do="resume"].strong').waitFor(SOON);
  await asked("rooms/onsale", { method: "PATCH", body: JSON.stringify({ permits: 0, mode: "open" }) });
  await page.locator('[data-do="more"].strong').waitFor(SOON);
  await agree(tour, "onsale", ({ permits }) => permits === 0, "there are no permits");
  assert.match(await page.locator('[data-part="waits-answer"]').textContent(), /^Nobody is called now/);
  await asked("rooms/onsale", { method: "PATCH", body: JSON.stringify({ permits: 12 }) });
}

/** The command that npm start prints makes a room while the desk is open. It is told by summary, opened, and is silent again. */
async function roomsCome(tour) {
  const { page, at, base, must, card, article, told } = tour;
  await must(`${at.house} --yes`, /\+ spring is new[^]*Done: revision 1/);
  await must("npm run house -- list --url ".concat(base), /^spring +open +permits \d+ +\/spring\/\*$/m);
  await card("spring", "Nothing was heard of it yet").filter({ hasText: "Resting" }).waitFor(SOON);
  await told("Live");
  await card("spring", "").click();
  await agree(tour, "spring", ({ inside }) => inside === 0, "nobody is in spring");
  const guest = new Visitor({ url: `${base}/spring/1`, room: "spring" });
  while ((await guest.arrive()).state !== "shop");
  await agree(tour, "spring", ({ inside }) => inside === 1, "a guest is in spring");
  await page.getByRole("link", { name: "All rooms" }).click();
  await card("spring", "1 inside").waitFor(SOON);
  await page.reload();
  await card("spring", "1 inside").waitFor(SOON);
  assert.equal(await article("spring").count(), 0);
  await guest.leave();
}

/** Invitations and codes by command and at the desk; a dry run says that nothing happened. */
async function byCommand(tour) {
  const { page, at, base, folder, must, card } = tour;
  const links = path.join(folder, "links.csv");
  const invite = (room, where) => `npm run invite -- --room ${room} --count 3 --out ${links} --url ${base}${where}`;
  await must(invite("spring", "/spring/"), /entry/, 1);
  await must(`npm run house -- clone onsale club --set 'paths=/club/*' --set entry=optional --url ${base} --yes`, /\+ club is new/);
  await must(invite("club", "/club/"), /3 links of sheet 1/);
  const written = readFileSync(links, "utf8");
  await must(invite("club", "/club/"), /is there already/, 2);
  assert.equal(readFileSync(links, "utf8"), written);
  const codes = path.join(folder, "codes.csv");
  writeFileSync(codes, "SUMMER-2027,3\nno\n");
  await must(`npm run codes -- --room club --file ${codes} --url ${base}/club/`, /line 2/, 1);
  await must("npm run way-out -- --dry-run", /Nothing was deployed[^\n]*Baton is still in front of the site\.\s*$/);
  const { context, page: window } = await open();
  await window.goto(written.trim().split("\n").at(-1).split(",")[2]);
  await window.waitForURL(/\/club\/$/);
  await card("club", "").click();
  await agree(tour, "club", ({ inside }) => inside === 1, "an invited visitor is in");
  await page.locator('article[aria-label="club"] details.sheets summary').click();
  await page.getByText(/^Sheet 1: 3 invitations, 1 used/).waitFor(SOON);
  await context.close();
  await page.getByRole("link", { name: "All rooms" }).click();
  assert.ok(at.token.length > 20);
}

/** Every screen that the menu and the room lead to has something to say at once. */
async function everyScreen({ page, told }) {
  for (const [hash, text] of [
    ["house", "/spring/*"],
    ["operators", "Who may operate"],
    ["webhooks", "Webhooks"],
    ["brand/spring", "The page of spring"],
    ["history", "defined a room"],
  ]) {
    await page.evaluate((to) => (location.hash = to), `#${hash}`);
    await page.locator(`#${hash.split("/")[0]}:visible`, { hasText: text }).waitFor(SOON);
  }
  await page.evaluate(() => (location.hash = "#"));
  await told("Live");
}

/** The line to Baton breaks, and answers stop coming: neither is called Live. */
async function badAir({ page, context, told }) {
  await context.setOffline(true);
  await told("No answer from Baton");
  await context.setOffline(false);
  await told("Live");
  await page.route("**/admin/rooms", () => {});
  await told("No answer from Baton");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await told("Live");
}

/** Everybody goes home, and so does the operator, whose machine sleeps until the morning. */
async function night(tour) {
  const { page, set, windows, told, card } = tour;
  for (const context of windows) await context.close();
  await card("onsale", "Nobody waits: 0 inside").waitFor({ timeout: 240_000 });
  if (set) set(NIGHT_MS / 1_000);
  await page.clock.fastForward(set ? NIGHT_MS : 0);
  await page.reload();
  await told("Live");
  await card("onsale", "Nobody waits: 0 inside").waitFor(SOON);
}

/** A second sale, the report with both side by side, the journal by command, and the rooms of the house go. */
async function morningAfter(tour) {
  const { page, at, base, folder, must, asked, card, article, yes, told } = tour;
  await card("onsale", "").click();
  await page.locator("article:visible details.anew summary").click();
  await page.locator("article:visible button.reset").click();
  await page.locator("#word").fill("onsale");
  await yes();
  await told("onsale was begun anew: edition 2");
  const buyer = new Visitor({ url: at.gate });
  while ((await buyer.arrive()).state !== "shop");
  await agree(tour, "onsale", ({ inside }) => inside === 1, "a second sale");
  await page.locator("article:visible details.report summary").click();
  await Promise.all([page.waitForEvent("download", SOON), page.getByRole("button", { name: "Make the report" }).click()]);
  const table = page.getByRole("region", { name: "Beside other sales" });
  await table.waitFor(SOON);
  assert.deepEqual((await table.locator("tbody tr", { hasText: "Came" }).first().locator("td").allTextContents())[0], "1");
  const journal = path.join(folder, "onsale.jsonl");
  await must(`npm run export -- --room onsale --url ${base} --out ${journal}`, /rows/);
  await must(`npm run audit -- verify ${journal}`, /sound/);
  await must(`npm run report -- --room onsale --url ${base} --out ${folder}/report`, /report\.html/);
  await buyer.leave();
  await page.getByRole("link", { name: "All rooms" }).click();
  for (const room of ["spring", "club"]) {
    await card(room, "").waitFor(SOON);
    await asked(`rooms/${room}`, { method: "PATCH", body: JSON.stringify({ mode: "closed" }) });
    await must(`npm run house -- delete ${room} --url ${base} --yes`, /is deleted; its paths stay shut/);
    await must(`npm run house -- release ${room} --url ${base} --yes`, /ungated/);
  }
  await article("onsale").waitFor(SOON);
  await page.locator("#menu summary").click();
  await page.getByRole("link", { name: "Who did what" }).click();
  await page.locator("#history li", { hasText: "deleted a room" }).first().waitFor(SOON);
}

/** The witness runs in each frame, and the preview of a page is one that runs no script. */
const isOwn = (complaint) => !/sandboxed and the 'allow-scripts' permission is not set/.test(complaint);

test("an operator's first hour, and the morning after: every word was true while it stood there", BOUND, async (t) => {
  const tour = await begin(t);
  for (const chapter of [firstMinute, firstCrowd, roomsCome, byCommand, everyScreen, badAir, night, morningAfter]) {
    await chapter(tour).catch((error) => {
      error.message = [`${chapter.name}: ${error.message}`, ...tour.witness.faults()].join("\n");
      throw error;
    });
    tour.witness.check();
    assert.deepEqual(tour.complaints.filter(isOwn), [], chapter.name);
    t.diagnostic(`${chapter.name}: ${tour.witness.counts.views} views, ${tour.witness.counts.sentences.size} kinds of sentences`);
  }
  assert.ok(tour.witness.counts.sentences.size >= 8, "the desk had something to say");
});
