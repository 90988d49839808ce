// The folder that `npm run self-host` writes, and what serves from it, for tests.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { assetsDir, workerDir } from "../../../scripts/build.mjs";
import { writeFolder } from "../../../scripts/self-host.mjs";
import { Visitor } from "../../support/visitor.mjs";
import { ensureBuilt, eventually, raw } from "./world.mjs";

export const ROOM = { paths: ["/buy/*"], permits: 0, tick_ms: 50 };

export const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

/** The folder, written. */
export async function folder(t, origin, room = {}) {
  await ensureBuilt();
  const out = mkdtempSync(path.join(os.tmpdir(), "baton-folder-"));
  t.after(() => rmSync(out, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const written = {
    out,
    data: path.join(out, "var"),
    port: await freePort(),
    vars: { ROOMS: { onsale: { ...ROOM, ...room } }, ORIGIN: origin },
    workerDir: workerDir(),
    assetsDir,
  };
  await writeFolder(written);
  return written;
}

export const secretsOf = (out) =>
  Object.fromEntries(
    readFileSync(path.join(out, "secrets.env"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s)),
  );

/** Runs `start` as the unit does, with the secrets in the environment and nothing else of ours. `shell` is a command that comes before it. */
export async function serve(t, { out, port, shell = ":" }) {
  const child = spawn("/bin/sh", ["-c", `${shell} && exec "$0"`, path.join(out, "start")], {
    cwd: "/",
    env: { PATH: process.env.PATH, ...secretsOf(out) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  const gone = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
  t.after(() => child.kill("SIGKILL"));
  const healthy = async () => {
    if (child.exitCode !== null) throw new Error(`start ended: ${said}`);
    return raw(port, "/__baton/health").then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await eventually(healthy, { what: "an answer of the folder's process" });
  return {
    pid: child.pid,
    said: () => said,
    gone,
    end: (signal) => {
      child.kill(signal);
      return gone;
    },
  };
}

/**
 * Sends people, some at once, to a folder whose process may open so many files, each for a socket. Resolves to those who hold one, why the others do
 * not, and whether the process is still there.
 */
export async function socketsHeld(t, { files, coming, atOnce }) {
  const made = await folder(t, "http://127.0.0.1:1", { joins_per_ip_per_minute: 0, tickets_per_ip_max: 0 });
  const baton = await serve(t, { ...made, shell: `ulimit -n ${files}` });
  const people = Array.from({ length: coming }, (_, i) => new Visitor({ url: `http://127.0.0.1:${made.port}/buy/`, name: `visitor ${i + 1}` }));
  const refused = new Map();
  for (let from = 0; from < coming; from += atOnce) {
    await Promise.all(
      people.slice(from, from + atOnce).map(async (visitor) => {
        try {
          await visitor.arrive();
          await visitor.openSocket();
        } catch (error) {
          const why = error.message.replace(`${visitor.name}: `, "");
          refused.set(why, (refused.get(why) ?? 0) + 1);
        }
      }),
    );
  }
  const held = people.filter(({ tab }) => tab.socket && tab.closed === null);
  const isUp = await Promise.race([baton.gone.then(() => false), sleep(1_000).then(() => true)]);
  return { people, held, refused, isUp, baton, made };
}
