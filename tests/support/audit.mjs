// The journal of a running Baton, held to the laws by `audit verify`, which shares nothing with the room's code but the
// form of the facts. So a test can say of its whole story that order and permits were kept, whatever else it looked at.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { run } from "../../scripts/common.mjs";
import { journalPages } from "../../scripts/export.mjs";
import { programFile } from "../../scripts/programs.mjs";
import { compileBefore } from "./programs.mjs";

// Who holds a journal to the laws outside a test compiles it (tests/chaos/chaos.mjs).
if (process.env.NODE_TEST_CONTEXT !== undefined) compileBefore("audit");

/** The whole journal of a room, all pages. */
export async function journalOf({ url, token, room = "onsale" }) {
  const pages = await Array.fromAsync(journalPages({ url, room, token }));
  return pages.length > 1 ? pages.slice(0, -1).join("") : pages[0];
}

/** What `audit verify` says of an export: `{ sound, text }`. */
export async function audited(journal) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-audit-"));
  try {
    const file = path.join(folder, "journal.jsonl");
    writeFileSync(file, journal);
    const { code, text } = await run(programFile("audit"), ["verify", file], { capture: true, quiet: true });
    return { sound: code === 0, text };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
