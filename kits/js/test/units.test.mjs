// What the app's side works out by itself: credentials of two answers at once, and frames.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { merged } from "../src/credentials.js";
import { readFrame } from "../src/frame.js";
import { Baton } from "../src/index.js";

test("what an answer changed is laid over what is kept", () => {
  for (const [kept, shown, answered, expected] of [
    ["", "", "visitor=a", "visitor=a"],
    ["visitor=a", "visitor=a", "visitor=a; onsale-pass=p", "visitor=a; onsale-pass=p"],
    ["visitor=a; onsale-pass=p", "visitor=a; onsale-pass=p", "visitor=a", "visitor=a"],
    // An answer to a request from before the pass takes no pass away.
    ["visitor=a; onsale-pass=p", "visitor=a", "visitor=a; onsale-ticket=t", "visitor=a; onsale-pass=p; onsale-ticket=t"],
    // Nor does one that ends an older pass end the newer.
    ["visitor=a; onsale-pass=new", "visitor=a; onsale-pass=old", "visitor=a", "visitor=a; onsale-pass=new"],
    [undefined, undefined, "", ""],
  ])
    assert.equal(merged(kept, shown, answered), expected);
});

test("frames are read as the table of frames says", () => {
  const frames = JSON.parse(readFileSync(new URL("../../../tests/fixtures/frames.json", import.meta.url), "utf8"));
  const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)).buffer;
  for (const { name, bytes: hex, version, waiting, ahead } of frames) {
    const frame = readFrame(bytes(hex));
    assert.deepEqual([frame.version, frame.waiting], [version, waiting], name);
    for (const [number, expected] of ahead) assert.equal(frame.ahead(number), expected, `${name}: ${number}`);
  }
});

test("what is no frame is not understood", () => {
  for (const bytes of [[], [2, 0, 0, 1], [1, 0, 0], [1, 0, 0, 255, 255], [1, 0, 0, 1, 200, 1]])
    assert.equal(readFrame(Uint8Array.from(bytes).buffer), undefined);
});

/** What Baton answers, call by call; `asked` is what the app asked. */
function answering(answers) {
  const asked = [];
  const fetch = async (url) => {
    asked.push(new URL(url).pathname.split("/").at(-1));
    const [status, json, headers] = answers.shift();
    return new Response(JSON.stringify(json), { status, headers });
  };
  return { asked, fetch };
}

const WAITING = { state: "waiting", number: 3, edition: 1, version: 1, ahead: 2, poll_after_s: 0.001, in: false };
const IN = { state: "admitted", number: 3, edition: 1, in: true };

test("a wait that is over leaves no listener at its signal", async () => {
  const { fetch, asked } = answering([...Array.from({ length: 20 }, () => [503, {}, { "retry-after": "0.001" }]), [200, IN]]);
  const { signal } = new AbortController();
  const listening = new Set();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (name, listener, options) => (listening.add(listener), add(name, listener, options));
  signal.removeEventListener = (name, listener) => (listening.delete(listener), remove(name, listener));
  await new Baton({ url: "https://shop.example", fetch, WebSocket: null }).enter("onsale", { signal });
  assert.deepEqual([asked.length, listening.size], [21, 0]);
});

test("a socket that is closed is no news: the line is asked when it said, not at once", async () => {
  class Closed {
    constructor() {
      setImmediate(() => this.onmessage({ data: JSON.stringify({ ...WAITING, version: 2 }) }));
      setImmediate(() => this.onclose());
    }
    close() {}
  }
  const { fetch, asked } = answering([
    [200, WAITING],
    [200, { protocols: ["baton.v1"] }],
    [200, WAITING],
    [200, IN],
  ]);
  await new Baton({ url: "https://shop.example", fetch, WebSocket: Closed }).enter("onsale");
  assert.deepEqual(asked, ["enter", "socket", "status", "enter"]);
});

test("with lanes the number that is told is the one within the lane", async () => {
  const lane = { name: "members", title: "Members", number: 12 };
  const { fetch } = answering([
    [200, { ...WAITING, number: 562_949_953_421_324, lane }],
    [200, WAITING],
    [200, IN],
  ]);
  const app = new Baton({ url: "https://shop.example", fetch, WebSocket: null });
  const told = [];
  app.on("number", (number, title) => told.push([number, title]));
  await app.enter("onsale");
  assert.deepEqual(told[0], [12, "Members"]);
});

test("among many who come at once the next call is due in the last of the seconds that the first is told", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const turn = () => new Promise(setImmediate);
  const { fetch, asked } = answering([
    [401, {}, { "retry-after": "8" }],
    [200, IN],
  ]);
  const entered = new Baton({ url: "https://shop.example", fetch, WebSocket: null }).enter("onsale");
  for (let turns = 0; turns < 20; turns += 1) await turn();
  t.mock.timers.tick(6_900);
  await turn();
  assert.deepEqual(asked, ["enter"]);
  t.mock.timers.tick(1_100);
  await entered;
  assert.deepEqual(asked, ["enter", "enter"]);
});
