// How the peers' files reach what install.mjs has fetched: clients from npm, and recipes in Python that run in a process of their own.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { inRoot } from "../../scripts/common.mjs";
import { npmFolder, python } from "../contest/install.mjs";

/** Returns a package that install.mjs has fetched. */
export const fetched = (name) => createRequire(path.join(npmFolder, "package.json"))(name);

/** Returns numbers that count up, so that people are spread over `permits` locks in turn. */
export function inTurn(permits) {
  let next = 0;
  return () => next++ % permits;
}

/** Runs a recipe in Python. It reads a line for everything that happens and writes the id of each who has a permit (`waiters.py`). */
export function piped(file, env) {
  const child = spawn(python, ["-u", inRoot("bench", "peers", file), JSON.stringify(env)], { stdio: ["pipe", "pipe", "inherit"] });
  const [waiting, begun, answered] = [new Map(), new Map(), new Map()];
  const say = (what, id) => child.stdin.write(`${JSON.stringify([what, id])}\n`);
  const ready = new Promise((resolve) => {
    readline.createInterface({ input: child.stdout }).on("line", (line) => {
      const [what, id] = JSON.parse(line);
      if (what === "ready") resolve();
      else ({ joined: begun, called: waiting, left: answered })[what].get(id)?.();
    });
  });
  return ready.then(() => ({
    join(id, called) {
      waiting.set(id, called);
      return new Promise((resolve) => {
        begun.set(id, resolve);
        say("join", id);
      });
    },
    leave(id) {
      waiting.delete(id);
      return new Promise((resolve) => {
        answered.set(id, resolve);
        say("leave", id);
      });
    },
    gone(id) {
      waiting.delete(id);
      say("gone", id);
    },
  }));
}
