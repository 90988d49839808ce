// What continuous integration does: a pull request runs `npm test`, each night runs everything, and a release waits for that. Every command and file that
// a workflow names is there.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { inRoot } from "../../scripts/common.mjs";

const folder = [".github", "workflows"];
const workflows = Object.fromEntries(readdirSync(inRoot(...folder)).map((name) => [name, parse(readFileSync(inRoot(...folder, name), "utf8"))]));
const jobs = Object.entries(workflows).flatMap(([file, { jobs: own }]) => Object.entries(own).map(([name, job]) => ({ file, name, job })));
const commands = ({ steps = [] }) => steps.map(({ run }) => run).filter(Boolean);

test("a pull request runs npm test, each night runs everything, and a release waits for that", () => {
  const { "test.yml": change, "everything.yml": all, "release.yml": release } = workflows;
  assert.ok("pull_request" in change.on);
  assert.ok(commands(change.jobs.test).includes("npm test"));
  assert.match(all.on.schedule[0].cron, /^\d+ \d+ \* \* \*$/);
  assert.ok("workflow_call" in all.on);
  assert.ok(commands(all.jobs.everything).includes(".ci/run"));
  assert.deepEqual(release.on.push.tags, ["v*"]);
  assert.equal(release.jobs[release.jobs.release.needs].uses, "./.github/workflows/everything.yml");
});

test("each command and file that a workflow names is there, and each job ends", () => {
  const { scripts } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  for (const { file, name, job } of jobs) {
    const where = `${file}: ${name}`;
    if (job.uses) {
      assert.ok(existsSync(inRoot(job.uses)), where);
      continue;
    }
    assert.ok(job["timeout-minutes"] > 0, `${where} has no time limit`);
    const text = commands(job).join("\n");
    for (const [, run, short] of text.matchAll(/\bnpm (?:run ([\w:-]+)|(\w+))/g))
      assert.ok((run ?? short) in scripts, `${where}: npm ${run ?? short}`);
    for (const [own] of text.matchAll(/(?<![\w./-])\.ci\/\S+/g)) assert.ok(existsSync(inRoot(own)), `${where}: ${own}`);
  }
});

test("only a release may write", () => {
  for (const [file, { permissions }] of Object.entries(workflows)) {
    if (file !== "release.yml") assert.deepEqual(permissions, { contents: "read" }, file);
  }
});
