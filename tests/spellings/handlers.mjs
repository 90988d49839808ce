// Node's frameworks, as origins with a gated page: tests/spellings/node/handlers.mjs starts them. They need no more than Node.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { inRoot, npmProgram } from "../../scripts/common.mjs";

const home = inRoot("tests", "spellings", "node");
/** Name → its package; nothing for Node's own. restify changes Node's requests for a whole process, so it has one of its own. */
const SHOPS = {
  Express: ["express", "express"],
  "Express 4": ["express-4", "express-4"],
  Fastify: ["fastify", "fastify"],
  Koa: ["koa", "koa"],
  Hono: ["hono", "hono"],
  hapi: ["hapi", "@hapi/hapi"],
  Polka: ["polka", "polka"],
  h3: ["h3", "h3"],
  tinyhttp: ["tinyhttp", "@tinyhttp/app"],
  Connect: ["connect", "connect"],
  router: ["router", "router"],
  "find-my-way": ["find-my-way", "find-my-way"],
  "itty-router": ["itty-router", "itty-router"],
  sirv: ["sirv", "sirv"],
  send: ["send", "send"],
  "Node, new URL": ["new URL"],
  "Node, url.parse": ["url.parse"],
};
const ALONE = { restify: ["restify", "restify"] };
const ALL = { ...SHOPS, ...ALONE };

export const NAMES = Object.keys(ALL);
export const isInstalled = () => existsSync(`${home}/node_modules/restify`);

/** The version of what an origin is made of. */
export function versionOf(name) {
  const [, from] = ALL[name];
  if (!from) return readFileSync(inRoot("node_modules", "node", "package.json"), "utf8").match(/"version": "([^"]+)"/)[1];
  return JSON.parse(readFileSync(`${home}/node_modules/${from}/package.json`, "utf8")).version;
}

/** Starts all of a group in one process. Resolves to name → port. */
function startGroup(t, group) {
  const child = spawn(npmProgram("node"), [`${home}/handlers.mjs`, ...Object.values(group).map(([name]) => name)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  t.after(kill);
  return new Promise((resolve, reject) => {
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said = (said + chunk).slice(-20_000);
        const ports = new Map([...said.matchAll(/^(.+) listening on 127\.0\.0\.1:(\d+)$/gm)].map(([, name, port]) => [name, Number(port)]));
        if (ports.size === Object.keys(group).length) resolve(Object.entries(group).map(([shown, [name]]) => [shown, ports.get(name)]));
      });
    child.once("exit", (code) => reject(new Error(`the shops ended (${code}): ${said.slice(-2_000)}`)));
  });
}

/** Starts all. Resolves to name → port. */
export async function startShops(t) {
  const groups = await Promise.all([SHOPS, ALONE].map((group) => startGroup(t, group)));
  return Object.fromEntries(groups.flat());
}
