// What can happen to the world under Baton, each as something that is done to the stage of tests/chaos/ while a crowd goes through it. The witness
// there judges from outside, and `audit verify` judges the journal.

import { cpSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { between, diceOf } from "../../scripts/dice.mjs";
import { inRoot } from "../../scripts/common.mjs";
import { clock, noShim, shim } from "../runtime/support/set_clock.mjs";

export const disk = (t) => shim(t, inRoot("tests", "faults", "disk.c"), "DISK_FAULT_FILE");

/** How long a fault lasts, and how long all is well before and after it. */
const LASTS_MS = [2_500, 5_000];
const CALM_MS = [1_500, 3_500];
/** A lease's hard end is a time of day in its pass. Whoever is past it by a leap goes in by the next page, and a form is not sent. */
const room = { lease_max_s: 14_400 };
/** The shop counts a guest until the end that it was told, by its clock. */
const forgives = ["too many inside"];

/** What a leap of the clock may take from anybody's time (ARCHITECTURE.md, *What is stored*), and a busy machine. */
const LEAP_MS = 7_000;
const HOUR_S = 3_600;

/** The disk does this for a while. */
const diskDoes = (says) => async (stage, random) => {
  stage.tells("disk", says);
  await sleep(between(random, LASTS_MS));
  stage.tells("disk", "well");
};

/** The clock is set so many seconds ahead of the right time, and stays there for a while. */
const clockGoes =
  (...aheadS) =>
  async (stage, random) => {
    for (const s of [...aheadS, 0]) {
      stage.tells("clock", s);
      await sleep(between(random, LASTS_MS));
    }
  };

async function stops(stage, random) {
  const { pid } = stage.rt;
  process.kill(pid, "SIGSTOP");
  await sleep(2 * between(random, LASTS_MS));
  process.kill(pid, "SIGCONT");
}

/** Copies the data while everything runs, and later restores the copy. */
async function restores(stage, random) {
  const copy = `${stage.dataDir}-copy`;
  cpSync(stage.dataDir, copy, { recursive: true });
  await sleep(between(random, LASTS_MS));
  await stage.kill();
  rmSync(stage.dataDir, { recursive: true });
  cpSync(copy, stage.dataDir, { recursive: true });
  rmSync(copy, { recursive: true });
  await stage.revive();
}

/**
 * Name → what happens (`does(stage, random)`), the shims that it needs, and
 *
 *   room       settings of the room
 *   slackMs    by how much an end may come early
 *   minutes    how long people come, if not as long as usual
 *   once       it happens once, and not again and again
 *   forgives   the laws that it breaks, as docs/self-hosting.md says
 */
export const FAULTS = {
  "disk-full": { does: diskDoes("full"), shims: { disk } },
  "disk-write": { does: diskDoes("write"), shims: { disk } },
  "disk-sync": { does: diskDoes("sync"), shims: { disk } },
  "disk-slow": { does: diskDoes(250), shims: { disk } },
  "clock-back": { does: clockGoes(-HOUR_S), shims: { clock }, slackMs: LEAP_MS, room, forgives },
  "clock-ahead": { does: clockGoes(600), shims: { clock }, slackMs: LEAP_MS, room, forgives },
  "clock-both": { does: clockGoes(-HOUR_S, HOUR_S, -HOUR_S), shims: { clock }, slackMs: LEAP_MS, room, forgives },
  stop: { does: stops, shims: {} },
  // What one process is told of its visitors the other does not know: to it they are away.
  double: { does: (stage) => stage.double(), shims: {}, once: true, forgives: ["order"] },
  // Places that are not in the copy are lost, and who was inside by one is out. Nothing is given twice.
  backup: { does: restores, shims: {}, once: true, forgives: ["place", "permit", "numbers", "too many inside"] },
};

/** Those that happen one after the other to one crowd, in the short form. Each clock has a crowd of its own. */
const SHORT = ["disk-full", "stop", "disk-sync", "disk-write", "disk-slow"];

/** About as long as they take together. */
const SHORT_MINUTES = 0.6;

/** Returns the fault of this name; `short` is many. */
export function faultOf(name) {
  if (name !== "short") return FAULTS[name];
  const all = SHORT.map((each) => FAULTS[each]);
  return {
    does: async (stage, random) => {
      for (const { does } of all) await does(stage, random);
    },
    shims: Object.assign({}, ...all.map(({ shims }) => shims)),
    once: true,
    minutes: SHORT_MINUTES,
  };
}

/** Why this fault cannot happen here; false if it can. */
export const impossible = ({ shims }) => Object.keys(shims).length > 0 && noShim;

/** Does it to the stage until `untilMs` (Unix ms): for `runChaos`, in place of killing. */
export const disturbing =
  ({ does, once }) =>
  async (stage, { untilMs, seed }) => {
    const random = diceOf(seed);
    do {
      await sleep(between(random, CALM_MS));
      await does(stage, random);
    } while (!once && Date.now() < untilMs);
    await sleep(Math.max(0, untilMs - Date.now()));
  };
