// The secrets of `npm start`, about which nobody has to think. They are new for each run, except those that must last: all of them with `--data`,
// since the tickets outlive the run; with `--origin` the one that the shop behind it was given.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot, place, UserError } from "./common.mjs";

const SECRET_BYTES_MIN = 32;
/** Git ignores the folder. */
export const ORIGIN_SECRET_FILE = inRoot(".baton", "origin-secret");

const fresh = () => randomBytes(32).toString("base64url");

/** Returns `{ BATON_SECRET, ORIGIN_SECRET, BATON_ADMIN_TOKEN }`. `dataDir` and `origin` are the flags of these names. */
export function startSecrets({ dataDir, origin, originFile = ORIGIN_SECRET_FILE }) {
  const made = { BATON_SECRET: fresh(), ORIGIN_SECRET: fresh(), BATON_ADMIN_TOKEN: fresh() };
  if (dataDir) return { ...made, ...keptTable(path.join(dataDir, "secrets.json"), made) };
  if (!origin) return made;
  const ORIGIN_SECRET = kept(originFile, () => `${made.ORIGIN_SECRET}\n`).trim();
  if (ORIGIN_SECRET.length < SECRET_BYTES_MIN)
    throw new UserError(
      `${originFile} holds no secret of ${SECRET_BYTES_MIN} characters. Write the one that the shop has, or remove the file for a new one.`,
    );
  return { ...made, ORIGIN_SECRET };
}

/** Returns the table that the file holds, and writes this one first if there is none. */
function keptTable(file, made) {
  const text = kept(file, () => JSON.stringify(made, null, 2));
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError(
      `${file} is damaged: it holds no JSON. Cure: put back a copy of it. Without one, remove the file for new secrets; then nobody's place in this folder can be shown any more.`,
    );
  }
}

/** Returns what the file says, and writes it first, whole or not at all, if it does not exist. Only its owner can read it. */
function kept(file, text) {
  if (!existsSync(file)) {
    try {
      place(file, (next) => writeFileSync(next, text(), { mode: 0o600 }));
    } catch (error) {
      throw new UserError(
        `${file} cannot be written (${error.code ?? error.message}). Cure: make room there, or allow this user to write, or choose another folder.`,
      );
    }
  }
  return readFileSync(file, "utf8");
}
