// Redis, MariaDB and PostgreSQL as the kits' tests use them: each a server of the test's own, on a port of its own, with its data in
// a folder that goes with it.

import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findProgram, must, toolEnv } from "../../../scripts/common.mjs";
import { eventually } from "../../runtime/harness.mjs";
import { folder, freePort, serve } from "./programs.mjs";

const SBIN = ["/usr/sbin", "/usr/local/sbin"];
const POSTGRES = "/usr/lib/postgresql";
/** Debian keeps PostgreSQL's programs out of the path, a folder a version. */
const postgresFolders = existsSync(POSTGRES) ? readdirSync(POSTGRES).map((version) => path.join(POSTGRES, version, "bin")) : [];

export const redisServer = findProgram("redis-server");
export const mariadbd = findProgram("mariadbd", SBIN);
const mariadbInstall = findProgram("mariadb-install-db");
export const postgres = findProgram("postgres", postgresFolders);
const initdb = findProgram("initdb", postgresFolders);

const ACCOUNT = { host: "127.0.0.1", user: "baton", password: "baton" };
const isRoot = process.getuid() === 0;

/** Starts all three. Resolves to how each is reached, by name: what the kits read from BATON_TEST_SERVERS. */
export async function startDatabases(t) {
  const [redis, mysql, postgresql] = await Promise.all([startRedis(t), startMariadb(t), startPostgres(t)]);
  return { redis, mysql, postgresql };
}

export async function startRedis(t) {
  const port = await freePort();
  await serve(t, redisServer, ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder(t)], { port });
  return { host: "127.0.0.1", port };
}

async function startMariadb(t) {
  const [dir, port] = [folder(t), await freePort()];
  const common = ["--no-defaults", `--datadir=${dir}/data`, ...(isRoot ? ["--user=root"] : [])];
  await must(mariadbInstall, [...common, "--auth-root-authentication-method=normal", "--skip-test-db"], { env: toolEnv(), quiet: true });
  const { user, password } = ACCOUNT;
  // A statement a line.
  writeFileSync(
    path.join(dir, "first.sql"),
    `CREATE DATABASE baton;\nCREATE USER ${user}@'127.0.0.1' IDENTIFIED BY '${password}';\nGRANT ALL ON *.* TO ${user}@'127.0.0.1';\n`,
  );
  await serve(
    t,
    mariadbd,
    [
      ...common,
      `--init-file=${dir}/first.sql`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      `--socket=${dir}/socket`,
      "--skip-name-resolve",
      "--innodb-flush-log-at-trx-commit=0",
      "--innodb-flush-method=nosync",
    ],
    { port },
  );
  return { ...ACCOUNT, port, database: "baton" };
}

export async function startPostgres(t) {
  const [dir, port] = [folder(t), await freePort()];
  // It does not run as root.
  const as = isRoot ? idsOf("postgres") : {};
  if (isRoot) chownSync(dir, as.uid, as.gid);
  chmodSync(dir, 0o700);
  const data = path.join(dir, "data");
  await must(initdb, ["--pgdata", data, "--username", ACCOUNT.user, "--auth", "trust", "--encoding", "UTF8", "--no-sync"], {
    env: toolEnv(),
    cwd: dir,
    quiet: true,
    ...as,
  });
  await serve(t, postgres, ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", dir, "-c", "fsync=off"], { port, cwd: dir, ...as });
  // It listens before it takes anybody; the last line of this file says when it does.
  const isReady = () => /\bready\s*$/.test(readFileSync(path.join(data, "postmaster.pid"), "utf8"));
  await eventually(isReady, { what: "that PostgreSQL takes connections", timeoutMs: 60_000 });
  return { ...ACCOUNT, port, database: "postgres" };
}

const idsOf = (user) =>
  Object.fromEntries(
    [
      ["uid", "-u"],
      ["gid", "-g"],
    ].map(([name, flag]) => [name, Number(execFileSync("id", [flag, user]))]),
  );
