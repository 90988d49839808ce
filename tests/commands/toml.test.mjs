// Files that people write by hand and get wrong: a sentence with the file, the line and the cure, never "Nobody foresaw this".

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { UserError } from "../../scripts/common.mjs";
import { readRooms } from "../../scripts/house/file.mjs";
import { readToml } from "../../scripts/toml.mjs";

test("broken TOML is told with its file, its line and the cure", (t) => {
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-toml-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = path.join(dir, "wrangler.toml");
  const says = (work, what) =>
    assert.throws(work, (error) => error instanceof UserError && what.test(error.message) && !error.message.includes("\n"));
  for (const [text, line] of [
    ['name = "baton"\n[vars\n', 2],
    ["a = 1\n\nb = = 2\n", 3],
    ["a = 1\na = 2\n", 2],
  ]) {
    writeFileSync(file, text);
    says(() => readToml(file, "wrangler.toml"), new RegExp(`^wrangler\\.toml:${line}: this is not TOML: .+\\. Correct that line\\.$`));
    says(
      () => readRooms(file),
      new RegExp(`wrangler\\.toml:${line}: this is not TOML: .+\\. Correct that line; a file of JSON is named \\.json\\.$`),
    );
  }
  says(() => readToml(path.join(dir, "none.toml"), "none.toml"), /^none\.toml cannot be read \(ENOENT\)/);
  writeFileSync(file, 'a = 1\n[b]\nc = "d"\n');
  assert.deepEqual(JSON.parse(JSON.stringify(readToml(file, "wrangler.toml"))), { a: 1, b: { c: "d" } });
});
