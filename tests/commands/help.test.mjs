// Every `npm run …`: it explains itself before anything is installed, refuses a wrong flag with a sentence, and never shows a stack.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { helpOf, wrongFlag } from "../../scripts/command.mjs";
import { inRoot } from "../../scripts/common.mjs";

const { scripts } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
/** Two cores that are busy with the other tests are no reason to fail; a set-up or a build would take longer than this. */
const TIMEOUT_MS = 20_000;
/** What wrangler is asked for is wrangler's to judge. */
const OPEN = ["deploy", "way-out"];

/** Runs a command as npm does, with nothing that npm installed in reach. */
function command(name, ...args) {
  const [node, ...rest] = scripts[name].replace(/^exec /, "").split(" ");
  assert.equal(node, "node", `${name} is run by node`);
  const done = spawnSync(process.execPath, [...rest, ...args], {
    cwd: inRoot(),
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    env: { npm_lifecycle_event: name },
  });
  assert.equal(done.error, undefined, `${name} ${args.join(" ")} takes too long`);
  assert.doesNotMatch(done.stdout + done.stderr, /\n {4}at /, `${name} ${args.join(" ")} shows a stack`);
  return done;
}

for (const name of Object.keys(scripts)) {
  test(`npm run ${name} -- --help says what it is for and how it is called`, () => {
    const { status, stdout, stderr } = command(name, "--help");
    assert.equal(status, 0, stderr);
    assert.equal(stderr, "");
    const asked = ["start", "test"].includes(name) ? `npm ${name}` : `npm run ${name}`;
    assert.ok(stdout.includes(asked), `the text names ${asked}`);
    assert.ok(stdout.length > 120, "more than a name");
  });

  test(`npm run ${name} -- --no-such-flag is refused with 2 and a cure`, { skip: OPEN.includes(name) && "wrangler judges it" }, () => {
    const { status, stderr } = command(name, "--surely-no-such-flag=1");
    assert.equal(status, 2, stderr);
    assert.match(stderr, /--surely-no-such-flag/);
    assert.match(stderr, /--help/);
  });
}

test("what nobody foresaw is a sentence too, with 1; who mends it asks for the stack", (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-help-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "breaks.mjs");
  writeFileSync(file, '// `npm run breaks`: does.\n\nawait Promise.reject(new TypeError("the cat is on the roof"));\n');
  const run = (env) =>
    spawnSync(process.execPath, ["--import", "./scripts/command.mjs", file], {
      cwd: inRoot(),
      encoding: "utf8",
      env: { npm_lifecycle_event: "breaks", ...env },
    });
  const { status, stderr } = run({});
  assert.deepEqual([status, stderr], [1, "\nthe cat is on the roof\nNobody foresaw this. BATON_TRACE=1 before the command shows where it was.\n"]);
  assert.match(run({ BATON_TRACE: "1" }).stderr, /breaks\.mjs:3/);
});

test("a command's help is the comment with which its file begins, in either form", () => {
  assert.equal(helpOf("// `npm run x`: does.\n//\n//   npm run x -- --a\n\n// not this\ncode()"), "`npm run x`: does.\n\n  npm run x -- --a");
  assert.equal(helpOf("/*\n * Does.\n *\n *   npm run x\n */\ncode()"), "Does.\n\n  npm run x");
  assert.equal(helpOf("code()"), "");
});

test("a flag is right when the text names it, with --no- before it too, and behind -- everything is", () => {
  const help = "npm run x -- [--port 1] [--no-build] [--docs]";
  for (const args of [["--port", "2"], ["--port=2"], ["--build"], ["--no-build"], ["--no-docs"], ["word", "-", "-5"], ["--", "--other"]])
    assert.equal(wrongFlag(args, help), undefined, args.join(" "));
  assert.match(wrongFlag(["--prot", "2"], help), /^Unknown flag --prot\. Did you mean --port\?$/);
  assert.match(wrongFlag(["-p"], help), /-p/);
  assert.match(wrongFlag(["--port"], "no flags"), /It takes none\.$/);
});
