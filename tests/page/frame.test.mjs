import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { diceOf } from "../../scripts/dice.mjs";
import { bound, decode, estimate } from "../../web/frame.js";
import { encodeFrame, leb } from "../support/frames.mjs";
import { aheadFromFrame, decodeFrame } from "../support/visitor.mjs";

const bytes = (...list) => Uint8Array.from(list).buffer;
const fromHex = (text) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const MAX = Number.MAX_SAFE_INTEGER;

test("the example of docs/client.md is read as it says", () => {
  const [, hex] = /^```\n((?:[0-9a-f]{2} )+[0-9a-f]{2})\n```$/m.exec(read("docs/client.md"));
  const { points, ...rest } = decode(fromHex(hex).buffer);
  assert.deepEqual(rest, {
    mode: "paused",
    behind: false,
    spreadS: 0,
    version: 300,
    waiting: 5,
    callLowUs: 1_500_000,
    callHighUs: 2_000_000,
    seatsTo: null,
  });
  assert.deepEqual(
    points.map(({ number, ahead }) => [number, ahead]),
    [
      [7, 0],
      [8, 1],
      [10, 2],
      [13, 3],
      [14, 4],
    ],
  );
});

// Made by `cargo test --test frame write_golden -- --ignored`: what the room's own reader makes of its frames.
for (const golden of JSON.parse(read("tests/fixtures/frames.json"))) {
  test(`the page and the tests' own visitor read as the room does: ${golden.name}`, () => {
    const data = fromHex(golden.bytes);
    const frame = decode(data.buffer),
      other = decodeFrame(data);
    for (const { mode, version, waiting, points } of [frame, other]) {
      const { points: count } = golden;
      assert.deepEqual([mode, version, waiting, points.length], [golden.mode, golden.version, golden.waiting, count]);
    }
    assert.deepEqual([frame.behind, other.behind], [golden.behind, golden.behind]);
    assert.deepEqual([frame.spreadS, other.spread_s], [golden.spread_s, golden.spread_s]);
    assert.deepEqual([frame.callLowUs, frame.callHighUs], golden.call_us);
    assert.deepEqual([other.call_us_low, other.call_us_high], golden.call_us);
    assert.deepEqual([frame.seatsTo, other.seats_to ?? null], [golden.seats_to, golden.seats_to]);
    for (const [number, ahead] of golden.ahead) {
      assert.equal(bound(frame, number), ahead, `number ${number}`);
      assert.equal(aheadFromFrame(other, number), ahead, `number ${number}`);
    }
  });
}

test("the high bit of the mode says that another lane is called first", () => {
  for (const read of [(list) => decode(bytes(...list)), (list) => decodeFrame(Uint8Array.from(list))]) {
    const [before, behind] = [read([1, 0, 0, 1, 0, 0, 0]), read([1, 128, 0, 1, 0, 0, 0])];
    assert.deepEqual([before.mode, before.behind, behind.mode, behind.behind], ["open", false, "open", true]);
  }
  assert.equal(decode(bytes(1, 135, 0, 1, 0, 0, 0)), null, "a mode that does not exist");
});

test("integers reach 2^53 - 1", () => {
  assert.equal(decode(encodeFrame({ version: MAX, line: [MAX] }).buffer).points[0].number, MAX);
  assert.equal(decode(encodeFrame({ version: MAX, line: [MAX] }).buffer).version, MAX);
});

const garbage = {
  nothing: [],
  "a format of the future": [2, 0, 0, 1, 0, 0, 0],
  "a mode that does not exist": [1, 7, 0, 1, 0, 0, 0],
  "only a beginning": [1, 0, 0, 1, 0],
  "an integer cut short": [1, 0, 0, 0x80],
  "an integer past 2^53 - 1": [1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10, 0, 0, 0],
  "an integer without end": [1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0],
  "a longer zero than any integer": [1, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0, 0, 0],
  "fewer points than people": [1, 0, 0, 1, 5, 0, 0, 7, 1],
  "a claim of very many people": [1, 0, 0, 1, ...leb(MAX), 0, 0, 7, 1, 1],
  "bytes left over": [1, 0, 0, 1, 1, 0, 0, 7, 0, 0],
  "a number of seats cut short": [1, 0, 0, 1, 1, 0, 0, 7, 0x80],
  "a first number of 0": [1, 0, 0, 1, 1, 0, 0, 0],
  "a number that does not rise": [1, 0, 0, 1, 2, 0, 0, 7, 0],
  "more people between two numbers than numbers": [1, 0, 0, 1, 104, 0, 0, ...Array(101).fill(1), 2],
  "a range that runs backwards": [1, 0, 0, 1, 0, 9, 8],
  "a number past 2^53 - 1": [1, 0, 0, 1, 2, 0, 0, ...leb(MAX), 1],
};
for (const [name, list] of Object.entries(garbage)) {
  test(`refused: ${name}`, () => {
    assert.equal(decode(bytes(...list)), null);
    assert.throws(() => assert.ok(decodeFrame(Uint8Array.from(list))));
  });
}
assert.ok(decode(bytes(1, 0, 0, 1, 104, 0, 0, ...Array(101).fill(1), 3)), "with as many numbers as people");

test("every proper beginning of a frame is refused", () => {
  const line = Array.from({ length: 6_000 }, (_, rank) => 200 + 2 * rank + (rank % 7 > 3 ? 1 : 0));
  const whole = encodeFrame({ version: 70_000, low: 1000, high: 2000, line });
  for (let end = 0; end < whole.length; end++) assert.equal(decode(whole.slice(0, end).buffer), null, `${end} bytes`);
  assert.ok(decode(whole.buffer));
});

test("the bound follows the four rules", () => {
  const points = [
    [10, 0, 255],
    [20, 4, 255],
    [30, 14, 255],
    [330, 114, 0],
    [430, 214, 255],
    [730, 314, 3],
  ];
  const frame = { waiting: 315, points: points.map(([number, ahead, slack]) => ({ number, ahead, slack })) };
  const table = [
    [5, 0],
    [10, 0],
    [11, 1],
    [13, 3],
    [14, 3],
    [19, 3],
    [20, 4],
    [25, 9],
    [29, 13],
    [30, 14],
    [31, 14],
    [33, 15],
    [180, 64],
    [329, 113],
    [330, 114],
    [429, 213],
    [431, 215],
    [433, 217],
    [434, 217],
    [436, 218],
    [729, 313],
    [730, 314],
    [731, 315],
    [1000, 315],
  ];
  for (const [number, ahead] of table) assert.equal(bound(frame, number), ahead, `number ${number}`);
  assert.equal(bound({ waiting: 0, points: [] }, 7), 0);
});

test("the estimate counts the visitor's own call too", () => {
  assert.deepEqual(estimate({ callLowUs: 1_000_000, callHighUs: 2_500_000 }, 3), [4, 10]);
  assert.equal(estimate({ callLowUs: 0, callHighUs: 0 }, 3), null);
});

test("of any line: never fewer than the people ahead, exact for a hundred, and near behind them", () => {
  for (let seed = 1; seed <= 120; seed++) {
    const random = randomOf(seed),
      holes = 10 + random(81),
      line = [];
    const count = seed % 10 ? 1 + random(400) : 7_000;
    for (let number = 1 + random(1000); line.length < count; number++) if (random(100) >= holes) line.push(number);
    const frame = decode(encodeFrame({ line }).buffer);
    assert.ok(frame, `seed ${seed}`);
    line.forEach((number, ahead) => {
      const shown = bound(frame, number),
        most = ahead < 100 ? ahead : ahead + Math.floor(ahead / 100) + 1;
      assert.ok(shown >= ahead && shown <= most, `seed ${seed}, number ${number}: ${ahead} ahead, ${shown} shown`);
    });
  }
});

test("of random bytes: an answer, never an exception", () => {
  const random = randomOf(7);
  for (let round = 0; round < 20_000; round++) {
    const list = Array.from({ length: random(16) }, () => (random(2) ? random(256) : random(4)));
    const frame = decode(bytes(1, ...list));
    if (frame) assert.ok(bound(frame, 5) <= frame.waiting, list.join());
  }
});

/** Whole numbers below what is asked for: the same for the same seed. */
function randomOf(seed) {
  const roll = diceOf(seed);
  return (below) => Math.floor(roll() * below);
}
