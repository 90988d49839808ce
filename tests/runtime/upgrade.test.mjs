// Another version of the code over the same data while people wait, and back again: what docs/deploying.md promises of an
// upgrade and a roll-back. The other version is the build for fault tests: the same sources compiled to other code.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, workerDir } from "../../scripts/build.mjs";
import { exportJournal } from "../../scripts/export.mjs";
import { eventually, play } from "./harness.mjs";

/** The page's own way back after a lost socket: it tries until it is there again. */
const reconnected = (visitor) =>
  eventually(
    () =>
      visitor.openSocket({ resume: true }).then(
        () => true,
        () => false,
      ),
    { what: `${visitor.name} back on a socket` },
  );

async function changeTo(it, dir, people) {
  const before = people.map(({ number, ahead }) => ({ number, ahead }));
  const dropped = Promise.all(people.map((visitor) => visitor.waitFor(({ tab }) => tab.closed !== null, 30_000, { evenClosed: true })));
  await it.rt.restart({ signal: "SIGTERM", workerDir: dir });
  await dropped;
  await Promise.all(people.map(reconnected));
  for (const [at, { number, ahead }] of before.entries()) {
    assert.equal(people[at].number, number);
    assert.ok(people[at].ahead <= ahead, `number ${number}: ${ahead} were ahead, now ${people[at].ahead}`);
  }
}

async function nextGoesIn(holder, next) {
  await holder.request("/buy/release");
  await next.waitForState("called");
  assert.equal((await next.claimByLanding()).state, "shop");
}

play("an upgrade and a roll-back with a line standing: places, leases and order are kept, pages reconnect", { permits: 1 }, async (it) => {
  const other = workerDir({ faults: true });
  if (!process.env.BATON_AS_BUILT || !existsSync(path.join(other, "index_bg.wasm"))) await build({ faults: true });
  assert.ok(!readFileSync(path.join(other, "index_bg.wasm")).equals(readFileSync(path.join(workerDir(), "index_bg.wasm"))), "two versions");
  const holder = await it.holder();
  const line = await it.line(4);
  await changeTo(it, other, line);
  assert.equal((await holder.arrive()).state, "shop", "the pass is good");
  await nextGoesIn(holder, line[0]);
  line.push(await it.waiter());
  await changeTo(it, workerDir(), line.slice(1));
  assert.equal((await line[0].arrive()).state, "shop", "what was given by the other version is good after the way back");
  for (const [at, visitor] of line.slice(0, -1).entries()) await nextGoesIn(visitor, line[at + 1]);
});

play("an export goes on where it ended", { permits: 0 }, async (it) => {
  const out = path.join(os.tmpdir(), `baton-export-${process.pid}.jsonl`);
  const more = () => exportJournal({ url: it.rt.url, room: "onsale", token: it.token, out });
  try {
    await it.waiter();
    const first = await more();
    assert.ok(first.came > 0 && first.after === 0);
    const there = it.roomVersion();
    await it.waiter();
    await eventually(() => it.roomVersion() > there, { what: "a new row" });
    assert.equal((await more()).after >= first.came, true);
    const versions = readFileSync(out, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).version)
      .filter(Boolean);
    assert.deepEqual(
      versions,
      versions.map((_, at) => at + 1),
      "every row once, in order",
    );
  } finally {
    rmSync(out, { force: true });
  }
});
