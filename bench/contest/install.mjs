// Fetches the peers' servers and clients into .baton/peers/, with apt-get, npm and pip. Nothing is installed in the system: Debian's packages are
// downloaded and unpacked in that folder, and removing the folder undoes it all. What the system has already (PostgreSQL, Java) is used as it is.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { filesUnder, findProgram, hashOf, inRoot, must, output, UserError } from "../../scripts/common.mjs";

const folder = inRoot(".baton", "peers");
const debs = path.join(folder, "debs");
const unpacked = path.join(folder, "root");
const stamp = path.join(folder, "installed");

/** Debian's packages, of which apt-get chooses the version. The run prints what it found. */
const DEBIAN = ["redis-server", "redis-tools", "mariadb-server-core", "postgresql", "libzookeeper-java", "default-jre-headless"];
const NPM = { ioredis: "6.0.0", mysql2: "3.24.6", pg: "8.23.1" };
const PYTHON = { redis: "8.1.0", kazoo: "2.11.0" };

/** Where npm's and Python's packages are. */
export const npmFolder = path.join(folder, "npm");
export const python = path.join(folder, "python", "bin", "python");

/** The jars of ZooKeeper and of what it needs: unpacked ones first. */
export const jars = [path.join(unpacked, "usr/share/java/*"), "/usr/share/java/*"].join(path.delimiter);
export const mariadbShare = path.join(unpacked, "usr/share/mysql");

const postgresBins = (from) =>
  existsSync(from)
    ? readdirSync(from)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => path.join(from, version, "bin"))
    : [];

/** Returns the file of a server's program: the unpacked one, or else the system's. */
export function serverProgram(name) {
  const inside = ["usr/bin", "usr/sbin"].map((at) => path.join(unpacked, at));
  const java =
    name === "java"
      ? filesUnder(path.join(unpacked, "usr/lib/jvm"))
          .filter((file) => file.endsWith("/bin/java"))
          .map((file) => path.dirname(file))
      : [];
  const found = findProgram(name, [
    ...inside,
    ...java,
    ...postgresBins(path.join(unpacked, "usr/lib/postgresql")),
    "/usr/sbin",
    ...postgresBins("/usr/lib/postgresql"),
  ]);
  if (!found) throw new UserError(`The peers need ${name}, and ${DEBIAN.join(", ")} did not bring it.`);
  return found;
}

/** Returns the environment in which an unpacked program finds the libraries that were unpacked beside it. */
export function serverEnv() {
  const found = existsSync(path.join(unpacked, "usr/lib"))
    ? readdirSync(path.join(unpacked, "usr/lib")).filter((name) => name.endsWith("-linux-gnu"))
    : [];
  const libraries = found.flatMap((name) => [path.join(unpacked, "usr/lib", name), path.join(unpacked, "lib", name)]);
  return { ...process.env, LD_LIBRARY_PATH: [...libraries, process.env.LD_LIBRARY_PATH ?? ""].join(":") };
}

/** Fetches what is missing, and says so. */
export async function install() {
  const wanted = hashOf([], [DEBIAN, NPM, PYTHON]);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  if (!findProgram("apt-get"))
    throw new UserError("npm run bench -- --only peers needs Debian or Ubuntu: it gets Redis, MariaDB, PostgreSQL and ZooKeeper by apt-get.");
  console.log(
    `peers: apt-get downloads ${DEBIAN.join(", ")} and what they need, which are unpacked below .baton/peers and not installed; npm and pip put their clients there too`,
  );
  mkdirSync(path.join(debs, "partial"), { recursive: true });
  // A new machine knows no package yet. Both need root.
  await must("apt-get", ["update"], { quiet: true });
  await must("apt-get", ["install", "--download-only", "--yes", "--no-install-recommends", "-o", `Dir::Cache::archives=${debs}`, ...DEBIAN], {
    quiet: true,
  });
  for (const file of filesUnder(debs).filter((name) => name.endsWith(".deb"))) await must("dpkg", ["-x", file, unpacked], { quiet: true });
  mkdirSync(npmFolder, { recursive: true });
  writeFileSync(path.join(npmFolder, "package.json"), JSON.stringify({ private: true, dependencies: NPM }));
  await must("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: npmFolder, quiet: true });
  await must("python3", ["-m", "venv", path.join(folder, "python")], { quiet: true });
  await must(python, ["-m", "pip", "install", "--quiet", ...Object.entries(PYTHON).map(([name, version]) => `${name}==${version}`)], { quiet: true });
  writeFileSync(stamp, wanted);
}

/** Returns the versions of servers and clients, by name. */
export function versions() {
  const said = (name, args, pattern) => pattern.exec(output(serverProgram(name), args, { env: serverEnv() }) ?? "")?.[1] ?? "unknown";
  const zookeeper = filesUnder(path.join(unpacked, "usr/share/java"), "/usr/share/java")
    .map((file) => /zookeeper-([\d.]+)\.jar$/.exec(file)?.[1])
    .find(Boolean);
  return {
    Redis: said("redis-server", ["--version"], /v=([\d.]+)/),
    MariaDB: said("mariadbd", ["--version"], /Ver ([\d.]+)/),
    PostgreSQL: said("postgres", ["--version"], /([\d.]+)/),
    ZooKeeper: zookeeper ?? "unknown",
    ...NPM,
    "redis-py": PYTHON.redis,
    kazoo: PYTHON.kazoo,
  };
}
