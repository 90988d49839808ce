// Thousands of spellings of an address through Baton, judged by another parser: Node's `URL`, which follows the URL standard as
// browsers do. An address that it finds to be the origin's must lead to the same place at Baton; every other must stay as it is.

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { diceOf, pick as pickOf } from "../../scripts/dice.mjs";
import { startOrigin, startWorld } from "./support/world.mjs";

const TRIES = 6_000;
const SEED = Number(process.env.BATON_SEED ?? 20);

/** Hosts that are the origin's to a browser though nobody writes them so. They may be left; then they lead to a closed door. */
const EXOTIC = ["127.1", "0x7f.0.0.1", "2130706433", "127.0.0.%31", "127.0.0.1%2e", "１27.0.0.1"];

function address(pick, { port }) {
  const host = pick([
    ...Array(12).fill("127.0.0.1"),
    "127.0.0.1.",
    "127.0.0.1.evil.example",
    "127.0.0.2",
    "evil.example",
    "[::1]",
    "[::ffff:7f00:1]",
    "localhost",
    "",
    ...EXOTIC,
  ]);
  const text = [
    pick(["", "", "", " ", "\t"]),
    pick([...Array(8).fill("http:"), "HTTP:", "hTTp:", "https:", "", "", "ws:", "ftp:", "javascript:", "x-http:", "http", ":", "ht\ttp:"]),
    pick(["//", "//", "//", "//", "///", "\\\\", "/\\", "\\/", "/", "\\", "", "/\t/"]),
    pick(["", "", "", "u@", "u:p@", "@", ":@", "a@b@", "evil.example@", "evil.example:80@", "u%40@", "/@", "?@", "#@", "\\@"]),
    host,
    pick([...Array(8).fill(`:${port}`), `:0${port}`, `:${port}0`, ":", "", ":80", ":x", `:${port}:1`]),
    pick([
      "",
      "/",
      "/a/b?c=d#e",
      "?q=1",
      "#f",
      "\\x",
      "\\@evil.example/",
      "@evil.example/",
      "/..//x",
      "/%2f%2e",
      `/to?u=http://127.0.0.1:${port}/`,
      "/\u00e9",
      " ",
      "/ x",
    ]),
  ].join("");
  return { text, isExotic: EXOTIC.includes(host) };
}

const parsed = (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null);

/** What `URL` makes of it: the address, if it is an absolute one of the origin's. */
function originsOwn(text, origin) {
  const url = parsed(text, `${origin}/page`);
  const elsewhere = parsed(text, "http://elsewhere.example/page");
  return url?.origin === origin && elsewhere?.origin === origin ? url : null;
}

test(`no spelling of an address is taken for another's (seed ${SEED})`, { timeout: 120_000 }, async (t) => {
  const origin = await startOrigin(t, (request, response) => {
    response.setHeader("location", Buffer.from(new URL(request.url, "http://x").searchParams.get("to"), "base64url").toString("latin1"));
    response.writeHead(302).end();
  });
  const { baton } = await startWorld(t, { origin: origin.url });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  t.after(() => agent.destroy());
  const relayed = (text) =>
    new Promise((resolve, reject) => {
      const to = Buffer.from(text, "utf8").toString("base64url");
      http
        .get(`${baton.url}/open?to=${to}`, { agent }, (answer) => {
          answer.resume().on("end", () => resolve(Buffer.from(answer.headers.location, "latin1").toString("utf8")));
        })
        .on("error", reject);
    });
  const roll = diceOf(SEED);
  const pick = (list) => pickOf(roll, list);
  const seen = { moved: 0, left: 0 };
  const judge = async ({ text, isExotic }) => {
    const got = await relayed(text);
    const own = originsOwn(text, origin.url);
    // HTTP takes blanks off a value's ends.
    const isLeft = got === text.trim();
    if (own === null) return assert.ok(isLeft, `${JSON.stringify(text)} is not the origin's and became ${JSON.stringify(got)}`);
    if (isLeft && isExotic) return undefined;
    const now = parsed(got);
    assert.equal(now?.origin, baton.url, `${JSON.stringify(text)} is the origin's and became ${JSON.stringify(got)}`);
    const rest = ({ pathname, search, hash, username, password }) => [pathname, search, hash, username, password];
    assert.deepEqual(rest(now), rest(own), JSON.stringify(text));
    seen.moved += 1;
    return undefined;
  };
  for (let tried = 0; tried < TRIES; tried += 100) {
    const all = Array.from({ length: 100 }, () => address(pick, origin));
    await Promise.all(all.map(judge));
  }
  seen.left = TRIES - seen.moved;
  assert.ok(seen.moved > TRIES / 10 && seen.left > TRIES / 2, JSON.stringify(seen));
});
