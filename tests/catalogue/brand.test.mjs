// Attacks by way of a room's brand: whatever an operator writes or uploads, or somebody with an operator's token, runs nowhere.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request } from "node:http";
import { readFile } from "node:fs/promises";
import { inRoot } from "../../scripts/common.mjs";
import { catalogue, each, PAGE } from "./stage.mjs";

const VIEW = "a token to look with that nobody guesses";
const sha256 = createHash("sha256").update(VIEW).digest("hex");
const row = catalogue({ vars: { GROUNDS: { paths: ["/*"] }, OPERATORS: [{ name: "mika", role: "view", sha256 }] } });
const LOGO = await readFile(inRoot("tests", "fixtures", "images", "logo.png"));
const HTML = "<script>alert(document.domain)</script>";

/** An operator's call: `{ status, headers, body }`. */
const operator =
  (it) =>
  (path, { method = "GET", body, headers = {}, token = it.secrets.BATON_ADMIN_TOKEN } = {}) =>
    it.rawAt(`/__baton/admin/${path}`, { method, body, headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers } });
const put = (it, bytes, options) => operator(it)("images", { method: "PUT", body: bytes, ...options });
const brand = (it, table) => operator(it)(`house/brands/${it.room}`, { method: "PUT", body: JSON.stringify(table) });

row("c176_a_picture_that_is_a_page: SVG, HTML and whatever else can run is none, whatever it is called", {}, async (it) => {
  const pages = [
    `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`,
    `<?xml version="1.0"?><svg>${HTML}</svg>`,
    `<!doctype html>${HTML}`,
    `\uFEFF<svg/>`,
    HTML,
    "%PDF-1.7",
    "GIF89a",
  ];
  await each(pages, async (page) => {
    for (const type of ["image/png", "image/svg+xml", "text/html"]) {
      const answer = await put(it, page, { headers: { "content-type": type } });
      assert.equal(answer.status, 400, page);
      assert.match(answer.body, /no PNG, JPEG or WebP/);
    }
  });
  for (const name of ["logo.svg", `${"0".repeat(32)}.svg`, `${"0".repeat(32)}.html`, "..%2f..%2fadmin", `${"0".repeat(32)}.png/x`]) {
    assert.equal((await it.rawAt(`/__baton/images/${name}`)).status, 404, name);
  }
});

row("c177_a_picture_that_is_a_page_as_well: with something in front of it or behind its end it is none", {}, async (it) => {
  const both = [
    Buffer.concat([LOGO, Buffer.from(HTML)]),
    Buffer.concat([LOGO, Buffer.from("PK\x05\x06")]),
    Buffer.concat([Buffer.from(HTML), LOGO]),
    LOGO.subarray(0, -1),
  ];
  await each(both, async (bytes) => assert.equal((await put(it, bytes)).status, 400));
  // Within a picture a text is data: it is sent as a picture, which nothing may guess to be another type, and under a policy that runs nothing.
  const { name } = JSON.parse((await put(it, LOGO)).body);
  const answer = await it.rawAt(`/__baton/images/${name}`, {
    headers: { authorization: `Bearer ${it.secrets.BATON_ADMIN_TOKEN}`, accept: "text/html" },
  });
  assert.deepEqual(
    ["content-type", "x-content-type-options"].map((header) => answer.headers[header]),
    ["image/png", "nosniff"],
  );
  assert.match(answer.headers["content-security-policy"], /^default-src 'none'/);
});

row("c178_a_link_that_runs: javascript, data and other sites' pictures are no addresses of a page", { permits: 0 }, async (it) => {
  const links = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "http://evil.example",
    "//evil.example",
    "/\\evil.example",
    "https:\\\\evil.example",
  ];
  await each(links, async (link) => assert.equal((await brand(it, { page_help_url: link })).status, 400, link));
  await each(["https://evil.example/x.png", "//evil.example/x.png", "javascript:x", "data:text/html,x"], async (logo) =>
    assert.equal((await brand(it, { page_logo: logo })).status, 400, logo),
  );
});

row("c179_a_colour_that_is_more: six digits and nothing else reach a style sheet", { permits: 0 }, async (it) => {
  const colours = [
    "#1f6f66}*{background:url(//evil.example)}",
    "red",
    "#fff",
    "url(//evil.example)",
    "#1f6f66;--x:1",
    "</style><script>alert(1)</script>",
    "#12345G",
    "var(--x)",
    { "#": 1 },
    7,
  ];
  await each(colours, async (accent) => {
    for (const shade of ["light", "dark"])
      assert.equal((await brand(it, { page_colours: { [shade]: { accent } } })).status, 400, JSON.stringify(accent));
  });
  assert.equal((await brand(it, { page_colours: { "light){}": { accent: "#1f6f66" } } })).status, 400);
  assert.equal((await brand(it, { page_colours: { light: { "x:red;--accent": "#1f6f66" } } })).status, 400);
});

row("c180_a_text_that_is_markup: on the page it is text, in every place", { permits: 0 }, async (it) => {
  const texts = Object.fromEntries(
    ["title", "message", "hall", "waiting", "paused", "closed", "sold_out"].map((name) => [name, `"><img src=x onerror=alert(1)>{{status}}'`]),
  );
  const answer = await brand(it, { page_title: HTML.slice(0, 80), page_message: `</p>${HTML}<!--`, page_texts: { ja: texts } });
  assert.equal(answer.status, 200, answer.body);
  for (const [language, sign] of [
    ["en", "&lt;script&gt;"],
    ["ja", "onerror"],
  ]) {
    let page;
    for (let at = 0; at < 60 && !page?.body.includes(sign); at++)
      page = await it.raw("", { headers: { ...PAGE, "sec-fetch-dest": "document", "accept-language": language } });
    assert.ok(page.body.includes(sign), "it is on the page");
    assert.ok(!/<img src=x|<script>alert|<\/p><script/.test(page.body), page.body.slice(0, 2_000));
    assert.ok(!/unsafe|https:/.test(page.headers["content-security-policy"]));
  }
});

row("c181_a_gigabyte: what is too long is refused before it is read, and what does not say how long it is", {}, async (it) => {
  const answered = (headers) =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          port: it.port,
          host: "127.0.0.1",
          method: "PUT",
          path: "/__baton/admin/images",
          headers: { authorization: `Bearer ${it.secrets.BATON_ADMIN_TOKEN}`, ...headers },
        },
        (answer) => {
          resolve(answer.statusCode);
          sent.destroy();
        },
      );
      sent.on("error", reject);
      // The head alone: if the body were waited for, no answer would come.
      sent.flushHeaders();
    });
  assert.equal(await answered({ "content-length": 1_000_000_000 }), 413);
  assert.equal(await answered({ "content-length": 200_001 }), 413);
  assert.equal(await answered({ "transfer-encoding": "chunked" }), 400);
  const large = Buffer.from(LOGO);
  large.writeUInt32BE(100_000, 16);
  assert.equal((await put(it, large)).status, 400);
});

row(
  "c182_pictures_by_who_may_not: a view role, a guess or nobody uploads, deletes and lists none, and nobody makes the house look for one",
  {},
  async (it) => {
    const { name } = JSON.parse((await put(it, LOGO)).body);
    for (const [token, status] of [
      [VIEW, 403],
      ["a guess of somebody who has no token", 401],
      [null, 401],
    ]) {
      assert.equal((await put(it, LOGO, { token })).status, status);
      assert.equal((await operator(it)(`images/${name}`, { method: "DELETE", token })).status, status);
      assert.equal((await operator(it)(`house/brands/${it.room}`, { method: "PUT", body: "{}", token })).status, status);
    }
    assert.equal((await operator(it)("images", { token: null })).status, 401);
    assert.equal((await operator(it)("images", { token: VIEW })).status, 200);
    assert.equal((await it.rawAt(`/__baton/images/${name}`)).status, 404, "no page shows it");
    const foreign = await put(it, LOGO, { headers: { origin: "https://evil.example" } });
    assert.equal(foreign.status, 403);
  },
);
