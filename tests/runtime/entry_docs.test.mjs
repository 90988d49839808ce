// What docs/entry.md tells a shop to do, done: its program and those that it names print a link, and the link lets its customer in.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { startWorld } from "./support/world.mjs";

const GUIDE = readFileSync(inRoot("docs", "entry.md"), "utf8");
const ENTRY_KEY = "a key that the shop shares with Baton";
/** By language: the program, and the file's name. Those without a runtime here are left out, but the first two. */
const RUNTIMES = {
  python: ["python3", "sign_entry.py"],
  js: [process.execPath, "sign_entry.mjs"],
  ruby: ["ruby", "sign_entry.rb"],
  php: ["php", "sign_entry.php"],
};
const NEEDED = ["python", "js"];

test("every program of the guide signs a link that is taken, in ten lines or so", async (t) => {
  const kid = /"kid":"([\w-]+)"/.exec(GUIDE)[1];
  const vars = { ENTRY_KEYS: JSON.stringify([{ kid, alg: "HS256", key: ENTRY_KEY }]) };
  const world = await startWorld(t, { vars, room: { entry: "required", permits: 0 } });
  for (const [language, [program, name]] of Object.entries(RUNTIMES)) {
    await t.test(language, async (sub) => {
      const text = readFileSync(inRoot("kits", "reference", name), "utf8");
      assert.ok(
        GUIDE.includes(name) || GUIDE.includes(`\`\`\`${language}\n${text.slice(text.indexOf("\n\n") + 2)}\`\`\``),
        "the guide has it, or leads there",
      );
      assert.ok(text.split("\n").filter((line) => line.trim()).length <= 12, "it is short");
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, AUDIENCE: `onsale@127.0.0.1:${world.baton.port}`, ENTRY_KEY, PAGE: world.url };
      const { status, stdout, stderr, error } = spawnSync(program, [inRoot("kits", "reference", name), `anna of ${language}`], {
        env,
        encoding: "utf8",
        timeout: 30_000,
      });
      if (error?.code === "ENOENT" && !NEEDED.includes(language)) return sub.skip(`there is no ${program} here`);
      assert.equal(status, 0, stderr);
      const visitor = world.visitor();
      const brought = await visitor.request(stdout.trim(), { headers: { accept: "text/html" } });
      assert.deepEqual([brought.status, brought.headers.location], [303, "/buy/"]);
      await visitor.arrive();
      assert.equal((await visitor.join()).status, 201);
    });
  }
});

test("the guide names every reason and every field", async () => {
  const source = readFileSync(inRoot("src", "facts", "entry.rs"), "utf8");
  const reasons = [...source.slice(source.lastIndexOf("refusals! {")).matchAll(/^ {4}\w+ (\w+);$/gm)].map(([, name]) => name);
  assert.ok(reasons.length >= 11, `${reasons}`);
  const table = GUIDE.slice(GUIDE.indexOf("| reason |"));
  const told = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  assert.deepEqual(told.sort(), reasons.sort());
});
