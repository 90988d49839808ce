// The secrets of `npm start`, about which nobody has to think. They are new for each run, except those that must last: all of them with `--data`,
// since the tickets outlive the run; with `--origin` the one that the shop behind it was given.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot, UserError } from "./common.mjs";

const SECRET_BYTES_MIN = 32;
/** Git ignores the folder. */
export const ORIGIN_SECRET_FILE = inRoot(".baton", "origin-secret");

const fresh = () => randomBytes(32).toString("base64url");

/** Returns `{ BATON_SECRET, ORIGIN_SECRET, BATON_ADMIN_TOKEN }`. `dataDir` and `origin` are the flags of these names. */
export function startSecrets({ dataDir, origin, originFile = ORIGIN_SECRET_FILE }) {
  const made = { BATON_SECRET: fresh(), ORIGIN_SECRET: fresh(), BATON_ADMIN_TOKEN: fresh() };
  if (dataDir) return { ...made, ...JSON.parse(kept(path.join(dataDir, "secrets.json"), () => JSON.stringify(made, null, 2))) };
  if (!origin) return made;
  const ORIGIN_SECRET = kept(originFile, () => `${made.ORIGIN_SECRET}\n`).trim();
  if (ORIGIN_SECRET.length < SECRET_BYTES_MIN) throw new UserError(`${originFile} holds no secret of ${SECRET_BYTES_MIN} characters. Write the one that the shop has, or remove the file for a new one.`);
  return { ...made, ORIGIN_SECRET };
}

/** Returns what the file says, and writes it first if it does not exist. Only its owner can read it. */
function kept(file, text) {
  if (!existsSync(file)) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text(), { mode: 0o600 });
  }
  return readFileSync(file, "utf8");
}
