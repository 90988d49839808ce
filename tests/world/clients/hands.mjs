// What does the asking: a program that reads what to ask, a command for each request, or a browser in a terminal whose keys are pressed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** No request of these plays takes so long. */
const ANSWER_MS_MAX = 30_000;

/** Returns the environment of a client: it trusts the run's authority, goes through no proxy, and has a home of its own. */
function environment({ ca, home }) {
  const trust = Object.fromEntries(
    ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "PERL_LWP_SSL_CA_FILE"].map((name) => [name, ca]),
  );
  const others = Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name));
  return { ...Object.fromEntries(others), ...trust, HOME: home, TERM: "xterm" };
}

/** Starts a command in a group of its own, so that `end()` ends whatever it has started too. */
function started([command, ...args], at) {
  const child = spawn(command, args, { detached: true, cwd: at.home, env: environment(at), stdio: ["pipe", "pipe", "pipe"] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(chunk.toString()));
  child.stdin.on("error", () => {});
  const gone = new Promise((resolve) => child.once("close", resolve).once("error", (error) => resolve(said.push(error.message))));
  const end = async () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await gone;
  };
  return { child, gone, end, said: () => said.join("") };
}

async function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${what} within ${ANSWER_MS_MAX} ms`)), ANSWER_MS_MAX);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A program that answers each line. `ask(method, url)` resolves when the answer is there. */
function programHands(client, mode, at) {
  const { child, gone, end, said } = started(client.program(mode, at), at);
  const lines = createInterface({ input: child.stdout });
  return {
    end,
    said,
    async ask(method, url) {
      child.stdin.write(`${method} ${url}\n`);
      const isOver = await within(Promise.race([once(lines, "line").then(() => false), gone.then(() => true)]), url);
      if (isOver) throw new Error(`it ended: ${said().trim().split("\n").at(-1)}`);
    },
  };
}

/** A command for each request. */
function commandHands(client, mode, at) {
  let last;
  return {
    end: async () => last?.end(),
    said: () => last?.said() ?? "",
    async ask(method, url) {
      last = started(client.each(mode, method, url, at), at);
      await within(last.gone, url);
    },
  };
}

/** A browser in a terminal of 120 columns and 40 rows. `open(url)` starts it, `reload()` presses its key. */
function browserHands(client, mode, at) {
  let terminal;
  return {
    end: async () => terminal?.end(),
    said: () => terminal?.said() ?? "",
    open(url) {
      terminal = started(["script", "-qfec", `stty cols 120 rows 40; ${client.shows(mode, url, at)}`, "/dev/null"], at);
    },
    reload() {
      terminal.child.stdin.write(client.reload);
    },
  };
}

/** Returns what asks in a client's name. */
export function handsOf(client, mode, at) {
  if (client.program) return programHands(client, mode, at);
  return client.each ? commandHands(client, mode, at) : browserHands(client, mode, at);
}
