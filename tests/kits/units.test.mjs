// Each kit's own tests, by its language's test runner. All of them run the shared table, kits/vectors.json.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot, run } from "../../scripts/common.mjs";
import { guzzle, illuminate, lacking, minitest, node, php, phpunit, python, ruby, sqlite3 } from "./support/programs.mjs";

const KITS = {
  node: { needed: { node }, command: [node, "--test", "--test-reporter=tap"], ran: /# pass (\d+)\n# fail 0\n/ },
  python: {
    needed: { python },
    command: [python, "-m", "unittest"],
    env: { PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1" },
    ran: /Ran (\d+) tests[\s\S]*\nOK\n/,
  },
  ruby: {
    needed: { ruby, sqlite3, minitest },
    command: [ruby, "-e", 'Dir["./test/*_test.rb"].sort.each { |file| require file }'],
    ran: /(\d+) runs, \d+ assertions, 0 failures, 0 errors, 0 skips/,
  },
  php: { needed: { php, phpunit, guzzle, illuminate }, command: [phpunit, "--colors=never"], ran: /OK \((\d+) tests, / },
};

for (const [
  name,
  {
    needed,
    command: [program, ...args],
    env = {},
    ran,
  },
] of Object.entries(KITS)) {
  test(`the ${name} kit's own tests`, { skip: lacking(needed), timeout: 120_000 }, async () => {
    const { code, text } = await run(program, args, {
      cwd: inRoot("kits", name),
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
      quiet: true,
    });
    const count = Number(ran.exec(text)?.[1] ?? 0);
    assert.ok(code === 0 && count >= 10, `exit code ${code}, ${count} tests:\n${text}`);
  });
}
