// The pages of shops that others wrote, without the shops: each has the parts that `npm run check-world -- shops` follows, a room that check-config takes, and
// steps that find-permits reads.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readSteps } from "../../scripts/find_permits/steps.mjs";
import { askConfig, wranglerConfig } from "../../scripts/settings.mjs";
import { PRODUCTS } from "./shops/index.mjs";
import { blocksOf, instructionsIn, instructionsOf } from "./shops/page.mjs";

for (const [name, product] of Object.entries(PRODUCTS)) {
  test(`${product.page} can be followed`, async () => {
    const { make, prepare, serve, rooms, steps } = instructionsOf(product.page);
    assert.ok(make.length > 0 && prepare.length > 0, "a shop from nothing, and what is done with it");
    for (const port of Object.values(product.ports))
      assert.match([...make, ...prepare].map(({ text }) => text).join("\n") + serve, new RegExp(`\\b${port}\\b`), `${name} has the port ${port}`);
    const { status, stdout, stderr } = await askConfig({ ...wranglerConfig().vars, ROOMS: rooms });
    assert.equal(status, 0, stdout + stderr);
    assert.ok(readSteps("checkout.toml", steps).steps.length >= 2);
    for (const open of product.open) {
      const [found] = (await askConfig({ ...wranglerConfig().vars, ROOMS: rooms }, { method: "GET", path: open })).stdout.split("\n");
      assert.match(found, /without a pass/, open);
    }
  });
}

test("a block is read with what the page says before it", () => {
  const page =
    "intro\n\n```sh\nmake\n```\n\n## 1. One\n\nWrite `a.cfg`,\nsomewhere:\n\n```ini\n[a]\n```\n\nThen write `b.cfg`:\n\n```ini\n[b]\n```\n\n## 4. Try it\n\nIn Baton's folder:\n\n```sh\nnpm start\n```\n";
  assert.deepEqual(
    blocksOf(page).map(({ part, language, file, isBatons }) => [part, language, file, isBatons]),
    [
      ["", "sh", undefined, false],
      ["1. One", "ini", "a.cfg", false],
      ["1. One", "ini", "b.cfg", false],
      ["4. Try it", "sh", undefined, true],
    ],
  );
});

test("a block that nobody would follow is an error", () => {
  const whole =
    "## 1. One\n\n```sh\nmake\n```\n\n## 3. Room\n\n```toml\n[vars.ROOMS.a]\n```\n\n## 4. Serve\n\n```sh\nserve\n```\n\n## Steps for find-permits\n\n```toml\n```\n";
  assert.deepEqual(Object.keys(instructionsIn(whole, "page").rooms), ["a"]);
  for (const block of ["Put into `a.cfg`:\n\n```ini\n[a]\n```\n", "```sh\nforgotten\n```\n"])
    assert.throws(() => instructionsIn(`${whole}\n## 5. Go live\n\n${block}`, "page"), /nobody would follow the block of \w+ in "5. Go live"/);
  assert.throws(() => instructionsIn(`\`\`\`ini\n[a]\n\`\`\`\n\n${whole}`, "page"), /the block of ini in "": \[a\]/);
});
