// A proxy as its section of docs/fronts.md has it: the blocks are read there, and only what the list says is put in their place.

import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot } from "../../../scripts/common.mjs";
import { freePort } from "../../runtime/support/self_hosted.mjs";
import { eventually } from "../../runtime/harness.mjs";
import { Person } from "./person.mjs";

export const PAGE = "docs/fronts.md";

/** Returns the blocks below a heading of the page. */
export function blocksOf(name, text = readFileSync(inRoot(PAGE), "utf8")) {
  const section = text.split(/^## /m).find((each) => each.startsWith(`${name}\n`)) ?? "";
  return [...section.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, block]) => block.trimEnd());
}

const EVERYWHERE = [
  ["8787", "@baton@"],
  ["/etc/ssl/", "@dir@/"],
];

/**
 * Returns a proxy's files and commands, filled in: `places` has what stands for `@dir@` and the like. `isCached` turns its cache on. Throws if the blocks
 * have nothing of what the list replaces: then the page says something else.
 */
export function filled({ name, said = [], files, runs, cached }, places, { isCached = false, blocks = blocksOf(name) } = {}) {
  const marks = blocks.map((block, at) => [`@${at + 1}@`, block]);
  const pairs = [...said, ...EVERYWHERE, ...(isCached ? cached : [])];
  const put = (text, by) => by.reduce((so, [from, to]) => so.replaceAll(from, () => to), text);
  const texts = [...Object.values(files), ...runs].map((text) => put(text, marks));
  for (const [from] of pairs) if (!texts.some((text) => text.includes(from))) throw new Error(`no block says: ${from}`);
  const ready = texts.map((text) =>
    put(
      put(text, pairs),
      Object.entries(places).map(([key, value]) => [`@${key}@`, `${value}`]),
    ),
  );
  return {
    files: Object.fromEntries(Object.keys(files).map((file, at) => [file, ready[at]])),
    runs: ready.slice(-runs.length).map((line) => line.trim().split(/\s+/)),
  };
}

/** Where programs look for what was unpacked with them. */
export const libraries = (root) =>
  [
    path.join(root, "usr", "lib"),
    ...(existsSync(path.join(root, "usr", "lib"))
      ? readdirSync(path.join(root, "usr", "lib"))
          .filter((each) => each.endsWith("-linux-gnu"))
          .map((each) => path.join(root, "usr", "lib", each))
      : []),
  ].join(":");

/** Ends a proxy's process and those that it has started: nothing of it is kept. */
function endAll(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It was gone.
  }
}

const running = new Set();
process.once("exit", () => running.forEach(endAll));

/**
 * Starts a proxy in `dir`, with the packages that are in `root` and the certificate of `ssl`, before the port `baton`. Resolves to `{ at, said, stop }` once it
 * answers.
 */
export async function startFront(front, { dir, root, ssl, baton, ca, isCached }) {
  mkdirSync(dir, { recursive: true });
  mkdirSync(path.join(dir, "kept"));
  for (const folder of [dir, path.join(dir, "kept")]) chmodSync(folder, 0o777);
  for (const file of ["tickets.crt", "tickets.key", "tickets.pem"]) copyFileSync(path.join(ssl, file), path.join(dir, file));
  const port = await freePort();
  const { files, runs } = filled(front, { dir, root, port, inner: await freePort(), baton }, { isCached });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(dir, file), `${text}\n`);
  let printed = "";
  const log = path.join(dir, "log");
  const said = () => printed + (existsSync(log) ? readFileSync(log, "utf8") : "");
  const children = runs.map(([program, ...args]) => {
    const child = spawn(path.join(root, program), args, {
      cwd: dir,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOME: dir, LD_LIBRARY_PATH: libraries(root) },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        printed = (printed + chunk).slice(-20_000);
      });
    child.on("error", (error) => {
      printed += error.message;
    });
    running.add(child);
    return child;
  });
  const stop = () =>
    Promise.all(
      children.map(
        (child) =>
          new Promise((resolve) => {
            if (child.exitCode !== null || child.signalCode !== null || !child.pid) resolve();
            child.once("exit", resolve);
            endAll(child);
            running.delete(child);
          }),
      ),
    );
  const at = { port, ca };
  const answers = async () => {
    const ended = children.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    if (ended) throw new Error("it ended");
    return new Person(at).ask("/__baton/health").then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  try {
    await eventually(answers, { what: "an answer through it" });
  } catch (error) {
    await stop();
    throw new Error(`${error.message}: ${said().trim().split("\n").slice(-3).join(" / ")}`);
  }
  return { at, said, stop };
}
