// `npm run check-world -- origins`: real servers behind one Baton, each with a gated page. Each is asked, in every spelling of the gate's list and in some
// thousand that are several at once, for its page: directly, and in what Baton lets through without a pass.

import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { build } from "../../../scripts/build.mjs";
import { findProgram, inRoot, output } from "../../../scripts/common.mjs";
import { freePort } from "../../runtime/support/self_hosted.mjs";
import { eventually } from "../../runtime/harness.mjs";
import { asked, judged } from "../../spellings/classes.mjs";
import { NAMES, isInstalled, startShops, versionOf } from "../../spellings/handlers.mjs";
import { targets } from "../../spellings/targets.mjs";
import { libraries } from "../fronts/start.mjs";
import { unpacked, withPython } from "../install.mjs";
import { chosen, writeTable } from "../table.mjs";
import { ORIGINS, PYTHON } from "./origins.mjs";
import { CODE, HEAD, PAGE, readersIn, rowOf } from "./table.mjs";

const MIXED_COUNT = 2_000;
const SEED = 20_261_127;
const here = inRoot("tests", "world", "origins");
const tomcatJars = inRoot(".baton", "tomcat", "usr", "share", "java");

/** What a test of Node's gives: what is undone at the end. */
class Run {
  #undo = [];
  after(undo) {
    this.#undo.push(undo);
  }
  async end() {
    for (const undo of this.#undo.reverse()) await undo();
  }
}

/** Starts a program that prints where it listens, or listens on `port`. Resolves to the port once it takes connections. */
async function started(run, program, args, { cwd, env = {}, port }) {
  const child = spawn(program, args, {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
  });
  const kill = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      /* It was gone. */
    }
  };
  process.once("exit", kill);
  run.after(() => {
    process.off("exit", kill);
    kill();
  });
  let said = "";
  let failed;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said = (said + chunk).slice(-4_000);
    });
  child.on("error", (error) => {
    failed = error.message;
  });
  child.once("exit", () => {
    failed ??= said.trim().split("\n").at(-1);
  });
  const at = () => port ?? Number(/listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1] ?? 0);
  const answers = () => {
    if (failed !== undefined) throw new Error(failed);
    return (
      at() > 0 &&
      new Promise((resolve) => {
        const socket = net.connect(at(), "127.0.0.1", () => {
          socket.destroy();
          resolve(true);
        });
        socket.on("error", () => resolve(false));
      })
    );
  };
  await eventually(answers, { what: "an answer", timeoutMs: 120_000 });
  return at();
}

/** Starts an origin in a folder of its own. Resolves to `{ port, version }`, or throws. */
async function ready(run, name, origin, folder) {
  if (origin.python) {
    const bin = await withPython("origins", PYTHON);
    return {
      version: origin.version,
      port: await started(run, path.join(bin, "python"), [path.join(here, "shop.py"), origin.python], { cwd: folder }),
    };
  }
  if (origin.tomcat) {
    const jars = [tomcatJars, "/usr/share/java"].find((dir) => existsSync(path.join(dir, "tomcat10-embed-core.jar")));
    if (!jars || !findProgram("java")) throw new Error("node tests/spellings/install.mjs, and Java");
    const port = await started(run, "java", ["-cp", `${jars}/*`, inRoot("tests", "spellings", "Tomcat.java"), origin.tomcat, "shop"], {
      cwd: folder,
    });
    const version = readdirSync(jars)
      .map((file) => /^tomcat10-embed-core-(.+)\.jar$/.exec(file)?.[1])
      .find(Boolean);
    return { version, port };
  }
  const port = await freePort();
  const places = { dir: folder, port, here, pages: path.join(folder, "pages") };
  const put = (text, all) => Object.entries(all).reduce((so, [key, value]) => so.replaceAll(`@${key}@`, `${value}`), text);
  cpSync(inRoot("tests", "spellings", "node", "pages"), places.pages, { recursive: true });
  if (origin.system) {
    const [program, ...args] = origin.system;
    if (!findProgram(program)) throw new Error(`there is no ${program}`);
    return {
      version: /\d+\.\d+\.\d+/.exec(output(origin.version[0], origin.version.slice(1)))[0],
      port: await started(
        run,
        program,
        args.map((arg) => put(arg, places)),
        { cwd: folder, port },
      ),
    };
  }
  const { folder: root, version } = await unpacked(name.toLowerCase().replaceAll(/\W+/g, "-"), origin.debian);
  for (const [file, text] of Object.entries(origin.files)) writeFileSync(path.join(folder, file), put(text, { ...places, root }));
  const [program, ...args] = origin.runs.map((arg) => put(arg, { ...places, root }));
  return {
    version,
    port: await started(run, path.join(root, program), args, { cwd: folder, port, env: { HOME: folder, LD_LIBRARY_PATH: libraries(root) } }),
  };
}

/** Asks. Resolves to whether none was reached without a pass. `docs` writes the table. */
export async function check({ names, docs }) {
  const all = { ...Object.fromEntries(NAMES.map((name) => [name, undefined])), ...ORIGINS };
  const wanted = chosen(all, names);
  if (!process.env.BATON_AS_BUILT) await build({});
  const run = new Run();
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-origins-"));
  chmodSync(folder, 0o755);
  run.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const rows = [],
    reached = [],
    leftOut = [];
  try {
    const targetsOf = targets({ seed: SEED, count: MIXED_COUNT });
    const verdicts = await judged(run, [...new Set(Object.values(targetsOf).flat())]);
    const shops = isInstalled() ? await startShops(run) : {};
    for (const [at, [name, origin]] of wanted.entries()) {
      const dir = path.join(folder, `${at}`);
      mkdirSync(dir);
      chmodSync(dir, 0o777);
      const own = new Run();
      try {
        if (!origin && !shops[name]) throw new Error("node tests/spellings/install.mjs");
        const { port, version } = origin ? await ready(own, name, origin, dir) : { port: shops[name], version: versionOf(name) };
        const told = await asked(port, targetsOf, verdicts);
        reached.push(...told.reached.map((target) => `${name}: ${target}`));
        rows.push(rowOf({ name, version }, told.cells));
        console.log(rows.at(-1).join(" | "));
      } catch (error) {
        leftOut.push(`${name}: ${error.message.split("\n")[0]}`);
      } finally {
        await own.end();
      }
    }
  } finally {
    await run.end();
  }
  if (docs) {
    writeTable(PAGE, "origins", HEAD, rows, Object.keys(all));
    writeFileSync(inRoot(CODE), readersIn());
  }
  for (const each of leftOut) console.log(`left out: ${each}`);
  for (const each of reached) console.log(`reached: ${each}`);
  return reached.length === 0;
}
