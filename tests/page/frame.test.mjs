import assert from "node:assert/strict";
import { test } from "node:test";
import { bound, decode, estimate } from "../../web/frame.js";
import { encodeFrame } from "./stub.mjs";

const bytes = (...list) => Uint8Array.from(list).buffer;

test("a frame is read byte by byte as docs/protocol.md says", () => {
  // mode paused, version 300, waiting 5, 1.5 s to 2 s a call, points (7, 0) and (12, 3)
  const frame = decode(bytes(1, 1, 0xac, 2, 5, 0xe0, 0xc6, 0x5b, 0x80, 0x89, 0x7a, 2, 7, 0, 5, 3));
  assert.deepEqual(frame, {
    mode: "paused", version: 300, waiting: 5, callLowUs: 1_500_000, callHighUs: 2_000_000,
    points: [{ number: 7, ahead: 0 }, { number: 12, ahead: 3 }],
  });
});

test("integers reach 2^53 - 1", () => {
  const max = Number.MAX_SAFE_INTEGER;
  assert.equal(decode(encodeFrame({ version: max, points: [[max, 4]] }).buffer).points[0].number, max);
  assert.equal(decode(encodeFrame({ version: max }).buffer).version, max);
});

const garbage = {
  "nothing": [],
  "a format of the future": [2, 0, 1, 0, 0, 0, 0],
  "a mode that does not exist": [1, 3, 1, 0, 0, 0, 0],
  "only a beginning": [1, 0, 1, 0],
  "an integer cut short": [1, 0, 0x80],
  "an integer past 2^53 - 1": [1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10, 0, 0, 0, 0],
  "an integer without end": [1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0],
  "fewer points than announced": [1, 0, 1, 5, 0, 0, 2, 7, 0],
  "a claim of very many points": [1, 0, 1, 5, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f],
  "bytes left over": [1, 0, 1, 5, 0, 0, 1, 7, 0, 0],
  "a number that does not rise": [1, 0, 1, 5, 0, 0, 2, 7, 0, 0, 0],
  "more people between two numbers than numbers": [1, 0, 1, 5, 0, 0, 2, 7, 0, 2, 3],
  "a range that runs backwards": [1, 0, 1, 5, 9, 8, 0],
  "points whose sum passes 2^53 - 1": [...encodeFrame({ points: [[Number.MAX_SAFE_INTEGER, 0]] }).with(6, 2), 1, 0],
};
for (const [name, list] of Object.entries(garbage)) {
  test(`refused: ${name}`, () => assert.equal(decode(bytes(...list)), null));
}

test("every proper beginning of a frame is refused", () => {
  const whole = encodeFrame({ version: 70_000, waiting: 900, low: 1000, high: 2000, points: [[200, 1], [5000, 700]] });
  for (let end = 0; end < whole.length; end++) assert.equal(decode(whole.slice(0, end).buffer), null, `${end} bytes`);
  assert.ok(decode(whole.buffer));
});

test("the bound follows the four rules", () => {
  const frame = { waiting: 50, points: [{ number: 10, ahead: 0 }, { number: 20, ahead: 4 }, { number: 30, ahead: 14 }] };
  const table = [[5, 0], [10, 0], [11, 1], [13, 3], [14, 4], [19, 4], [20, 4], [25, 9], [29, 13], [30, 14], [40, 24], [1000, 50]];
  for (const [number, ahead] of table) assert.equal(bound(frame, number), ahead, `number ${number}`);
  assert.equal(bound({ waiting: 50, points: [] }, 7), 0);
});

test("the estimate counts the visitor's own call too", () => {
  assert.deepEqual(estimate({ callLowUs: 1_000_000, callHighUs: 2_500_000 }, 3), [4, 10]);
  assert.equal(estimate({ callLowUs: 0, callHighUs: 0 }, 3), null);
});

test("of any line: never fewer than the people ahead, and exact at the points", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomOf(seed);
    const line = [];
    for (let number = 1 + random(1000); line.length < 1 + random(200); number++) if (random(3)) line.push(number);
    const listed = line.map((number, ahead) => [number, ahead]).filter((_, index) => index === 0 || random(10) === 0);
    const frame = decode(encodeFrame({ waiting: line.length, points: listed }).buffer);
    assert.ok(frame, `seed ${seed}`);
    line.forEach((number, ahead) => assert.ok(bound(frame, number) >= ahead, `seed ${seed}, number ${number}`));
    listed.forEach(([number, ahead]) => assert.equal(bound(frame, number), ahead, `seed ${seed}, number ${number}`));
  }
});

test("of random bytes: an answer, never an exception", () => {
  const random = randomOf(7);
  for (let round = 0; round < 20_000; round++) {
    const list = Array.from({ length: random(24) }, () => (random(2) ? random(256) : random(4)));
    const frame = decode(bytes(1, ...list));
    if (frame) assert.ok(Number.isSafeInteger(bound(frame, 5)), list.join());
  }
});

/** mulberry32: the same numbers for the same seed. */
function randomOf(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
