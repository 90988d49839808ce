// The peers' real servers, each on a free port of 127.0.0.1 with its data in a folder of its own. A server can be killed and started again on the same
// data. `synced` has every write on disk before it is answered, as Baton does; else the server runs as its maker delivers it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { must } from "../../scripts/common.mjs";
import { jars, mariadbShare, serverEnv, serverProgram } from "./install.mjs";
import { killAll } from "./processes.mjs";

const START_MS_MAX = 30_000;
/** PostgreSQL refuses to run as root. This is `nobody`. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Every waiter is a connection of its own, at the databases too. */
const CONNECTIONS_MAX = 3_000;

/** What every start of MariaDB is given. Named locks need no users and no tables. */
const mariadbArgs = (folder) => [
  "--no-defaults",
  ...(isRoot ? ["--user=root"] : []),
  `--datadir=${folder}`,
  "--skip-grant-tables",
  ...(existsSync(mariadbShare) ? [`--lc-messages-dir=${mariadbShare}`] : []),
];

/** How each server is started: its program and arguments, and what must be there before the first time. */
const KINDS = {
  redis: ({ port, folder, synced }) => ({
    program: "redis-server",
    args: ["--port", port, "--bind", "127.0.0.1", "--dir", folder, ...(synced ? ["--appendonly", "yes", "--appendfsync", "always"] : [])],
  }),
  mariadb: ({ port, folder }) => ({
    program: "mariadbd",
    // The first start makes the data and ends in good order, as an installation does.
    first: () => must(serverProgram("mariadbd"), [...mariadbArgs(folder), "--bootstrap"], { quiet: true, env: serverEnv() }),
    args: [
      ...mariadbArgs(folder),
      "--bind-address=127.0.0.1",
      `--port=${port}`,
      `--socket=${folder}/socket`,
      "--innodb-flush-log-at-trx-commit=1",
      `--max-connections=${CONNECTIONS_MAX}`,
    ],
  }),
  postgres: ({ port, folder }) => ({
    program: "postgres",
    as: isRoot ? { uid: NOBODY, gid: NOBODY } : {},
    first: (as) =>
      must(serverProgram("initdb"), ["-D", path.join(folder, "data"), "-A", "trust", "-U", "baton", "--locale=C"], {
        quiet: true,
        env: serverEnv(),
        cwd: folder,
        ...as,
      }),
    args: ["-D", path.join(folder, "data"), "-p", port, "-h", "127.0.0.1", "-k", folder, "-c", `max_connections=${CONNECTIONS_MAX}`],
  }),
  zookeeper: ({ port, folder }) => ({
    program: "java",
    args: ["-Xmx512m", "-cp", jars, "org.apache.zookeeper.server.quorum.QuorumPeerMain", path.join(folder, "zoo.cfg")],
    first: () =>
      writeFileSync(
        path.join(folder, "zoo.cfg"),
        `tickTime=2000\ndataDir=${folder}/data\nclientPort=${port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\nmaxClientCnxns=0\n`,
      ),
  }),
};

/** Resolves to a port of 127.0.0.1 that is free now. */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves once something listens at the port. */
async function untilOpen(port, child, said) {
  const from = performance.now();
  for (;;) {
    if (child.exitCode !== null || performance.now() - from > START_MS_MAX)
      throw new Error(`${child.spawnfile} did not start: ${said().slice(-1_000)}`);
    const socket = net.connect({ port, host: "127.0.0.1" });
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(
        () => false,
        () => false,
      ),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await sleep(20);
  }
}

/** Starts a server of this kind. Resolves to `{ port, pid, kill, restart, stop }`. */
export async function startServer(kind, { data, synced }) {
  const folder = mkdtempSync(path.join(data, `baton-peer-${kind}-`));
  const port = await freePort();
  const { program, args, first = () => {}, as = {} } = KINDS[kind]({ port, folder, synced });
  if (as.uid) chownSync(folder, as.uid, as.gid);
  mkdirSync(folder, { recursive: true });
  await first(as);
  let child;
  const start = async () => {
    child = spawn(serverProgram(program), args.map(String), { cwd: folder, env: serverEnv(), stdio: ["ignore", "pipe", "pipe"], ...as });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        text = (text + chunk).slice(-4_000);
      });
    await untilOpen(port, child, () => text);
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    killAll([child.pid]);
    await gone;
  };
  const atExit = () => killAll([child.pid]);
  process.once("exit", atExit);
  await start();
  return {
    port,
    kill,
    restart: start,
    get pid() {
      return child.pid;
    },
    stop: async () => {
      await kill();
      process.removeListener("exit", atExit);
      rmSync(folder, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 });
    },
  };
}
