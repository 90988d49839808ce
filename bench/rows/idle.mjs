// An idle room costs nothing: after its last visitor has gone no alarm is armed, nothing is written and no object wakes. The objects count, and the
// files in which workerd keeps their storage show it too.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inRoot } from "../../scripts/common.mjs";
import { ask } from "../lib/stage.mjs";
import { Line, requestText } from "../lib/line.mjs";
import { walkIn } from "./forwarding.mjs";

const QUIET_MS = 5_000;
const PATIENCE_MS = 60_000;
/** An alarm later than this is the one that forgets the journal after `journal_keep_days`. */
const SOON_MS = 24 * 60 * 60 * 1_000;
/** Everything ends soon, so that there is something to end. */
const SHORT = { permits: 1, linger_s: 1, claim_within_s: 1, grace_s: 1, lease_idle_s: 1, lease_max_s: 2, pass_ttl_s: 1, tick_ms: 100 };

export const idle = {
  name: "idle",
  async begin(stage) {
    return {
      steps: {},
      async rows() {
        const dataDir = stage.temporaryFolder();
        const baton = await stage.baton({ idle: SHORT }, { dataDir, wrapper: inRoot("bench", "lib", "counting.js") });
        await busy(baton);
        const before = JSON.parse(await ask(baton.port, "/bench/counts"));
        const took_ms = await untilQuiet(baton);
        const [from, files] = [JSON.parse(await ask(baton.port, "/bench/counts")), hashes(dataDir)];
        await sleep(QUIET_MS);
        const [to, after] = [JSON.parse(await ask(baton.port, "/bench/counts")), hashes(dataDir)];
        if (!(from.alarms > before.alarms)) throw new Error("no alarm ever rang: there was nothing that could have come to rest");
        const changed = [...after].filter(([name, hash]) => files.get(name) !== hash).length;
        const row = (what, value) => ({ what: `an idle room in ${QUIET_MS / 1000} s: ${what}`, value, target: "= 0" });
        return [
          row("alarms that rang or are armed for the next day", to.alarms - from.alarms + (await armed(baton)).length),
          row("files of the storage that changed (rows written)", changed),
          row("requests and messages to its objects", to.requests - from.requests + to.messages - from.messages),
          { what: "until it was idle: the last lease, the line and the grace ran out", value: took_ms / 1000, unit: "s" },
        ];
      },
    };
  },
};

/** Puts one visitor inside and one in line. */
async function busy(baton) {
  await walkIn(baton, "idle");
  const [cookie] = await baton.visitors(1);
  const host = `127.0.0.1:${baton.port}`;
  const line = await Line.open(baton.port);
  const { status } = await line.send(
    requestText("POST", "/__baton/idle/join", { host, origin: `http://${host}`, cookie, accept: "application/json" }),
  );
  line.close();
  if (status !== 201) throw new Error(`a join was answered ${status}`);
}

const armed = async (baton) => {
  const alarms = JSON.parse(await ask(baton.port, "/bench/alarms/idle"));
  return alarms.filter((at) => at !== "null" && Number(at) < Date.now() + SOON_MS);
};

/** Resolves when neither object has an alarm that is due soon. Asking does not wake Baton's own code. */
async function untilQuiet(baton) {
  const startedAt = performance.now();
  while ((await armed(baton)).length > 0) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`after ${PATIENCE_MS / 1000} s an alarm is still armed`);
    await sleep(100);
  }
  return performance.now() - startedAt;
}

function hashes(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [file, createHash("sha256").update(readFileSync(file)).digest("hex")];
    }),
  );
}
