// A room's brand: what an operator lays over its page reaches the page within the house's bound, and nothing that runs ever does. Pictures
// are kept by what they are, served for ever, and survive the house.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { writePng } from "../support/png.mjs";
import { BOUND_MS, housed, ROOM, TOKEN } from "./support/housed.mjs";
import { eventually, startWorld } from "./support/world.mjs";

const HTML = { accept: "text/html", "sec-fetch-dest": "document" };
const LOGO = await readFile(inRoot("tests", "fixtures", "images", "logo.png"));
const NAME = `${createHash("sha256").update(LOGO).digest("hex").slice(0, 32)}.png`;
const COLOURS = { light: { accent: "#c2410c", ground: "#fff7ed", ink: "#431407" }, dark: { accent: "#fb923c" } };

/** What somebody in line at `path` is shown. */
async function pageAt(world, path, language = "en") {
  const answer = await fetch(new URL(path, world.url), { headers: { ...HTML, "accept-language": language } });
  return { html: await answer.text(), policy: answer.headers.get("content-security-policy"), status: answer.status };
}

/** Sends bytes as a picture. */
async function upload(world, bytes, headers = {}) {
  const answer = await fetch(new URL("/__baton/admin/images", world.url), {
    method: "PUT",
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    body: bytes,
  });
  const text = await answer.text();
  return { status: answer.status, text, json: text.startsWith("{") ? JSON.parse(text) : undefined };
}

const shows = (world, path, text, language) =>
  eventually(
    async () => {
      const page = await pageAt(world, path, language);
      return page.html.includes(text) ? page : false;
    },
    { what: `${text} at ${path}`, timeoutMs: BOUND_MS },
  );

test("a brand reaches the pages of rooms of the file and of the house, in every language, and an undo takes it back", async (t) => {
  const world = await housed(t, { rooms: { onsale: { paths: ["/file/*"], permits: 0, page_title: "Of the file" } } });
  const { house } = world;
  await house.put("shows", { ...ROOM, permits: 0 });
  const { since } = (await house.look()).json.rooms.shows;
  const brand = { page_title: "Spring <b>Tour</b>", page_colours: COLOURS, page_texts: { ja: { title: "春のツアー", waiting: "開場は六時です。" } } };
  for (const [room, path] of [
    ["onsale", "/file/1"],
    ["shows", "/buy/1"],
  ]) {
    const { etag } = await house.look();
    const put = await house.call(`house/brands/${room}`, { method: "PUT", body: brand, headers: { "if-match": etag } });
    assert.equal(put.status, 200, put.text);
    const { html, policy } = await shows(world, path, "<h1>", "en").then(() => shows(world, path, "Spring &lt;b&gt;Tour&lt;/b&gt;"));
    assert.ok(!html.includes("<b>Tour"), "text stays text");
    const [, css] = /<style>([^<]*)<\/style>/.exec(html);
    assert.ok(css.includes("--accent:#c2410c") && css.includes("--accent:#fb923c"));
    const hash = createHash("sha256").update(css).digest("base64");
    assert.equal(policy.match(/style-src ([^;]*)/)[1], `'self' 'sha256-${hash}'`);
    assert.ok(!policy.includes("unsafe"));
    const japanese = await shows(world, path, "春のツアー", "ja");
    assert.ok(japanese.html.includes("開場は六時です。") && !japanese.html.includes("Spring"));
    const stale = await house.call(`house/brands/${room}`, { method: "PUT", body: {}, headers: { "if-match": etag } });
    assert.equal(stale.status, 412, "somebody was quicker");
  }
  assert.equal((await house.look()).json.rooms.shows.since, since, "the room itself is the same, so no object begins anew");
  const { etag, json } = await house.look();
  assert.deepEqual(json.brands.shows, brand);
  assert.deepEqual(
    json.undo.map(({ room, does }) => [room, does]),
    [["shows", "brand"]],
  );
  assert.equal((await house.call("house/undo", { method: "POST", headers: { "if-match": etag } })).status, 200);
  assert.deepEqual(Object.keys((await house.look()).json.brands), ["onsale"]);
  assert.equal((await house.call("house/brands/onsale", { method: "DELETE" })).status, 200);
  const { html, policy } = await shows(world, "/file/1", "Of the file");
  assert.ok(!html.includes("<style>") && /style-src 'self';/.test(policy));
});

test("what cannot be read is refused with its ratio and the nearest colour, by plan and by change", async (t) => {
  const { house } = await housed(t);
  const brands = { onsale: { page_colours: { light: { ink: "#999999" } } } };
  const put = await house.call("house/brands/onsale", { method: "PUT", body: brands.onsale });
  assert.equal(put.status, 400);
  assert.match(put.text, /brands\.onsale\.page_colours\.light\.ink.*2\.5 : 1.*nearest that can be read is #[0-9a-f]{6}/);
  const plan = await house.call("house/plan", { method: "POST", body: { brands } });
  assert.match(plan.json.problems.join(), /2\.5 : 1/);
  assert.deepEqual((await house.look()).json.brands, {});
});

test("a picture is kept by what it is, served for ever, and forgotten only when no page shows it", async (t) => {
  const world = await housed(t, { rooms: { onsale: { paths: ["/file/*"], permits: 0 } } });
  const { house } = world;
  const image = (headers = {}, method = "GET") => fetch(new URL(`/__baton/images/${NAME}`, world.url), { headers, method });
  const brand = { page_logo: `/__baton/images/${NAME}` };
  const early = await house.call("house/brands/onsale", { method: "PUT", body: brand });
  assert.equal(early.status, 400);
  assert.match(early.text, /Upload it first/);

  const put = await upload(world, LOGO, { "content-type": "text/html" });
  assert.deepEqual([put.status, put.json], [200, { name: NAME, address: brand.page_logo }]);
  assert.equal((await upload(world, LOGO)).json.name, NAME, "the same bytes are the same picture");
  const listed = (await house.call("images")).json.images;
  assert.deepEqual(
    listed.map(({ at_ms: _, ...rest }) => rest),
    [{ name: NAME, address: brand.page_logo, width: 48, height: 24, bytes: LOGO.length, rooms: [] }],
  );

  assert.equal((await image()).status, 404, "no page shows it");
  assert.equal((await image({ authorization: `Bearer ${TOKEN}` })).status, 200, "who uploaded it sees it before");
  assert.equal((await house.call("house/brands/onsale", { method: "PUT", body: brand })).status, 200);
  await shows(world, "/file/1", brand.page_logo);
  const shown = await image();
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), LOGO);
  const headers = Object.fromEntries(shown.headers);
  assert.deepEqual(
    ["content-type", "cache-control", "content-security-policy", "x-content-type-options"].map((name) => headers[name]),
    ["image/png", "public, max-age=31536000, immutable", "default-src 'none'; frame-ancestors 'none'", "nosniff"],
  );
  assert.equal(headers["set-cookie"], undefined);
  const head = await image({}, "HEAD");
  assert.deepEqual([head.status, head.headers.get("content-type"), await head.text()], [200, "image/png", ""]);
  assert.equal((await image({}, "POST")).status, 405);

  const used = await house.call(`images/${NAME}`, { method: "DELETE" });
  assert.deepEqual([used.status, used.json.error.code], [409, "room_in_use"]);
  assert.match(used.text, /onsale/);
  await house.call("house/brands/onsale", { method: "DELETE" });
  assert.equal((await house.call(`images/${NAME}`, { method: "DELETE" })).status, 204);
  assert.equal((await house.call(`images/${NAME}`, { method: "DELETE" })).status, 404);
});

test("a picture is asked for once in a data centre, and is there while the house is away", async (t) => {
  const world = await housed(t, {
    rooms: { onsale: { paths: ["/file/*"], permits: 0 } },
    runtime: { wrapper: inRoot("tests", "runtime", "support", "cached_house.js") },
  });
  const { house } = world;
  assert.equal((await upload(world, LOGO)).status, 200);
  await house.call("house/brands/onsale", { method: "PUT", body: { page_logo: `/__baton/images/${NAME}` } });
  await shows(world, "/file/1", NAME);
  const image = async (name = NAME) => (await fetch(new URL(`/__baton/images/${name}`, world.url))).status;
  for (let at = 0; at < 20; at++) assert.equal(await image(), 200);
  for (let at = 0; at < 20; at++) assert.equal(await image(`${String(at).padStart(32, "0")}.png`), 404);
  const asked = await (await fetch(new URL("/cached-house/asked", world.url))).json();
  assert.equal(asked, 1, "not for each phone, and not for names that no page shows");
  await fetch(new URL("/cached-house/away", world.url));
  assert.equal(await image(), 200);
});

test("an operator with rooms has twenty places for pictures, and those of all rooms the rest", async (t) => {
  const world = await housed(t, { rooms: { onsale: { paths: ["/file/*"], permits: 0 } } });
  const token = "the token of somebody with one room";
  const sha256 = createHash("sha256").update(token).digest("hex");
  assert.equal((await world.house.call("house/operators/mika", { method: "PUT", body: { role: "own", rooms: ["onsale"], sha256 } })).status, 200);
  const own = { authorization: `Bearer ${token}` };
  const picture = (height) => writePng({ width: 4, height, rgb: Buffer.alloc(12 * height) });
  await eventually(async () => (await upload(world, picture(1), own)).status === 200, { what: "mika is in", timeoutMs: BOUND_MS });
  for (let height = 2; height <= 20; height += 1) assert.equal((await upload(world, picture(height), own)).status, 200, `${height}`);
  const one = await upload(world, picture(21), own);
  assert.deepEqual([one.status, one.json.error.code], [409, "room_in_use"]);
  assert.match(one.text, /at most 20 pictures/);
  assert.equal((await upload(world, picture(20), own)).status, 200, "the same again takes no place");
  assert.equal((await upload(world, picture(21))).status, 200, "whoever may act everywhere");
});

test("without a house there are no pictures, and the answer says what to do", async (t) => {
  const world = await startWorld(t, { rooms: { onsale: { paths: ["/file/*"], permits: 0 } }, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const put = await upload(world, LOGO);
  assert.equal(put.status, 404);
  assert.match(put.text, /GROUNDS.*page_logo/);
  assert.equal((await fetch(new URL(`/__baton/images/${NAME}`, world.url))).status, 404);
});
