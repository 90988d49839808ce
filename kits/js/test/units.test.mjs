// What the app's side works out by itself: credentials of two answers at once, and frames.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { merged } from "../src/credentials.js";
import { readFrame } from "../src/frame.js";

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
  ]) assert.equal(merged(kept, shown, answered), expected);
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
  for (const bytes of [[], [2, 0, 1], [1, 0], [1, 0, 255, 255], [1, 0, 1, 200, 1]]) assert.equal(readFrame(Uint8Array.from(bytes).buffer), undefined);
});
