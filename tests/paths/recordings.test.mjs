// `npm run paths` on recordings of real purchases, each with the right answer known (answers.mjs).

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { readSteps } from "../../scripts/find_permits/steps.mjs";
import { pathsOf } from "../../scripts/paths.mjs";
import { askConfig, wranglerConfig } from "../../scripts/settings.mjs";
import { tomlOf } from "../../scripts/toml.mjs";
import { ANSWERS } from "./answers.mjs";

const textOf = (name) => readFileSync(inRoot("tests", "paths", "recordings", `${name}.har`), "utf8");
const found = (name) => pathsOf(`${name}.har`, textOf(name));
const addressOf = ({ method, template }) => `${method} ${template}`;

test("each recording has its answer, and each answer its recording and a row in the docs", () => {
  assert.deepEqual(
    readdirSync(inRoot("tests", "paths", "recordings")).sort(),
    Object.keys(ANSWERS)
      .map((name) => `${name}.har`)
      .sort(),
  );
  const docs = readFileSync(inRoot("docs", "paths.md"), "utf8");
  for (const { what } of Object.values(ANSWERS)) assert.ok(docs.includes(`| ${what} |`), what);
});

for (const [name, right] of Object.entries(ANSWERS)) {
  test(`${name}: what to gate, where it begins, where the release belongs`, () => {
    const { paths, bypass, entrance, release, receipt, report, open } = found(name);
    assert.deepEqual(
      { paths, bypass, entrance: addressOf(entrance), release: addressOf(release), receipt: receipt?.template ?? null },
      { paths: right.paths, bypass: right.bypass ?? [], entrance: right.entrance, release: right.release, receipt: right.receipt },
    );
    assert.equal(entrance.loaded !== undefined, right.isDrawn ?? false);
    assert.equal(release.route, right.route ?? "");
    for (const address of right.open)
      assert.ok(
        open.some((each) => addressOf(each) === address),
        `${address} is open, among ${open.map(addressOf).join(", ")}`,
      );
    for (const words of right.says) assert.match(report, words);
  });

  // Where paths cannot tell, there is no room.
  if (right.paths.length > 0)
    test(`${name}: check-config takes the room, which gates what was to be gated and nothing that was open`, async () => {
      const { room, gated, open, mixed, entrance, loadedIsGated } = found(name);
      const { ROOMS } = tomlOf("room.toml", room).vars;
      const vars = { ...wranglerConfig().vars, ROOMS };
      const { status, stdout, stderr } = await askConfig(vars);
      assert.equal(status, 0, stdout + stderr);
      const isMixed = (each) => mixed.some((other) => addressOf(other) === addressOf(each));
      const asked = async ({ method, path }) => (await askConfig(vars, { method, path })).stdout.split("\n")[0];
      for (const each of gated.filter((one) => !isMixed(one))) assert.match(await asked(each), /: room onsale$/);
      for (const each of open.filter((one) => !isMixed(one) && one.template !== right.receipt && !(loadedIsGated && one === entrance.loaded)))
        assert.match(await asked(each), /without a pass/);
    });

  test(`${name}: find-permits takes the steps, which lead from the entrance to the receipt`, () => {
    const { steps, entrance, release } = found(name);
    const { steps: read } = readSteps("checkout.toml", steps);
    assert.ok(read.length >= 2);
    assert.ok(read[0].name.endsWith(addressOf(entrance.loaded ?? entrance)), read[0].name);
    assert.ok(
      release.method === "GET" || read.some((step) => step.name.endsWith(addressOf(release))),
      `${addressOf(release)} in ${read.map((step) => step.name).join("; ")}`,
    );
  });
}
