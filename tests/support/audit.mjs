// The journal of a running Baton, held to the laws by `audit verify`, which shares nothing with the room's code but the
// form of the facts. So a test can say of its whole story that order and permits were kept, whatever else it looked at.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { run } from "../../scripts/common.mjs";

/** The whole journal of a room, all pages. */
export async function journalOf({ url, token, room = "onsale" }) {
  let whole = "";
  for (let after = 0; ;) {
    const address = new URL(`/__baton/admin/rooms/${room}/journal?after=${after}`, url);
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    const page = await answer.text();
    if (answer.status !== 200) throw new Error(`${address}: ${answer.status} ${page}`);
    const rows = page.trimEnd().split("\n").slice(1);
    if (rows.length === 0) return whole || page;
    whole += page;
    after = JSON.parse(rows.at(-1)).version;
  }
}

/** What `audit verify` says of an export: `{ sound, text }`. */
export async function audited(journal) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-audit-"));
  try {
    const file = path.join(folder, "journal.jsonl");
    writeFileSync(file, journal);
    const { code, text } = await run("cargo", ["run", "--quiet", "--bin", "audit", "--", "verify", file], { capture: true, quiet: true });
    return { sound: code === 0, text };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
