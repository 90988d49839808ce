// The real front on workerd, with lobbies, and if need be a room, that do what a test says: be full, hang, throw, talk nonsense.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { settingsModule, workerDir } from "../../../scripts/build.mjs";
import { inRoot, npmProgram } from "../../../scripts/common.mjs";
import { wranglerConfig } from "../../../scripts/settings.mjs";
import { Visitor } from "../../support/visitor.mjs";
import { ensureBuilt, startOrigin } from "./world.mjs";

/**
 * `script({ room, lobby, path, ask })` gives what the lobby does: `{ told }`, `{ status, headers }`, `{ text }`, `{ throws }`,
 * `{ socket: true, told }`, or a promise of it. `calls` are all calls in their order; `pages` is what the front tells of those it filled.
 * `ofRoom({ room, path })` gives what the room itself does, when the front asks it; without it, an error.
 */
export async function startScripted(
  t,
  {
    room = {},
    rooms,
    script,
    ofRoom = (/** @type {{ room: string, path: string }} */ _asked) => ({ status: 500, text: "nobody asks the room here" }),
    origin = (_request, response) => response.end("in"),
  },
) {
  await ensureBuilt();
  const calls = [];
  const director = await startOrigin(t, async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const {
      "baton-room": name,
      "baton-lobby": lobby,
      "scripted-path": at,
      "scripted-object": object,
      "baton-ask": asked,
      "baton-pages": pages,
    } = request.headers;
    if (object === "RoomObject") return void response.end(JSON.stringify(await ofRoom({ room: name, path: at })));
    const call = { room: name, lobby: Number(lobby), path: at, pages, ask: asking(asked ?? Buffer.concat(chunks).toString()) };
    calls.push(call);
    response.end(JSON.stringify(await script(call, calls.length)));
  });
  const site = await startOrigin(t, origin);
  const vars = {
    ROOMS: rooms ?? { onsale: { paths: ["/buy/*"], permits: 1, ...room } },
    BATON_SECRET: "scripted-scripted-scripted-scripted",
    ORIGIN: site.url,
    DIRECTOR: director.url,
  };
  const url = await launch(t, vars);
  return { url, calls, site, visitor: () => new Visitor({ url: new URL("/buy/", url) }), port: Number(new URL(url).port) };
}

/**
 * What a lobby tells besides the fields of the status.
 * @typedef {{ lease?: object | null, full?: boolean, issued?: boolean, no_walk_in?: boolean, at?: number, number?: number, [field: string]: unknown }} Told
 */

/** The version, then JSON; nothing where nothing is asked. */
function asking(text) {
  if (text === "") return undefined;
  if (!text.startsWith("1")) throw new Error(`the front asks in another form: ${text}`);
  return JSON.parse(text.slice(1));
}

/** A status as lobbies tell it; `at`: the place is in that lobby. */
export const told = (/** @type {Told} */ { lease = null, full = false, issued = false, no_walk_in = false, at, ...status } = {}) => ({
  status: { state: "none", room: "onsale", version: 1, mode: "open", poll_after_s: 4, ...(status.number && { edition: 1 }), ...status },
  issued,
  lease,
  full,
  no_walk_in,
  ...(at !== undefined && { at }),
});

async function launch(t, vars) {
  const work = mkdtempSync(path.join(os.tmpdir(), "baton-scripted-"));
  const file = path.join(work, "config.capnp");
  writeFileSync(file, configText(work, vars));
  const child = spawn(npmProgram("workerd"), ["serve", file, "--experimental", "--socket-addr=http=127.0.0.1:0", "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  t.after(async () => {
    child.kill("SIGKILL");
    rmSync(work, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 });
  });
  return await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`workerd ended: ${code}`)));
    let control = "";
    child.stdio[3].on("data", (chunk) => {
      control += chunk;
      const listening = control
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .find(({ event, socket }) => event === "listen" && socket === "http");
      if (listening) resolve(`http://127.0.0.1:${listening.port}`);
    });
  });
}

function configText(work, vars) {
  const text = (value) => JSON.stringify(value);
  const embed = (name) => text(path.relative(work, name));
  const build = workerDir();
  const bindings = Object.entries(vars).map(([name, value]) =>
    typeof value === "string" ? `(name = ${text(name)}, text = ${text(value)})` : `(name = ${text(name)}, json = ${text(JSON.stringify(value))})`,
  );
  const objects = [
    ["ROOM", "RoomObject"],
    ["LOBBY", "LobbyObject"],
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [
    (name = "src/edge/scripted.js", esModule = embed ${embed(inRoot("tests", "runtime", "support", "scripted_lobby.js"))}),
    (name = "src/edge/entry.js", esModule = embed ${embed(inRoot("src", "edge", "entry.js"))}),
    (name = "src/edge/probe.js", esModule = embed ${embed(inRoot("src", "edge", "probe.js"))}),
    (name = "build/settings.js", esModule = ${text(settingsModule({}))}),
    (name = "build/index.js", esModule = embed ${embed(path.join(build, "index.js"))}),
    (name = "build/index_bg.wasm", wasm = embed ${embed(path.join(build, "index_bg.wasm"))}),
  ],
  compatibilityDate = ${text(wranglerConfig().compatibility_date)},
  compatibilityFlags = [${(wranglerConfig().compatibility_flags ?? []).map(text).join(", ")}],
  bindings = [${[...bindings, ...objects.map(([name, cls]) => `(name = ${text(name)}, durableObjectNamespace = ${text(cls)})`)].join(", ")}],
  durableObjectNamespaces = [${objects.map(([, cls]) => `(className = ${text(cls)}, uniqueKey = ${text(cls)})`).join(", ")}],
  durableObjectStorage = (inMemory = void),
  globalOutbound = "internet",
);
`;
}
