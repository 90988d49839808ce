// The attack against a Baton of our own: everything is refused, nothing is left behind; and it notices a door that is open.

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { inRoot, npmProgram, run, toolEnv } from "../../scripts/common.mjs";
import { REQUESTS_MAX } from "./client.mjs";
import { startOrigin, startWorld } from "../runtime/support/world.mjs";

const LIMIT = { timeout: 120_000 };
const attack = (...flags) => run(npmProgram("node"), [inRoot("tests", "attack", "attack.mjs"), ...flags], { quiet: true, env: toolEnv() });
const requestsOf = (text) => Number(/with (\d+) requests/.exec(text)[1]);

/** What the room says of itself. */
async function report({ url, vars }) {
  const answer = await fetch(new URL("/__baton/admin/rooms/onsale", url), {
    headers: { authorization: `Bearer ${vars.BATON_ADMIN_TOKEN}`, "cf-connecting-ip": "192.0.2.1" },
  });
  return (await answer.json()).report;
}

const OPERATOR = { BATON_ADMIN_TOKEN: "an operator's token that nobody guesses" };

test("a Baton whose permits are taken: everything is refused, and no place is left behind", LIMIT, async (t) => {
  const world = await startWorld(t, { room: { permits: 1 }, vars: OPERATOR });
  const holder = world.visitor();
  await holder.arrive();
  await holder.arrive();
  const { code, text } = await attack("--url", world.baton.url);
  assert.equal(code, 0, text);
  assert.match(text, / 0 let in, 1 not tried/);
  assert.ok(requestsOf(text) > 80 && requestsOf(text) <= REQUESTS_MAX, text);
  const { waiting, inside } = await report(world);
  assert.deepEqual([waiting, inside], [0, 1]);
  assert.equal(world.shop.stats().refused, 0, "the shop was never asked for what has no proof");
});

test("a Baton with a free permit: the pass is tried too, and dies within its time", LIMIT, async (t) => {
  const world = await startWorld(t, { room: { permits: 1, pass_ttl_s: 2 }, vars: OPERATOR });
  const { code, text } = await attack("--url", world.baton.url, "--pass-ttl", "2");
  assert.equal(code, 0, text);
  assert.match(text, / 0 let in, 0 not tried/);
  assert.match(text, /her pass, once she has left +refused +refused after [\d.]+ s/);
  const { waiting, inside, hand, tray } = await report(world);
  assert.deepEqual([waiting, inside, hand + tray], [0, 0, 1]);
});

test("an open door is noticed: a proxy in front that answers one spelling by itself", LIMIT, async (t) => {
  const world = await startWorld(t, { room: { permits: 0 } });
  const leaky = await startOrigin(t, (request, response) => {
    if (request.url.startsWith("/Buy")) return response.end("<h1>Seats</h1>");
    const onward = http.request(
      { host: "127.0.0.1", port: world.baton.port, path: request.url, method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    return request.pipe(onward);
  });
  const { code, text } = await attack("--url", leaky.url);
  assert.equal(code, 1, text);
  assert.match(text, /c20 +spelt \/Buy\/ +LET IN +200/);
});

test("what it does not do: others' hosts unasked, sites that are no Baton, rooms that are not there", LIMIT, async (t) => {
  const plain = await startOrigin(t, (_request, response) => response.end("hello"));
  for (const [flags, why] of [
    [["--url", "https://tickets.example.com"], /not this machine.*--mine/],
    [["--url", plain.url], /not gated/],
    [[], /--url is missing/],
    [["--url", "ftp://localhost"], /http or https/],
    [["--url", plain.url, "--path", "buy"], /--path/],
    [["--url", plain.url, "--pass-ttl", "0"], /--pass-ttl/],
    [["--url", plain.url, "--fast"], /fast/],
    [["--url", "http://127.0.0.1:1"], /does not answer/],
  ]) {
    const { code, text } = await attack(...flags);
    assert.equal(code, 2, `${flags}: ${text}`);
    assert.match(text, why);
  }
  assert.ok(plain.requests.length <= 2, "it looks once, and goes");
});
