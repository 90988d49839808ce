// Two commands that build at once: one goes first, and what a command that was killed left behind holds nobody up.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { alone } from "../../scripts/alone.mjs";

/** Says "in", and is done when a line comes on its standard input. Says "waits" if it must wait. */
const WORKER = `
  import { alone } from ${JSON.stringify(new URL("../../scripts/alone.mjs", import.meta.url).href)};
  import { once } from "node:events";
  const work = async () => { console.log("in"); await once(process.stdin, "data"); };
  await alone(process.argv[1], work, (holder) => console.log("waits " + holder));
  console.log("out");
  process.exit();
`;

describe("one process at a time", () => {
  let folder;
  let file;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "baton-alone-"));
    file = path.join(folder, "deep", "building");
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Starts a process that works under the file. `says` resolves to its next line. */
  function worker(t) {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", WORKER, file], { stdio: ["pipe", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, says: async () => (await lines.next()).value, end: () => child.stdin.write("\n") };
  }

  it("lets the second begin when the first is done", async (t) => {
    const first = worker(t);
    assert.equal(await first.says(), "in");
    const second = worker(t);
    assert.equal(await second.says(), `waits ${first.child.pid}`);
    first.end();
    assert.equal(await first.says(), "out");
    assert.equal(await second.says(), "in");
    assert.equal(readFileSync(file, "utf8"), `${second.child.pid}`);
    second.end();
    assert.equal(await second.says(), "out");
    assert.ok(!existsSync(file));
  });

  it("goes on after a process that was killed", async (t) => {
    const first = worker(t);
    assert.equal(await first.says(), "in");
    const others = [worker(t), worker(t)];
    for (const other of others) assert.equal(await other.says(), `waits ${first.child.pid}`);
    first.child.kill("SIGKILL");
    await once(first.child, "exit");

    const next = await Promise.race(others.map(async (other) => ({ other, says: await other.says() })));
    assert.equal(next.says, "in");
    assert.equal(readFileSync(file, "utf8"), `${next.other.child.pid}`);
    for (const other of others) other.child.kill("SIGKILL");
    await Promise.all(others.map(({ child }) => once(child, "exit")));
  });

  it("takes what an earlier process left that had this one's number, or none that can be one", async () => {
    for (const left of [`${process.pid}`, "nonsense", "0"]) {
      writeFileSync(file, left);
      assert.equal(await alone(file, async () => readFileSync(file, "utf8"), assert.fail), `${process.pid}`);
    }
  });

  it("does one thing at a time within a process too, and gives way after a failure", async () => {
    const done = [];
    const failing = alone(
      file,
      async () => {
        await new Promise(setImmediate);
        done.push("first");
        throw new Error("it fails");
      },
      assert.fail,
    );
    const second = alone(file, async () => done.push("second"), assert.fail);
    await assert.rejects(failing, /it fails/);
    await second;
    assert.deepEqual(done, ["first", "second"]);
    assert.ok(!existsSync(file));
  });
});
