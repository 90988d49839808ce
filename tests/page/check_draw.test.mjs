// `npm run check-draw` from a file: a room of one line, and each lane of a room with lanes.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { check } from "../../scripts/draw.mjs";

const seed = "91".repeat(32);
const commitment = createHash("sha256").update(Buffer.from(seed, "hex")).digest("hex");
const drawOf = (entries, firstNumber) => ({
  draw: "arrival",
  seed,
  commitment,
  first_number: firstNumber,
  count: entries.length,
  entries: entries.map((entry) => [entry, entry]),
});
const [members, everybody] = [drawOf([2, 5], 1), drawOf([7], 4)];
const lanes = [
  { name: "early", title: "" },
  { name: "members", title: "Members", last: members },
  { name: "everybody", title: "", last: everybody },
];

/** What the command says of such an answer of the room. */
async function said(draws, ...args) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-draw-"));
  try {
    const file = path.join(folder, "draw.json");
    writeFileSync(file, JSON.stringify({ room: "onsale", ...draws }));
    const lines = [];
    const right = await check([file, ...args], (line) => lines.push(line));
    return [right, ...lines];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("each lane's draw is done again by its name, everybody's without one", async () => {
  const told = { last: everybody, lanes };
  assert.deepEqual(await said(told, "--lane", "members", "5", "7"), [
    true,
    "room onsale, lane members: arrival, 2 entries got the numbers 1 to 2",
    `the seed is the one that was committed to: ${commitment}`,
    "entry 5 got number 2",
    "entry 7 took no part",
  ]);
  assert.deepEqual((await said(told, "7", "--lane", "everybody")).at(-1), "entry 7 got number 4");
  assert.deepEqual((await said(told, "7")).slice(1, 2), ["room onsale: arrival, 1 entries got the numbers 4 to 4"]);
});

test("a draw that is not the one that was committed to, a lane that is none, and one that has not drawn are said so", async () => {
  const forged = { ...members, commitment: "00".repeat(32) };
  const [right, , word] = await said({ lanes: [{ name: "members", title: "", last: forged }] }, "--lane", "members");
  assert.deepEqual([right, word], [false, `WRONG: the seed does not fit what was committed to: ${"00".repeat(32)}`]);
  await assert.rejects(said({ lanes }, "--lane", "press"), /no lane press. Cure: name one of early, members, everybody/);
  await assert.rejects(said({ last: members }, "--lane", "members"), /leave --lane out/);
  await assert.rejects(said({ lanes }, "--lane", "early"), /room onsale, lane early has not drawn yet/);
  await assert.rejects(said({ lanes }, "--lane"), /--lane names no lane/);
});
