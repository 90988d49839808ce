// Somebody without any token: notes during the sale what everybody can see, and judges afterwards by these notes and by what was published.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../common.mjs";
import { check as checkDraw } from "../draw.mjs";
import { programFile } from "../programs.mjs";

const NOTE_EVERY_MS = 30_000;

export class Stranger {
  #url;
  #room;
  #notes = [];

  constructor({ url, room }) {
    [this.#url, this.#room] = [url, room];
  }

  /** How the chain stood: `{ row, hash }` each. */
  get notes() {
    return this.#notes;
  }

  /** @returns {Promise<{ row?: number, hash?: string, next?: { commitment: string } }>} */
  async #ask(what) {
    const answer = await fetch(new URL(`/__baton/${this.#room}/${what}`, this.#url), { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status} to somebody without a token\n  cure: see what the room logs`);
    return answer.json();
  }

  async note() {
    const { row, hash } = await this.#ask("chain");
    this.#notes.push({ row, hash });
  }

  /** Notes the chain until told to stop. */
  async watch(signal) {
    while (!signal.aborted) {
      await this.note();
      await sleep(NOTE_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Resolves to what the draw is bound to, as everybody is told before the opening. */
  async commitment() {
    return (await this.#ask("draw")).next?.commitment;
  }

  /** Repeats the draw. Resolves to its words, and to whether it is the one that was committed to before the opening. */
  async drawsAgain(committed) {
    const lines = [];
    const right = await checkDraw([this.#url, this.#room, "1", "2", "3"], (line) => lines.push(line));
    return { text: lines.join("\n"), ok: right && lines.some((line) => line.includes(committed)) };
  }
}

/** Resolves to what `audit verify` says: whether it accepts the journal, and its words. */
export async function audit(...args) {
  const { code, text, out } = await run(programFile("audit"), ["verify", ...args], { capture: true, quiet: true });
  return { ok: code === 0, text, out };
}

/**
 * Reads the published folder and checks the notes: `{ isSound, fingerprint, notes, page, journal }`. Each note gets `found_row`, the row of the
 * published journal with its hash, or null if no row has it.
 */
export async function readPublished(folder, notes) {
  const [page, journal] = ["index.html", "journal.ndjson"].map((name) => path.join(folder, name));
  const missing = [page, journal].find((file) => !existsSync(file));
  if (missing) throw new Error(`${missing} was not published\n  cure: run npm run report -- --public --yes, and see what it says`);
  const { ok, text } = await audit(journal);
  const found = [];
  for (const note of notes) found.push({ ...note, found_row: await rowOf(journal, note) });
  return {
    isSound: ok,
    fingerprint: /fingerprint ([0-9a-f]{64})/.exec(text)?.[1],
    notes: found,
    page: readFileSync(page, "utf8"),
    journal: readFileSync(journal, "utf8"),
  };
}

async function rowOf(journal, { hash }) {
  const { ok, out } = await audit(journal, "--fingerprint", hash, "--json");
  return ok ? JSON.parse(out).published_row : null;
}
