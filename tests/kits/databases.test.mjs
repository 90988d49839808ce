// The kits on the servers that shops have: the fence guard on PostgreSQL and MariaDB, with connections that race, and the replay
// stores on these and on Redis. Each kit's are a file `servers` of its own, in its own language with its usual drivers. About 25 s.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRoot, run } from "../../scripts/common.mjs";
import { mariadbd, postgres, redisServer, startDatabases } from "./support/databases.mjs";
import { lacking, minitest, node, php, phpDrivers, phpunit, python, ruby, rubyDrivers, shopFile } from "./support/programs.mjs";

const KITS = {
  node: {
    needed: { node },
    command: [node, "--test", "--test-reporter=tap", "check/servers.mjs"],
    ran: /# pass (\d+)\n# fail 0\n[\s\S]*# skipped 0\n/,
  },
  python: {
    needed: { python },
    command: [python, "-m", "unittest", "tests.servers"],
    env: { PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1" },
    ran: /Ran (\d+) tests[\s\S]*\nOK\n/,
  },
  ruby: {
    needed: { ruby, minitest, rubyDrivers },
    command: [ruby, "test/servers.rb"],
    ran: /(\d+) runs, \d+ assertions, 0 failures, 0 errors, 0 skips/,
  },
  php: { needed: { php, phpunit, phpDrivers }, command: [phpunit, "--colors=never", "tests/Servers.php"], ran: /OK \((\d+) tests, / },
};
/** The fewest tests that a kit may have run. */
const TESTS_MIN = 9;
const lack = lacking({ redisServer, mariadbd, postgres });

test("the kits on Redis, MariaDB and PostgreSQL", { skip: lack, timeout: 240_000 }, async (t) => {
  const servers = await startDatabases(t);
  for (const [
    name,
    {
      needed,
      command: [program, ...args],
      env = {},
      ran,
    },
  ] of Object.entries(KITS)) {
    await t.test(`the ${name} kit`, { skip: lacking(needed) }, async () => {
      const told = {
        ...process.env,
        NODE_TEST_CONTEXT: undefined,
        BATON_TEST_SERVERS: JSON.stringify(servers),
        BATON_TEST_MODULES: shopFile("package.json"),
        ...env,
      };
      const { code, text } = await run(program, args, { cwd: inRoot("kits", name), env: told, quiet: true });
      const count = Number(ran.exec(text)?.[1] ?? 0);
      assert.ok(code === 0 && count >= TESTS_MIN, `exit code ${code}, ${count} tests:\n${text}`);
    });
  }
});
