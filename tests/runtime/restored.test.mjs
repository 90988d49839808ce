// A backup is restored: what people were told since is not in the data. Nobody is told anything false, nothing is given twice once it is known, and
// it is known at the first ticket.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { audited, journalOf } from "../support/audit.mjs";
import { coded } from "../support/logs.mjs";
import { eventually, raw, startWorld } from "./support/world.mjs";

const TOKEN = "operator-operator-operator-operator";

async function begin(t, room) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), "baton-restored-"));
  const backup = `${dataDir}-backup`;
  t.after(() => [dataDir, backup].forEach((dir) => rmSync(dir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 })));
  const world = await startWorld(t, { room: { permits: 1, lease_idle_s: 600, ...room }, vars: { BATON_ADMIN_TOKEN: TOKEN }, runtime: { dataDir } });
  const copied = async (from, to) => {
    await world.baton.kill("SIGTERM");
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true });
    await world.baton.restart();
  };
  return {
    ...world,
    logs: () => world.baton.logs(),
    keep: () => copied(dataDir, backup),
    restore: () => copied(backup, dataDir),
    metric: async (name) => {
      const { body } = await raw(world.baton.port, "/__baton/metrics", { headers: { authorization: `Bearer ${TOKEN}` } });
      return Number(new RegExp(`^baton_${name}\\{room="onsale"\\} (\\d+)$`, "m").exec(body)?.[1]);
    },
  };
}

async function joined(world) {
  const visitor = world.visitor();
  await visitor.arrive();
  const { json } = await visitor.join();
  return { visitor, number: json.number };
}

test("who joined after the backup is not told of a carried place, and no number is given twice from there on", { timeout: 120_000 }, async (t) => {
  const world = await begin(t);
  const holder = world.visitor();
  const { fence } = await holder.arrive();
  const early = await joined(world);
  await world.keep();
  const late = await joined(world);
  const later = await joined(world);
  const socketed = await joined(world);
  await world.restore();
  const twice = await joined(world);
  assert.equal(twice.number, late.number, "nobody can know yet");
  const again = (await late.visitor.join()).json;
  assert.equal(again.state, "waiting", JSON.stringify(again));
  assert.ok(again.number > 10_000, "numbers go on past all that were given");
  assert.ok((await later.visitor.join()).json.number > again.number);
  await socketed.visitor.openSocket({ resume: true });
  assert.equal(socketed.visitor.state, "none", "and by a socket, too");
  await socketed.visitor.openSocket();
  await socketed.visitor.waitForState("waiting");
  await socketed.visitor.leave();
  assert.equal((await early.visitor.join()).json.number, early.number, "who is in the backup keeps the place");
  assert.equal((await twice.visitor.join()).json.number, twice.number);
  await eventually(() => coded(world.logs(), "rolled_back").length > 0, { what: "the line in the log" });
  assert.deepEqual(
    coded(world.logs(), "rolled_back").map(({ level, room, count }) => [level, room, count]),
    [["error", "onsale", 1]],
  );
  assert.equal(await world.metric("rolled_back_total"), 1);
  const newcomer = await joined(world);
  assert.ok(newcomer.number > again.number);
  await holder.leave();
  const called = await eventually(async () => (await early.visitor.arrive()).fence, { what: "the next one's lease" });
  assert.ok(called > fence, `${called} comes after ${fence}`);
  const { sound, text } = await audited(await journalOf({ url: world.baton.url, token: TOKEN }));
  assert.ok(sound, text);
});

test("another generation or location begins in another edition, and its fences are greater", { timeout: 120_000 }, async (t) => {
  const world = await begin(t);
  const { onsale } = world.vars.ROOMS;
  const firstPass = async () => {
    const {
      json: { headers },
    } = await world.visitor().arrive("/buy/echo");
    return { ticket: headers["baton-ticket"], edition: headers["baton-edition"], fence: Number(headers["baton-fence"]) };
  };
  const passes = [await firstPass()];
  for (const home of [{ location: "wnam" }, { generation: 2 }, { generation: 2, location: "wnam" }]) {
    await world.baton.restart({ vars: { ROOMS: { onsale: { ...onsale, ...home } } } });
    passes.push(await firstPass());
  }
  assert.deepEqual(
    passes.map(({ ticket }) => ticket),
    ["1", "1", "1", "1"],
    "each is a new, empty room",
  );
  assert.deepEqual(
    passes.map(({ edition }) => edition),
    ["1", "1001", "64001", "65001"],
  );
  const fences = passes.map(({ fence }) => fence);
  assert.deepEqual(
    fences,
    fences.toSorted((a, b) => a - b),
    "in the order in which they were given",
  );
  assert.equal(new Set(fences).size, fences.length);
  const { sound, text } = await audited(await journalOf({ url: world.baton.url, token: TOKEN }));
  assert.ok(sound, text);
});
