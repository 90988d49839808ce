// `npm run paths`: files that are no recordings, what a request was by either browser's word, and shops of each kind in small.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { inRoot, npmProgram, toolEnv, UserError } from "../../scripts/common.mjs";
import { pathsOf } from "../../scripts/paths.mjs";
import { readHar } from "../../scripts/paths/har.mjs";
import { pagePath, requestsOf } from "../../scripts/paths/request.mjs";
import { har } from "./har.mjs";

const said = (text) => {
  try {
    pathsOf("purchase.har", text);
  } catch (error) {
    assert.ok(error instanceof UserError, error.stack);
    return error.message;
  }
  return assert.fail("nothing was said");
};
const changed = (change) => {
  const log = JSON.parse(
    har([
      ["GET", "/"],
      ["POST", "/order"],
    ]),
  );
  change(log.log.entries);
  return JSON.stringify(log);
};

// Long because it is a table of wrong files.
test("a file that is no recording is refused with its place and the cure", () => {
  const wrong = [
    ["{", /^purchase\.har\S*: this is not JSON.*Cure: export the recording again/],
    ['{"log": {"entries": [}', /^purchase\.har\S*: this is not JSON/],
    [`${har([["GET", "/"]])}\n\n]`, /^purchase\.har:3:1: this is not JSON/],
    [har([["GET", "/"]]).slice(0, -9), /it ends in the middle|not JSON/],
    ["[]", /this is no recording/],
    ["null", /this is no recording/],
    ['{"log": {}}', /no list log\.entries.*Preserve log/],
    ['{"log": {"entries": []}}', /the recording is empty/],
    [
      changed((entries) => {
        delete entries[1].request.url;
      }),
      /log\.entries\[1\]: its request has no address/,
    ],
    [
      changed((entries) => {
        entries[0] = null;
      }),
      /log\.entries\[0\]/,
    ],
    [
      changed((entries) => {
        entries[1].response = {};
      }),
      /its answer has no status/,
    ],
    [
      changed((entries) => {
        entries[1].startedDateTime = "noon";
      }),
      /it has no time/,
    ],
    [
      changed((entries) => {
        entries[1].request.headers = [{ name: 4 }];
      }),
      /its headers are no list/,
    ],
    [
      changed((entries) => {
        entries[1].request.method = 7;
      }),
      /no method/,
    ],
    [
      har([
        ["GET", "/"],
        ["GET", "/thanks"],
      ]),
      /nothing was sent to shop\.test.*Preserve log/,
    ],
    [har([["POST", "/api/x", { kind: "call" }]]), /holds no page/],
    [
      har([
        ["GET", "/"],
        ["POST", "/order", { status: 422 }],
      ]),
      /nothing was sent/,
    ],
  ];
  for (const [text, sentence] of wrong) assert.match(said(text), sentence);
  assert.throws(
    () =>
      pathsOf(
        "purchase.har",
        har([
          ["GET", "/"],
          ["POST", "/order"],
        ]),
        { host: "other.test" },
      ),
    /no request to other\.test/,
  );
  assert.throws(() => readHar("day.har", JSON.stringify({ log: { entries: Array(50_001).fill({}) } })), /more than one purchase/);
});

test("a byte order mark, what never went to a server, and what was aborted do no harm", () => {
  const entries = readHar(
    "a.har",
    `\uFEFF${changed((all) => all.push({ ...all[0], request: { ...all[0].request, url: "data:text/plain,x" } }, { ...all[0], response: { status: 0 } }, { ...all[0], response: { status: -1 } }))}`,
  );
  assert.equal(requestsOf(entries).length, 2);
});

test("what a request was is read from Sec-Fetch-Dest, from Chromium's type, or from Accept and the answer", () => {
  const kinds = (requests) => requestsOf(readHar("a.har", har(requests))).map(({ kind }) => kind);
  assert.deepEqual(
    kinds([
      ["GET", "/"],
      ["GET", "/x", { kind: "call" }],
      ["GET", "/a.js", { kind: "file" }],
      ["GET", "/pay", { kind: "frame" }],
    ]),
    ["page", "call", "file", "frame"],
  );
  // Firefox over plain http: neither.
  const plain = { says: false };
  assert.deepEqual(
    kinds([
      ["GET", "/", { ...plain, headers: [["Accept", "text/html,*/*"]] }],
      ["GET", "/x", { ...plain, kind: "call", headers: [["Accept", "*/*"]] }],
      ["GET", "/y", { ...plain, mime: "text/css" }],
      ["GET", "/z.png", plain],
      [
        "POST",
        "/w",
        {
          ...plain,
          headers: [
            ["X-Requested-With", "XMLHttpRequest"],
            ["Accept", "text/html"],
          ],
        },
      ],
      ["OPTIONS", "/v", { ...plain, headers: [["Access-Control-Request-Method", "POST"]] }],
    ]),
    ["page", "call", "file", "file", "call", "preflight"],
  );
  assert.deepEqual(["/buy.data", "/buy/_.data", "/buy/__data.json", "/_next/data/b1/buy.json", "/_root.data", "/buy"].map(pagePath), [
    "/buy",
    "/buy",
    "/buy",
    "/buy",
    "/",
    "/buy",
  ]);
});

// Long because it writes down a whole recording.
// Written after what the network panel of Firefox 153 saves: no type, a time with its zone, fields beside the body, the headers of a form's parts among
// the request's own, empty redirects, and entries that never went anywhere.
test("what Firefox saves is read like what Chromium saves", () => {
  const firefox = (method, path, { headers = [], postData, status = 200, mime = "text/html", to = "" }, nth) => ({
    startedDateTime: `2026-11-27T22:17:5${nth}.494+01:00`,
    request: {
      bodySize: postData?.text.length ?? 0,
      method,
      url: path.includes(":") ? path : `http://shop.test${path}`,
      httpVersion: "HTTP/1.1",
      headers: headers.map(([name, value]) => ({ name, value })),
      cookies: [],
      queryString: [],
      headersSize: 335,
      postData,
    },
    response: { status, statusText: "", headers: [], cookies: [], content: { mimeType: mime, size: 9, text: "" }, redirectURL: to, bodySize: 9 },
    cache: {},
    timings: { blocked: 0, dns: 0, connect: 0, ssl: 0, send: 0, wait: 3, receive: 0 },
    time: 3,
    _securityState: "insecure",
    pageref: "page_0",
  });
  const html = ["Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"];
  const boundary = "----geckoformboundary1";
  const parts = `--${boundary}\r\nContent-Disposition: form-data; name="seats"\r\n\r\n2\r\n--${boundary}--\r\n`;
  const all = [
    ["GET", "/", { headers: [html] }],
    ["GET", "/keep.js", { headers: [["Accept", "*/*"]], status: 404 }],
    ["GET", "/buy/", { headers: [html] }],
    ["GET", "/seats", { headers: [["Accept", "*/*"]], mime: "application/json" }],
    [
      "POST",
      "/buy/cart",
      {
        headers: [html, ["Content-Type", `multipart/form-data; boundary=${boundary}`], ["Content-Disposition", 'form-data; name="seats"']],
        postData: { mimeType: `multipart/form-data; boundary=${boundary}`, params: [], text: parts },
        status: 303,
        to: "/buy/",
      },
    ],
    [
      "POST",
      "/buy/book",
      {
        headers: [html],
        postData: {
          mimeType: "application/x-www-form-urlencoded",
          params: [{ name: "seats", value: "1" }],
          text: "Content-Length: 7\r\n\r\nseats=1",
        },
        status: 303,
        to: "/buy/thanks/J-IaSz-_lGul",
      },
    ],
    ["GET", "/buy/thanks/J-IaSz-_lGul", { headers: [html] }],
    ["GET", "data:,", { mime: "text/plain;charset=US-ASCII" }],
    ["GET", "http://ads.test/pixel.gif", { status: 0, mime: undefined }],
  ].map(([method, path, more], nth) => firefox(method, path, more, nth));
  const text = JSON.stringify({
    log: {
      version: "1.2",
      creator: { name: "Firefox", version: "153.7.0" },
      browser: { name: "Firefox", version: "153.7.0" },
      pages: [],
      entries: all,
    },
  });
  const read = requestsOf(readHar("a.har", text));
  assert.deepEqual(
    read.map(({ kind }) => kind),
    ["page", "file", "page", "call", "page", "page", "page"],
  );
  assert.deepEqual(
    read.filter(({ method }) => method === "POST").map(({ fields, redirect }) => [fields, redirect.pathname]),
    [
      [["seats"], "/buy/"],
      [["seats"], "/buy/thanks/J-IaSz-_lGul"],
    ],
  );
  assert.equal(read[0].at_ms, Date.UTC(2026, 10, 27, 21, 17, 50, 494));
  const { paths, entrance, release, receipt } = pathsOf("a.har", text);
  assert.deepEqual(
    [paths, entrance.template, release.template, receipt.template],
    [["/buy", "/buy/cart/*", "/buy/book/*"], "/buy", "/buy/book", "/buy/thanks/*"],
  );
});

const SHOP = [
  ["GET", "/"],
  ["GET", "/fest"],
  ["POST", "/cart/add", { kind: "call", from: "/fest" }],
  ["GET", "/checkout/"],
];

test("queued work: the release belongs to the poll that says that the order is there", () => {
  const poll = (at) => ["GET", "/checkout/wait?job=7", { kind: "call", at, from: "/checkout/" }];
  const { release, report, paths } = pathsOf(
    "a.har",
    har([
      ...SHOP,
      ["POST", "/checkout/confirm", { kind: "call", from: "/checkout/" }],
      poll(5),
      poll(6),
      poll(7),
      ["GET", "/orders/AB3DE/?thanks=1", { at: 8 }],
    ]),
  );
  assert.equal(`${release.method} ${release.template}`, "GET /checkout/wait");
  assert.match(report, /once it says that the order is there/);
  assert.match(report, /A poll: GET \/checkout\/wait\?job=\* \(#6\), 3 times, every 1\.0 s/);
  assert.deepEqual(paths, ["/fest", "/cart/*", "/checkout/*"]);
});

test("payment on another site: the way back releases, and a bank's form is let through", () => {
  const { release, bypass, report } = pathsOf(
    "a.har",
    har([
      ...SHOP,
      ["POST", "/checkout/pay", { status: 303, to: "https://pay.example/x" }],
      ["GET", "https://pay.example/x"],
      ["POST", "https://pay.example/x"],
      ["POST", "/checkout/3ds", { headers: [["Sec-Fetch-Site", "cross-site"]], status: 303, to: "https://shop.test/checkout/return" }],
      ["GET", "/checkout/return", { status: 303, to: "https://shop.test/orders/AB3DE" }],
      ["GET", "/orders/AB3DE"],
    ]),
  );
  assert.equal(release.template, "/checkout/return");
  assert.deepEqual(bypass, ["POST /checkout/3ds"]);
  assert.match(report, /no browser records it.*bypass_paths as POST/);
});

test("what other pages read too, what reports, and another host of the site", () => {
  const call = (path, more) => ["GET", path, { kind: "call", ...more }];
  const { paths, report, open } = pathsOf(
    "a.har",
    har([
      ["GET", "/"],
      call("/api/menu"),
      ["GET", "/fest"],
      call("/api/menu"),
      ["POST", "/api/cart/items", { kind: "call" }],
      ["POST", "/api/track", { kind: "call" }],
      ["POST", "https://api.shop.test/seats", { kind: "call" }],
      ["POST", "/api/orders", { kind: "call" }],
      ["GET", "/thanks"],
      call("/api/menu"),
    ]),
  );
  assert.deepEqual(paths, ["/fest", "/api/cart/*", "POST /api/orders"]);
  assert.ok(open.some(({ path }) => path === "/api/track"));
  assert.match(report, /Another host of this site answers calls/);
});

test("a page that was read before is open in the checkout too, and a folder of everything is not gated whole", () => {
  const { paths, open } = pathsOf(
    "a.har",
    har([["GET", "/help"], ...SHOP, ["GET", "/help"], ["POST", "/api/v1/orders/7/pay", { kind: "call" }], ["GET", "/thanks"]]),
  );
  assert.deepEqual(paths, ["/fest", "/cart/*", "/checkout/*", "/api/v1/orders/*"]);
  assert.equal(open.filter(({ path }) => path === "/help").length, 2);
});

test("a purchase that begins without a page says so, with page_start as the cure", () => {
  const { report } = pathsOf(
    "a.har",
    har([
      ["POST", "/cart/add"],
      ["GET", "/checkout"],
      ["POST", "/checkout/confirm"],
      ["GET", "/thanks"],
    ]),
  );
  assert.match(report, /holds no page before it.*page_start/);
});

test("the command says what is wrong with a file in one sentence", () => {
  const run = (...args) =>
    spawnSync(npmProgram("node"), [inRoot("scripts", "paths.mjs"), ...args], { encoding: "utf8", env: toolEnv({ BATON_PREPARED: "1" }) });
  const none = run("no-such.har");
  assert.deepEqual([none.status, none.stderr.trim()], [1, "no-such.har cannot be read (ENOENT)."]);
  assert.equal(run().status, 2);
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-paths-"));
  try {
    const file = path.join(folder, "day.har");
    writeFileSync(file, "");
    // Without a block on the disk.
    truncateSync(file, 300 * 1024 * 1024);
    assert.match(run(file).stderr, /300 MB are too much to read; the most is 256\. Cure: record one purchase alone/);
    writeFileSync(file, har([...SHOP, ["POST", "/checkout/confirm", { form: { email: "zq@mail.test" } }], ["GET", "/thanks"]]));
    const scrub = run(file, "--scrub", path.join(folder, "shown.har"));
    assert.equal(scrub.status, 0, scrub.stderr);
    assert.doesNotMatch(readFileSync(path.join(folder, "shown.har"), "utf8"), /mail\.test|shop\.test/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
