/* The desk beside rooms of the house, which a list tells only by what they last said: they come while it is open, are asked themselves when they
 * are opened, and go; and an error of one room, or of the page, ends nothing else. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inRoot, npmProgram, run } from "../../scripts/common.mjs";
import { Visitor } from "../support/visitor.mjs";
import { launch } from "./browser.mjs";
import { TOKEN, openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 120_000 };
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** A desk whose operator is signed in, and a command for the house. Complaints of the console fail the test. */
async function open(t, options) {
  const desk = await openDesk(browser, t, { vars: { GROUNDS: { paths: ["/*"] } }, ...options });
  const { origin } = new URL(desk.url);
  const house = async (...args) => {
    const env = { ...process.env, BATON_ADMIN_TOKEN: TOKEN };
    const { code, text } = await run(npmProgram("node"), [inRoot("scripts", "house.mjs"), ...args, "--url", origin, "--yes"], {
      env,
      capture: true,
      quiet: true,
    });
    assert.equal(code, 0, text);
  };
  const headers = { authorization: `Bearer ${TOKEN}` };
  const report = async (room) => (await (await fetch(`${origin}/__baton/admin/rooms/${room}`, { headers })).json()).report;
  const guest = (path, room) => new Visitor({ url: new URL(path, origin).href, room });
  const card = (room, text) => desk.page.locator("#overview .card", { hasText: room }).filter({ hasText: text });
  const article = (room) => desk.page.locator(`article[aria-label="${room}"]:visible`);
  await desk.signIn();
  return { ...desk, origin, house, report, guest, card, article };
}

/** Waits until what the desk says of a room has become true once more: its figures go on. */
const says = (article, text) => article.locator(".say h2", { hasText: text }).waitFor({ timeout: 30_000 });

// Long because it is the story of a room with the desk open, from the command that npm start prints to the release.
test("a room of the house comes while the desk is open, is told by summary, opened, turned, and goes", BOUND, async (t) => {
  const { page, house, guest, report, card, article, told, yes, join, figure, elsewhere } = await open(t);
  await figure("waiting", "2");
  await told("Live");
  await house("clone", "onsale", "spring", "--set", "paths=/spring/*");
  await card("spring", "Nothing was heard of it yet").filter({ hasText: "Resting" }).waitFor();
  await page.locator("#overview .say.well", { hasText: "All well in 2 rooms: 1 inside, 2 waiting" }).waitFor();
  await join();
  await card("onsale", "3 waiting").waitFor();
  await told("Live");

  // Opened, it is asked itself, with its settings and its knobs, although it has said nothing.
  await card("spring", "").click();
  await says(article("spring"), "Nobody waits: 0 inside, 1 permits free");
  await article("spring").locator(".settings summary").click();
  const permits = article("spring").locator('.knob[data-key="permits"]');
  await permits.locator("input").first().fill("3");
  await permits.getByRole("button", { name: "Change" }).click();
  await yes();
  await told("permits of spring");
  assert.equal((await report("spring")).permits, 3);
  const inside = guest("/spring/1", "spring");
  while ((await inside.arrive()).state !== "shop");
  await says(article("spring"), "1 inside");

  // In the list it is told by what it last said.
  await page.getByRole("link", { name: "All rooms" }).click();
  const asOf = await page.waitForResponse(
    async (response) => {
      if (!response.url().endsWith("/rooms")) return false;
      const { rooms } = await response.json();
      const spring = rooms.find(({ room }) => room === "spring");
      return spring.report?.inside === 1 && spring.settings === null;
    },
    { timeout: 30_000 },
  );
  assert.ok(asOf);
  await card("spring", "1 inside").filter({ hasText: "1 / 3" }).waitFor();
  await join();
  await card("onsale", "4 waiting").waitFor();

  // A desk that is loaded only now has heard of it by summary alone.
  await page.reload();
  await card("spring", "1 inside").waitFor();
  await told("Live");
  await page.keyboard.press("a");
  await page.getByText("Pause all 2 rooms?").waitFor();
  await yes();
  await card("spring", "Paused").waitFor({ timeout: 30_000 });
  assert.equal((await report("spring")).mode, "paused");

  await inside.leave();
  await elsewhere({ mode: "closed" }, "spring");
  await house("delete", "spring");
  await house("release", "spring");
  await article("onsale").waitFor({ timeout: 30_000 });
  await join();
  await figure("waiting", "5");
});

test("an error of one room stops nothing else, and says so at that room alone", BOUND, async (t) => {
  const world = await open(t, { room: { permits: 1 } });
  const { page, card, house, join, told, complaints } = world;
  await house("clone", "onsale", "spring", "--set", "paths=/spring/*");
  await card("spring", "").waitFor();
  await page.route("**/__baton/admin/rooms", async (route) => {
    const answer = await route.fetch();
    const json = await answer.json();
    // What no API answers: the page must fail at it, whatever it becomes able to read.
    json.rooms = json.rooms.map((one) => (one.room === "spring" ? { ...one, report: { mode: "open" }, revision: 1 } : one));
    await route.fulfill({ response: answer, json });
  });
  await card("spring", "This page cannot show the room.").waitFor();
  await join();
  await card("onsale", "3 waiting").waitFor();
  await told("Live");
  await page.unrouteAll({ behavior: "wait" });
  assert.ok(
    complaints.splice(0).some((text) => /TypeError/.test(text)),
    "whoever looks at the console sees why",
  );
  await card("spring", "Nothing was heard of it yet").waitFor();
});

test("a page that makes a mistake of its own does not say Live, and goes on asking", BOUND, async (t) => {
  const { page, told, join, figure, complaints } = await open(t);
  await told("Live");
  await page.route("**/__baton/admin/rooms", (route) => route.fulfill({ json: { operator: { name: "operator", role: "own", rooms: [] } } }));
  await told("This page has made a mistake");
  await page.locator("body.stale").waitFor({ state: "attached" });
  await page.unrouteAll({ behavior: "wait" });
  await join();
  await figure("waiting", "3");
  await told("Live");
  assert.ok(complaints.splice(0).length > 0);
});

test("a room of the house that is open on the screen and does not answer is an alarm", BOUND, async (t) => {
  const { page, house, card, article } = await open(t);
  await house("clone", "onsale", "spring", "--set", "paths=/spring/*");
  await card("spring", "").click();
  await says(article("spring"), "Nobody waits");
  const unavailable = { status: 503, json: { error: { code: "room_unavailable", message: "It cannot be reached." } } };
  await page.route("**/__baton/admin/rooms/spring", (route) => route.fulfill(unavailable));
  await says(article("spring"), "The room does not answer since");
  await page.getByRole("link", { name: "All rooms" }).click();
  await card("spring", "Act now").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await card("spring", "").click();
  await says(article("spring"), "Nobody waits");
});

test("a room of the house: planned, made as a copy, refused with the reason, deleted, taken back", BOUND, async (t) => {
  const { page, signIn, told, yes, elsewhere } = await openDesk(browser, t, { vars: { GROUNDS: { paths: ["/*"] } }, room: { paths: ["/buy/*"] } });
  await signIn();
  await page.locator("article").waitFor();
  await page.locator("#menu summary").click();
  await page.getByRole("link", { name: "House" }).click();
  await page.getByText("The house has no rooms yet.").waitFor();
  await page.getByRole("button", { name: "New room" }).click();
  await page.getByLabel("Name of the room").fill("spring");
  const [paths, opens] = [page.getByLabel("Its addresses"), page.getByLabel(/^Opens, by the clocks of/)];
  assert.equal(await paths.inputValue(), "/spring/*", "a copy has paths of its own");
  assert.equal(await page.locator(".define > label:visible, .define > .rows > label:visible").count(), 6);
  assert.equal(await page.locator(".define details[open]").count(), 0, "the rest is behind more");
  await opens.fill("2020-05-01T10:00");
  await page.getByText("These dates have passed").waitFor();
  await opens.fill("");
  assert.equal(await page.getByText("These dates have passed").isVisible(), false);
  await paths.fill("/buy/*");
  await page.getByRole("button", { name: "See what would change" }).click();
  await page.getByText("It would be refused:").waitFor();
  await page.locator("#house li", { hasText: /also gated by the room onsale/ }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Do it" }).count(), 0, "what is refused is not offered");
  await paths.fill("/spring/*");
  await page.getByRole("button", { name: "See what would change" }).click();
  await page.getByText("spring: new").waitFor();
  await page.getByRole("button", { name: "Do it" }).click();
  await told("Done. The house is at revision 1.");
  await page.locator(".card", { hasText: "spring" }).getByText("/spring/*").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await yes();
  await told("The room spring is not closed");
  await elsewhere({ mode: "closed" }, "spring");
  await page.getByRole("button", { name: "Delete" }).click();
  await yes();
  await told("Done. The house is at revision 2.");
  await page.getByRole("button", { name: /^Undo: spring: open again/ }).click();
  await yes();
  await told("Done. The house is at revision 3.");
  await page.getByRole("button", { name: "Delete", exact: true }).waitFor();
});
