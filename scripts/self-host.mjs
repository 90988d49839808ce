// `npm run self-host`: writes a folder that serves Baton on a machine of one's own, with nothing else installed there.
//
//   npm run self-host -- --out DIR [--data DIR] [--port 8787] [--address-header X-Real-IP]
//
// It holds workerd, the built worker as it would be deployed, its configuration from wrangler.toml, `start`, and a systemd unit. Secrets
// are read from the environment at the start; `secrets.env` is written once and never again. A Baton that runs from the folder goes on
// undisturbed while this command writes the folder again, until somebody restarts it. See docs/self-hosting.md.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, cpSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { fail, findProgram, inRoot, npmProgram, output, place, UsageError, UserError } from "./common.mjs";
import { text } from "./options.mjs";
import { prepare } from "./setup.mjs";

const PORT = 8787;

/** What is open without a visitor, and what self-host-limit.c keeps free. */
const FILES_SPARE = 64;
const FILES_PER_VISITOR = 2;

const START = ({ data, port }) => `#!/bin/sh
# Serves Baton from this folder. BATON_ADDRESS and BATON_DATA may say otherwise than these.
cd "$(dirname "$0")" || exit 1
say() { echo "baton: $1" >&2; }
refuse() { say "$1"; exit 1; }
data="\${BATON_DATA:-${data}}"
mkdir -p "$data" || refuse "the data folder $data cannot be made. Cure: let $(id -un) write above it, or say another folder in BATON_DATA."
(: >>"$data/in-use") 2>/dev/null || refuse "the data folder $data cannot be written. Cure: let $(id -un) write there. If its disk is mounted read-only, the kernel's log says why."
# The lock is workerd's, until it ends.
exec 9>>"$data/in-use"
if command -v flock >/dev/null && ! flock -n 9; then
  refuse "another process serves from the data folder $data. Cure: end that one (fuser $data/in-use names it), or say another folder in BATON_DATA."
fi
(echo $$ >"$data/in-use") 2>/dev/null || say "the disk of the data folder $data is full. Nobody new comes in until there is room; places are kept. Cure: make room there."
for file in "$data"/*/metadata.sqlite; do
  if [ -s "$file" ] && [ "$(head -c 15 "$file" | tr -d '\\0')" != "SQLite format 3" ]; then
    mv "$file" "$file.damaged" && rm -f "$file-wal" "$file-shm"
    say "$file was damaged and is now $file.damaged. It held only the times at which rooms wake by themselves: each room sets its own again at its first request."
  fi
done
# At the limit of open files workerd ends, and everybody's connection with it.
ulimit -S -n "$(ulimit -H -n)"
files=$(ulimit -n)
[ "$files" = unlimited ] || say "up to $(( (files - ${FILES_SPARE}) / ${FILES_PER_VISITOR} )) visitors can wait at once: $files files may be open. Who comes above that gets a 503."
[ -f limit.so ] && export LD_PRELOAD="$PWD/limit.so\${LD_PRELOAD:+:$LD_PRELOAD}"
exec ./workerd serve config.capnp --experimental "--socket-addr=http=\${BATON_ADDRESS:-127.0.0.1:${port}}" "--directory-path=data=$data"
`;

const UNIT = ({ out, data }) => `[Unit]
Description=Baton, the waiting room
After=network-online.target time-sync.target
Wants=network-online.target

[Service]
User=baton
ExecStart=${out}/start
EnvironmentFile=${out}/secrets.env
Restart=always
RestartSec=1
# Requests under way are answered; sockets would stay for ever, and nothing is lost with them.
TimeoutStopSec=5
# A socket for each visitor who waits, and some for the way to the site.
LimitNOFILE=262144
NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=strict
ProtectHome=yes
ReadWritePaths=${data}

[Install]
WantedBy=multi-user.target
`;

const secretsFile = () =>
  `${["BATON_SECRET", "ORIGIN_SECRET", "BATON_ADMIN_TOKEN"].map((name) => `${name}=${randomBytes(36).toString("base64url")}`).join("\n")}\n`;

/**
 * Writes the folder. `vars` are those of wrangler.toml or like them; `workerDir` and `assetsDir` are what was built; `data` is
 * absolute, or relative to the folder.
 * @param {{ out: string, data: string, port?: number, addressHeader?: string, vars: import("./settings.mjs").Vars, workerDir: string,
 *   assetsDir: string }} of
 */
export async function writeFolder({ out, data, port = PORT, addressHeader, vars: asked, workerDir, assetsDir }) {
  const { vars, originService } = whereTo(asked);
  const { configText } = await import("./workerd-config.mjs");
  const { SECRETS, webhookSecrets, wranglerConfig } = await import("./settings.mjs");
  const worker = path.join(out, "worker");
  const copied = (from, to) => place(path.join(worker, to), (next) => copyFileSync(from, next));
  const entry = inRoot(wranglerConfig().main);
  copied(entry, "entry.js");
  copied(path.join(path.dirname(entry), "probe.js"), "probe.js");
  for (const name of ["index.js", "index_bg.wasm"]) copied(path.join(workerDir, name), name);
  for (const name of ["workerd-door.js", "workerd-assets.js"]) copied(inRoot("scripts", name), name);
  // Pages that are open ask for the files of their own version, so none is removed.
  cpSync(assetsDir, path.join(out, "assets"), { recursive: true });
  place(path.join(out, "workerd"), (next) => copyFileSync(workerdBinary(), next));
  place(path.join(out, "limit.so"), compileLimit);
  const secrets = Object.fromEntries([...SECRETS, ...webhookSecrets(vars)].map((name) => [name, { fromEnvironment: name }]));
  const config = configText({
    folder: out,
    vars: { ...vars, ...secrets, CLOUDFLARE: false },
    storage: "data",
    workerDir: worker,
    assetsDir: "assets",
    behindProxy: true,
    addressHeader,
    entry: path.join(worker, "entry.js"),
    helpers: worker,
    address: `127.0.0.1:${port}`,
    originService,
  });
  const told = (name, text, mode) => place(path.join(out, name), (next) => writeFileSync(next, text, { mode }));
  told("config.capnp", config, 0o644);
  told("start", START({ data, port }), 0o755);
  told("baton.service", UNIT({ out, data: path.resolve(out, data) }), 0o644);
  if (!existsSync(path.join(out, "secrets.env"))) told("secrets.env", secretsFile(), 0o600);
}

/**
 * Returns where requests go on to. Without Cloudflare nobody resolves one host by the name of another. A service that is bound to the origin's
 * address does the same: requests keep the visitor's host.
 */
export function whereTo(/** @type {import("./settings.mjs").Vars} */ { ORIGIN_HOST, ...vars }) {
  if (ORIGIN_HOST !== "public") return { vars };
  const { ORIGIN, ...rest } = vars;
  if (typeof ORIGIN !== "string")
    throw new UserError(
      'ORIGIN_HOST = "public" needs one ORIGIN for all hosts where Baton runs without Cloudflare. Cure: run one Baton a host, or leave ORIGIN_HOST out.',
    );
  const { protocol, hostname, port } = new URL(ORIGIN);
  const isSecure = protocol === "https:";
  return { vars: rest, originService: { address: `${hostname}:${port || (isSecure ? 443 : 80)}`, certificateHost: isSecure ? hostname : undefined } };
}

/** Compiles what keeps workerd below its limit of open files. Whoever has Rust has a C compiler, which links for it. */
function compileLimit(to) {
  const compiler = findProgram("cc");
  if (!compiler) throw new UserError("There is no C compiler (cc). Cure: install one, as Rust needs it too (Debian: apt install gcc libc6-dev).");
  const { status, stderr } = spawnSync(compiler, ["-shared", "-fPIC", "-O2", "-o", to, inRoot("scripts", "self-host-limit.c")], { encoding: "utf8" });
  if (status !== 0) throw new UserError(`self-host-limit.c cannot be compiled: ${stderr}`);
}

/** Returns the path of the program itself: what npm puts into `.bin` is a script that looks for it. */
function workerdBinary() {
  const asked = `process.stdout.write(require(${JSON.stringify(inRoot("node_modules", "workerd"))}).default)`;
  const found = output(npmProgram("node"), ["-e", asked]);
  if (!found) throw new UserError("workerd is not installed for this machine. Run: npm ci");
  return found;
}

function flags() {
  let given;
  try {
    given = parseArgs({ options: { out: text, data: text, port: text, "address-header": text } }).values;
  } catch (error) {
    throw new UsageError(`${error.message}\nUse: npm run self-host -- --out DIR [--data DIR] [--port ${PORT}] [--address-header NAME]`);
  }
  const { out, data, port = String(PORT), "address-header": addressHeader } = given;
  if (!out) throw new UsageError("--out is missing: the folder to write. Cure: npm run self-host -- --out DIR");
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError(`--port needs a number up to 65535, not "${port}".`);
  if (addressHeader !== undefined && !/^[a-z0-9-]{1,64}$/i.test(addressHeader))
    throw new UsageError(`--address-header needs the name of a header, such as X-Real-IP, not "${addressHeader}".`);
  return { addressHeader, out: path.resolve(out), data: data ? path.resolve(data) : "data", port: Number(port) };
}

async function main() {
  const asked = flags();
  const { build } = await import("./build.mjs");
  const { checkConfig, ours, wranglerConfig } = await import("./settings.mjs");
  const { vars: all } = wranglerConfig();
  await checkConfig(all);
  const vars = ours(all);
  if (!vars.ORIGIN)
    throw new UserError(
      'wrangler.toml has no ORIGIN, and without Cloudflare there is no zone to forward to. Cure: write ORIGIN = "https://…" under [vars].',
    );
  await writeFolder({ ...asked, vars, ...(await build()) });
  console.log(
    `\n  Baton for this machine is in ${asked.out}\n\n  try it     set -a; . ${asked.out}/secrets.env; ${asked.out}/start\n  keep it    ${asked.out}/baton.service, a unit for systemd; docs/self-hosting.md\n`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await prepare();
  await main().catch(fail);
}
