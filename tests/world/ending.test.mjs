// What a part of the world opened is closed, however the part ends.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { withEnding } from "./ending.mjs";

/** Opens two things, says so, and ends by no means of its own. */
const OPENS = `
import { withEnding } from ${JSON.stringify(inRoot("tests", "world", "ending.mjs"))};
await withEnding(async (t) => {
  for (const each of ["first", "second"]) t.after(async () => console.log("closed " + each));
  console.log("open");
  await new Promise((resolve) => setTimeout(resolve, 1e6));
});
`;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  test(`${signal} closes all, the last first`, async () => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", OPENS], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
      if (said === "open\n") child.kill(signal);
    });
    const [code] = await once(child, "close");
    assert.equal(said, "open\nclosed second\nclosed first\n");
    assert.equal(code, 128 + os.constants.signals[signal]);
  });

test("a failure closes all, and one that does not close hides no other", async () => {
  const closed = [];
  const failing = withEnding((t) => {
    t.after(() => closed.push("first"));
    t.after(() => Promise.reject(new Error("stays open")));
    t.after(() => closed.push("third"));
    throw new Error("the play");
  });
  await assert.rejects(failing, /stays open/);
  assert.deepEqual(closed, ["third", "first"]);
});
