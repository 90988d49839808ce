// Files of earlier builds. A page that was served seconds before a deploy loads its scripts after it, and a page that stands open for an hour loads
// some even later; their names have the old hashes. So a deploy takes them from the site as it is now.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const PREFIX = "/__baton/static/";
const MANIFEST = "files.json";
/** How long a file stays after the last build that had it. */
const KEPT_MS = 7 * 24 * 3_600_000;
const FILES_MAX = 2_000;
const TIMEOUT_MS = 20_000;
/** Only such names are taken: no other folder, and no name that climbs. */
const HASHED = /^h\/[\w.-]+\.([0-9a-f]{10})\.\w+$/;

/**
 * Takes the files of earlier builds from `site` ("https://tickets.example.com") into `assetsDir`, if they are no older than a week, and writes the
 * list again. Resolves to their number, or to `null` if the site has no list: then it has no Baton yet.
 */
export async function keepFrom(site, assetsDir, { nowMs = Date.now() } = {}) {
  const get = (name) => fetch(new URL(PREFIX + name, site), { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  const answer = await get(MANIFEST);
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`${site}${PREFIX}${MANIFEST} was answered with ${answer.status}`);
  const there = await answer.json();
  const list = path.join(assetsDir, PREFIX, MANIFEST);
  const { files } = JSON.parse(readFileSync(list, "utf8"));
  const kept = {};
  for (const [name, sinceMs] of [...there.files.map((name) => [name, nowMs]), ...Object.entries(there.kept ?? {})].slice(0, FILES_MAX)) {
    const hash = HASHED.exec(name)?.[1];
    if (files.includes(name) || !hash || !(nowMs - sinceMs < KEPT_MS)) continue;
    const file = await get(name);
    const bytes = Buffer.from(await file.arrayBuffer());
    if (!file.ok || !createHash("sha256").update(bytes).digest("hex").startsWith(hash)) continue;
    const to = path.join(assetsDir, PREFIX, name);
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, bytes);
    kept[name] = Math.min(sinceMs, nowMs);
  }
  writeFileSync(list, `${JSON.stringify({ files, kept })}\n`);
  return Object.keys(kept).length;
}
