/* Operators at the desk, in Chromium before a real house: somebody is added with a token that is shown once, changed, removed and brought
 * back, and what the API refuses is said in words; each screen of the gallery is clean for axe, on phone and desktop. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { startGallery } from "../../scripts/gallery.mjs";
import { SCREENS } from "../../scripts/gallery/desk_screens.mjs";
import { makeToken } from "../../web/desk/token.js";
import { eventually } from "../runtime/harness.mjs";
import { DESKTOP, launch, newPage } from "./browser.mjs";
import { TOKEN, openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 120_000 };
/** As src/house/fresh.rs has it, ms. */
const WITHIN_MS = 5_000;
const PHONE = { width: 390, height: 844 };
const sha256 = (token) => createHash("sha256").update(token).digest("hex");
const [OWNER, NOOR, ZOE] = ["owner", "noor", "zoe"].map((name) => `${name}-${"x".repeat(40)}`);
const FILE = [{ name: "zoe", role: "own", rooms: ["onsale"], sha256: sha256(ZOE) }];
const words = JSON.parse(await readFile(new URL("../../web/desk/operator_words.json", import.meta.url), "utf8"));
let browser;
let gallery;
before(async () => {
  gallery = await startGallery();
  browser = await launch();
});
after(async () => {
  await browser.close();
  await gallery.close();
});

const axe = async (page) =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target).join(" ")]);

/** The desk on the screen of operators; `by(token)(path, options)` asks the API as somebody else. */
async function openOperators(t, { token = TOKEN, vars = {}, options = {} } = {}) {
  const world = await openDesk(browser, t, { waiting: 0, options, vars: { GROUNDS: { paths: ["/house/*"] }, OPERATORS: FILE, ...vars } });
  const { page } = world;
  const by =
    (other) =>
    async (path, { method = "GET", body, headers = {} } = {}) => {
      const answer = await fetch(new URL(`/__baton/admin/${path}`, world.url), {
        method,
        headers: { authorization: `Bearer ${other}`, ...headers },
        body: body && JSON.stringify(body),
      });
      return { status: answer.status, json: await answer.json().catch(() => null) };
    };
  const signedIn = async () => {
    await world.signIn(token);
    await page.locator("article").waitFor();
    await page.locator("#menu summary").click();
    await page.locator("#house-link").click();
    await page.locator("#house a[href='#operators']").click();
    await page.locator("#operators .cards").waitFor();
  };
  const card = (name) => page.locator(`#operators [data-key="operator-${name}"]`);
  const within = (look, what) => eventually(look, { timeoutMs: WITHIN_MS, everyMs: 50, what });
  const refusal = (text) => page.locator("#operators [role=alert]", { hasText: text }).waitFor();
  const kept = page.getByRole("button", { name: "I have kept it" });
  return { ...world, by, signedIn, card, within, kept, refusal, form: page.locator("#operators form") };
}

test("a token is made as the command makes one: 32 bytes, told apart, with the hash of its text", async () => {
  // Among so many are all characters that plain base64 writes otherwise.
  const made = await Promise.all(Array.from({ length: 100 }, makeToken));
  assert.equal(new Set(made.map(({ token }) => token)).size, made.length);
  for (const { token, sha256: hash } of made) {
    assert.match(token, /^[\w-]{43}$/);
    assert.equal(hash, sha256(token));
  }
});

test("both languages have the same texts with the same holes, and names that the journal uses are known", async () => {
  const shape = (value) =>
    typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shape(part)]))
      : [...new Set(value.match(/\{\w+\}/g))].sort().join();
  assert.deepEqual(shape(words.ja), shape(words.en));
  const form = await readFile(new URL("../../web/desk/operator_form.js", import.meta.url), "utf8");
  const script = await readFile(new URL("../../scripts/operator-token.mjs", import.meta.url), "utf8");
  const reserved = (text) => text.match(/RESERVED = (\[.*\])/)[1];
  assert.equal(reserved(form), reserved(script));
});

test("somebody is added: the token is shown once, can be copied, opens what was chosen, and Baton never saw it", BOUND, async (t) => {
  const { page, context, form, by, signedIn, card, within, kept, told } = await openOperators(t);
  await signedIn();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Who may operate", "the heading has the focus");
  assert.deepEqual(await page.locator("#operators .card strong").allTextContents(), ["operator (you)", "zoe"]);
  assert.equal(await card("zoe").locator("button").count(), 0, "the file's cannot be changed");
  assert.match(await card("zoe").textContent(), /from the file.*owns · in onsale/);
  await page.getByRole("button", { name: "Add somebody" }).click();
  assert.equal(await page.evaluate(() => document.activeElement.labels[0].textContent), "Name");
  const name = form.getByLabel("Name");
  for (const [text, why] of [
    ["", words.en.name_bad],
    ["a b", words.en.name_bad],
    ["house", words.en.name_reserved],
    ["zoe", words.en.name_taken],
    ["mika", ""],
  ]) {
    await name.fill(text);
    assert.equal(await name.evaluate((input) => input.validationMessage), why, text);
  }
  await form.getByLabel("Where").selectOption("in these rooms alone");
  const box = form.getByLabel("onsale");
  assert.equal(await box.evaluate((input) => input.validationMessage), words.en.rooms_none);
  await box.check();
  assert.equal(await box.evaluate((input) => input.validationMessage), "");
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === "PUT"),
    form.getByRole("button", { name: "Add and show the token" }).click(),
  ]);
  await kept.waitFor();
  await told("mika may operate.");
  const token = await page.getByLabel("The token of mika").inputValue();
  assert.deepEqual(sent.postDataJSON(), { role: "view", rooms: ["onsale"], sha256: sha256(token) });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Copy");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.keyboard.press("Enter");
  await told("The token is copied.");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
  await within(async () => (await by(token)("rooms")).status === 200, "mika is in");
  const { operator } = (await by(token)("rooms")).json;
  assert.deepEqual(operator, { name: "mika", role: "view", rooms: ["onsale"] });
  assert.match(await card("mika").textContent(), /reads · in onsale.*comes in by a token/);
  await kept.click();
  assert.ok(!(await page.content()).includes(token), "it is nowhere any more");
  assert.equal(await page.locator("#operators :is(input, textarea)").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.operator), "add", "the focus comes back");
});

test("another role and other rooms keep the token; who was slower is told, sees the list of now, and saves again", BOUND, async (t) => {
  const { page, by, signedIn, card, within, form, told, refusal } = await openOperators(t);
  const other = by(TOKEN);
  assert.equal((await other("house/operators/noor", { method: "PUT", body: { role: "view", rooms: ["onsale"], sha256: sha256(NOOR) } })).status, 200);
  await signedIn();
  await card("noor").getByRole("button", { name: "Change" }).click();
  assert.equal(await form.getByLabel("Name").getAttribute("readonly"), "");
  assert.equal(await form.getByLabel("Where").inputValue(), "rooms");
  await form.getByLabel("May do").selectOption("operate");
  await form.locator("#role-says", { hasText: "changes what may be changed" }).waitFor();
  await form.getByLabel("Where").selectOption("everywhere");
  assert.ok(await form.getByLabel("onsale").isHidden());
  assert.equal((await other("house/operators/late", { method: "PUT", body: { role: "view", sha256: sha256("late".padEnd(40, "x")) } })).status, 200);
  await form.getByRole("button", { name: "Save" }).click();
  await refusal("Somebody else changed the house meanwhile.");
  await card("late").waitFor();
  assert.match(await card("noor").textContent(), /reads · in onsale/, "nothing was changed");
  assert.equal(await form.getByLabel("May do").inputValue(), "operate", "what was chosen stays");
  await form.getByRole("button", { name: "Save" }).click();
  await told("noor is changed.");
  assert.ok(await page.locator("#operators [role=alert]").isHidden(), "what was refused before is forgotten");
  await form.waitFor({ state: "detached" });
  assert.match(await card("noor").textContent(), /operates · in all rooms/);
  assert.deepEqual(await page.evaluate(() => ({ ...document.activeElement.dataset })), { operator: "change", name: "noor" });
  await within(async () => (await by(NOOR)("rooms")).json.operator.role === "operate", "the same token, more to do");
  assert.deepEqual((await by(NOOR)("rooms")).json.operator, { name: "noor", role: "operate", rooms: [] });
});

test("a new token ends the old one; removing asks first, says what follows, and undo brings back", BOUND, async (t) => {
  const { page, by, signedIn, card, within, kept, told, yes } = await openOperators(t);
  assert.equal((await by(TOKEN)("house/operators/noor", { method: "PUT", body: { role: "view", sha256: sha256(NOOR) } })).status, 200);
  await signedIn();
  await card("noor").getByRole("button", { name: "New token" }).click();
  await page.locator("#consequence li", { hasText: "The old one no longer works" }).waitFor();
  await yes();
  await kept.waitFor();
  const token = await page.getByLabel("The token of noor").inputValue();
  await within(
    async () => (await by(token)("rooms")).status === 200 && (await by(NOOR)("rooms")).status === 401,
    "the new one opens, the old one does not",
  );
  await kept.click();
  assert.equal(await page.evaluate(() => document.activeElement.dataset.operator), "renew");
  // A token that stands there unread is not lost by what is done to another, and is gone with the page.
  await page.getByRole("button", { name: "Add somebody" }).click();
  await page.locator("#operators form").getByLabel("Name").fill("mika");
  await page.getByRole("button", { name: "Add and show the token" }).click();
  await kept.waitFor();
  const fresh = await page.getByLabel("The token of mika").inputValue();
  const remove = card("noor").getByRole("button", { name: "Remove" });
  await remove.focus();
  await page.keyboard.press("Enter");
  await page.locator("#question", { hasText: "Remove noor?" }).waitFor();
  await page.locator("#consequence li", { hasText: "out everywhere within five seconds" }).waitFor();
  assert.equal(await page.locator("#consequence li").count(), 2);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.operator), "remove", "the focus comes back");
  assert.equal(await card("noor").count(), 1);
  await page.keyboard.press("Enter");
  await yes();
  await told("noor may not operate any more.");
  await card("noor").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.dataset.operator), "add");
  assert.equal(await page.getByLabel("The token of mika").inputValue(), fresh);
  await within(async () => (await by(token)("rooms")).status === 401, "noor is out");
  await page.getByRole("button", { name: "Undo: noor may operate" }).click();
  await yes();
  await told("Taken back.");
  await card("noor").waitFor();
  await within(async () => (await by(token)("rooms")).status === 200, "noor is back, by the same token");
  assert.equal(await page.getByLabel("The token of mika").inputValue(), fresh);
  await page.locator("#back").click();
  await page.locator("#house h2").waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll("#operators :is(textarea, .card)").length), 0, "nothing of it stays in the page");
});

test("the last owner stays, whoever is gone is said to be, and what else is refused is told as the API says it", BOUND, async (t) => {
  const OPERATORS = [{ name: "owner", role: "own", ends_at: "2099-01-01T00:00:00Z", sha256: sha256(OWNER) }];
  const { page, by, signedIn, card, form, refusal, yes } = await openOperators(t, { token: OWNER, vars: { OPERATORS, BATON_ADMIN_TOKEN: "" } });
  const owner = by(OWNER);
  for (const [name, role, token] of [
    ["noor", "own", NOOR],
    ["mika", "view", ZOE],
  ])
    assert.equal((await owner(`house/operators/${name}`, { method: "PUT", body: { role, sha256: sha256(token) } })).status, 200);
  await signedIn();
  await card("noor").getByRole("button", { name: "Remove" }).click();
  await yes();
  await refusal("This would remove the last owner.");
  assert.equal(await card("noor").count(), 1);
  await card("noor").getByRole("button", { name: "Change" }).click();
  await form.getByLabel("May do").selectOption("view");
  await form.getByRole("button", { name: "Save" }).click();
  await refusal("or set the secret BATON_ADMIN_TOKEN");
  await form.getByRole("button", { name: "Cancel" }).click();
  assert.ok(await page.locator("#operators [role=alert]").isHidden());
  // Gone between the list and the wish, and told so by the API: no revision is sent that is old.
  const revision = async () => (await owner("house")).json.revision;
  const before = await revision();
  await page.route("**/house/operators/mika", async (route) => {
    await owner("house/operators/mika", { method: "DELETE" });
    await route.continue({ headers: { ...route.request().headers(), "if-match": `"${await revision()}"` } });
  });
  await card("mika").getByRole("button", { name: "Remove" }).click();
  await yes();
  await refusal("mika is not there any more.");
  await card("mika").waitFor({ state: "detached" });
  assert.equal(await revision(), before + 1);
  await page.route("**/house/operators/noor", (route) =>
    route.fulfill({ status: 400, json: { error: { code: "bad_request", message: "operators.noor.role: is none of …" } } }),
  );
  await card("noor").getByRole("button", { name: "Change" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await refusal("It was refused: operators.noor.role: is none of …");
});

test("of oneself one is warned, and out at once; a new token of the own is somebody else's to make", BOUND, async (t) => {
  const { page, by, signedIn, card, form, told, yes } = await openOperators(t, {
    token: NOOR,
    vars: { OPERATORS: [...FILE, { name: "first", role: "own", sha256: sha256(OWNER) }] },
  });
  assert.equal((await by(OWNER)("house/operators/noor", { method: "PUT", body: { role: "own", sha256: sha256(NOOR) } })).status, 200);
  await eventually(async () => (await by(NOOR)("rooms")).status === 200, { timeoutMs: WITHIN_MS, everyMs: 50, what: "noor is in" });
  await signedIn();
  assert.match(await card("noor").textContent(), /noor \(you\)/);
  assert.deepEqual(await card("noor").locator("button").allTextContents(), ["Change", "Remove"]);
  await card("noor").getByRole("button", { name: "Change" }).click();
  await form.getByLabel("May do").selectOption("operate");
  await form.getByRole("button", { name: "Save" }).click();
  await page.locator("#consequence li", { hasText: "cannot give it back to yourself" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal((await by(NOOR)("rooms")).json.operator.role, "own", "no is no");
  assert.ok(await page.locator("#operators [role=alert]").isHidden());
  await form.getByRole("button", { name: "Cancel" }).click();
  await card("noor").getByRole("button", { name: "Remove" }).click();
  await page.locator("#consequence li", { hasText: "That is you: you are signed out." }).waitFor();
  await yes();
  await page.locator("#sign-in:not([hidden])").waitFor();
  assert.ok(await page.locator("#operators").isHidden());
  await told("Sign in");
});

test("whoever may not is offered nothing, and told why; without a house the file has all", BOUND, async (t) => {
  const { page, signIn } = await openOperators(t);
  await signIn(ZOE);
  await page.locator("article").waitFor();
  await page.goto(`${page.url().split("#")[0]}#operators`);
  await page.locator("#operators", { hasText: "Only operators with the role own for all rooms see this list" }).waitFor();
  assert.equal(await page.locator("#operators button").count(), 0);
  const without = await openOperators(t, { vars: { GROUNDS: undefined } });
  await without.signIn(TOKEN);
  await without.page.locator("article").waitFor();
  await without.page.locator("#menu summary").click();
  await without.page.locator("#house-link").click();
  await without.page.locator("#house", { hasText: "has no house" }).waitFor();
  await without.page.locator("#house a[href='#operators']").click();
  await without.page.locator("#operators", { hasText: "wrangler.toml lists all operators" }).waitFor();
});

const CASES = [
  ["light", PHONE, "en"],
  ["dark", PHONE, "ja"],
  ["dark", DESKTOP, "en"],
  ["light", DESKTOP, "ja"],
];
test("list, form, question and token: clean for axe, no wider than the screen, and a thumb hits each button", BOUND, async (t) => {
  for (const [colorScheme, viewport, language] of CASES) {
    const { context, page, complaints } = await newPage(browser, { colorScheme, viewport, reducedMotion: "reduce", bypassCSP: true });
    t.after(() => context.close());
    const { operators } = SCREENS;
    await page.route("**/house/operators/**", (route) => route.fulfill({ json: operators.house() }));
    const judge = async (what) => {
      const where = `${what}: ${colorScheme} ${viewport.width} ${language}`;
      assert.deepEqual(await axe(page), [], where);
      const { wide, low } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        low: [...document.querySelectorAll("#operators :is(button, select, input:not([type=checkbox]), textarea, .check)")]
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44)
          .map((one) => one.textContent),
      }));
      assert.deepEqual({ wide, low }, { wide: 0, low: [] }, where);
    };
    await page.goto(`${gallery.url}/desk/operators/?lang=${language}#operators`);
    await page.locator("#operators .cards").waitFor();
    await judge("list");
    await page.locator("[data-operator=change][data-name=mika]").click();
    await page.locator("#operators form").waitFor();
    await judge("change");
    await page.locator("[data-operator=remove][data-name=noor]").click();
    await page.locator("#yes:enabled").waitFor();
    await judge("question");
    await page.keyboard.press("Escape");
    await page.locator("[data-operator=add]").click();
    await page.locator("#operators form input").first().fill("sora");
    await judge("add");
    await page.locator("#operators form .strong").click();
    await page.locator("#token-made").waitFor();
    await judge("token");
    assert.deepEqual(complaints, []);
  }
});
