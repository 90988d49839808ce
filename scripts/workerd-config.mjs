// Writes the configuration with which workerd serves the built worker, from wrangler.toml's facts: for `runtime.mjs`, which runs it here, and for
// `self-host.mjs`, which puts it on somebody's server.
//
// Cloudflare answers static assets before the worker; workerd does not, so `workerd-door.js` imitates that. Webhooks go by `OUTSIDE`, which leads to
// public addresses only, whatever a name resolves to; Cloudflare's own network has no others.

import { existsSync } from "node:fs";
import path from "node:path";
import { settingsModule } from "./build.mjs";
import { inRoot } from "./common.mjs";
import { objectBindings, wranglerConfig } from "./settings.mjs";

/** Returns a Cap'n Proto text. JSON's escapes are a subset of it but for \\uXXXX. */
const text = (value) => JSON.stringify(value).replace(/\\u00([0-9a-f]{2})/g, "\\x$1");

/** Returns which of the runtime's behaviours a worker gets: those of wrangler.toml. The benchmarks' ceilings get them too. */
export const compatibility = ({ compatibility_date: date, compatibility_flags: flags = [] } = wranglerConfig()) => `compatibilityDate = ${text(date)},
  compatibilityFlags = [${flags.map(text).join(", ")}]`;

/** Without it the runtime holds an object's `Date.now()`, its timers and its alarms up until the host's clock has caught up with where it was set back. */
const PRECISE_TIMERS = "precise_timers";

/** Returns the binding of a variable: a text, the value of a variable of the process (`{ fromEnvironment }`), or any JSON. */
function bound(name, value) {
  if (typeof value === "string") return `(name = ${text(name)}, text = ${text(value)})`;
  if (typeof value?.fromEnvironment === "string") return `(name = ${text(name)}, fromEnvironment = ${text(value.fromEnvironment)})`;
  return `(name = ${text(name)}, json = ${text(JSON.stringify(value))})`;
}

/**
 * Returns the whole workerd configuration, to be written into `folder`. Embedded files are named relative to it, so it works from any working
 * directory; `storage` and `assetsDir` stand in it as they are given. Options as for `startRuntime`, and
 *
 *   entry        the worker's entry, if it is not where the project has it
 *   helpers      the folder of `workerd-door.js` and `workerd-assets.js`
 *   address      what the port is bound to unless the command line says otherwise
 *   stays        objects stay in memory while something is pending, and go on when somebody sets the host's clock; false: as on Cloudflare, whose
 *                clocks are right
 *   behindProxy  the scheme is what `X-Forwarded-Proto` says: only behind a proxy that always sets it
 *   addressHeader  the header in which that proxy sets the visitor's address, if it cannot set `CF-Connecting-IP`; needs the door
 *
 * @param {import("./runtime.mjs").Serving & { folder: string, storage: string, entry?: string, helpers?: string, address?: string,
 *   stays?: boolean }} of
 */
export function configText({
  folder,
  vars,
  storage,
  originService,
  workerDir,
  assetsDir,
  door = true,
  wrapper,
  beside = [],
  homes = {},
  fronts = {},
  settings = {},
  v8Flags = [],
  entry = inRoot(wranglerConfig().main),
  helpers = inRoot("scripts"),
  address = "127.0.0.1:0",
  behindProxy = false,
  addressHeader,
  stays = true,
}) {
  const config = wranglerConfig();
  const file = (name) => text(path.relative(folder, name));
  const hasAssets = Boolean(assetsDir) && existsSync(path.resolve(folder, assetsDir));
  const http = behindProxy ? `(forwardedProtoHeader = "X-Forwarded-Proto")` : "()";
  const more = (of) => [
    ...Object.entries(of)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => bound(name, value)),
    ...(hasAssets ? [`(name = "ASSETS", service = "assets")`] : []),
    ...(originService ? [`(name = "ORIGIN", service = "origin")`] : []),
  ];
  const baton = (name, dir, of = vars) => batonWorker({ config, name, dir, file, wrapper, entry, homes, more: more(of), settings, stays });
  const services = [
    `(name = "main", worker = .main)`,
    ...Object.keys(fronts).map((name) => `(name = ${text(name)}, worker = .${name})`),
    ...Object.keys(homes).map((className) => `(name = "${homeOf(className)}", worker = .${homeOf(className)})`),
    `(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true)))`,
    `(name = "outside", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true)))`,
    ...(hasAssets ? [`(name = "assets", worker = .assets)`, `(name = "files", disk = ${text(assetsDir)})`] : []),
    ...(hasAssets && door ? [`(name = "door", worker = .door)`] : []),
    ...(originService ? [`(name = "origin", external = ${external(originService)})`] : []),
    `(name = "data", disk = (path = ${text(storage)}, writable = true))`,
    ...beside.map(({ name }) => `(name = ${text(name)}, worker = .${name})`),
  ];
  // The door's own flags decide what is agreed on with a socket that comes through it.
  const helper = (entrypoint) => `(
  modules = [(name = "${entrypoint}.js", esModule = embed ${file(path.join(helpers, `workerd-${entrypoint}.js`))})],
  ${compatibility(config)},
  bindings = [${entrypoint === "door" ? `(name = "MAIN", service = "main"), (name = "ASSETS", service = "assets")${addressHeader ? `, ${bound("ADDRESS_HEADER", addressHeader)}` : ""}` : `(name = "FILES", service = "files")`}],
)`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [\n    ${services.join(",\n    ")}\n  ],
  v8Flags = [${v8Flags.map(text).join(", ")}],
  sockets = [(name = "http", address = ${text(address)}, http = ${http}, service = ${hasAssets && door ? `"door"` : `"main"`})${[...beside.map(({ name }) => name), ...Object.keys(fronts)].map((name) => `, (name = ${text(name)}, address = "127.0.0.1:0", http = (), service = ${text(name)})`).join("")}],
);
const main :Workerd.Worker = ${baton("main", workerDir)};
${Object.entries(fronts)
  .map(([name, changed]) => `const ${name} :Workerd.Worker = ${baton(name, workerDir, { ...vars, ...changed })};`)
  .join("\n")}
${Object.entries(homes)
  .map(([className, dir]) => `const ${homeOf(className)} :Workerd.Worker = ${baton(className, dir)};`)
  .join("\n")}
${hasAssets ? `const assets :Workerd.Worker = ${helper("assets")};` : ""}
${hasAssets && door ? `const door :Workerd.Worker = ${helper("door")};` : ""}
${beside.map(({ name, worker }) => `const ${name} :Workerd.Worker = ${worker(file)};`).join("\n")}
`;
}

/** Returns a site outside, asked under whatever host the request has: `"host:port"` without TLS, or `{ address, certificateHost }`. */
function external(site) {
  const { address, certificateHost } = typeof site === "string" ? { address: site } : site;
  if (!certificateHost) return `(address = ${text(address)}, http = ())`;
  return `(address = ${text(address)}, https = (tlsOptions = (trustBrowserCas = true), certificateHost = ${text(certificateHost)}))`;
}

/** Returns the service in which the objects of a class run, if it is not the front's. */
const homeOf = (className) => `home${className}`;

/**
 * Returns Baton's worker as built in `dir`. `name` is "main", the front with all objects that have no home of their own in `homes`; or the class
 * whose home it is; or a front beside it, with no object of its own.
 */
function batonWorker({ config, name, dir, file, wrapper, entry, homes, more, settings, stays }) {
  const objects = objectBindings(config);
  const isHere = (className) => (name === "main" ? !(className in homes) : className === name);
  const serviceOf = (className) => (className in homes ? homeOf(className) : "main");
  const designator = (className) =>
    isHere(className) ? text(className) : `(className = ${text(className)}, serviceName = ${text(serviceOf(className))})`;
  const bindings = [
    ...objects.map(({ binding, className }) => `(name = ${text(binding)}, durableObjectNamespace = ${designator(className)})`),
    `(name = "OUTSIDE", service = "outside")`,
    ...(stays ? [`(name = "OBJECTS_STAY", text = "yes")`] : []),
    ...more,
  ];
  const hosted = objects.filter(({ className }) => isHere(className));
  // Module names only have to resolve against each other as the files do.
  const moduleName = (name) => path.relative(inRoot(), name);
  return `(
  modules = [
    ${[wrapper ?? []]
      .flat()
      .map((each) => `(name = ${text(moduleName(each))}, esModule = embed ${file(each)}),`)
      .join("\n    ")}
    (name = ${text(config.main)}, esModule = embed ${file(entry)}),
    (name = ${text(path.posix.join(path.posix.dirname(config.main), "probe.js"))}, esModule = embed ${file(path.join(path.dirname(entry), "probe.js"))}),
    (name = "build/settings.js", esModule = ${text(settingsModule(settings))}),
    (name = "build/index.js", esModule = embed ${file(path.join(dir, "index.js"))}),
    (name = "build/index_bg.wasm", wasm = embed ${file(path.join(dir, "index_bg.wasm"))}),
  ],
  ${compatibility({ ...config, compatibility_flags: [...(config.compatibility_flags ?? []), ...(stays ? [PRECISE_TIMERS] : [])] })},
  bindings = [\n    ${bindings.join(",\n    ")}\n  ],
  durableObjectNamespaces = [${hosted.map(({ className }) => `(className = ${text(className)}, uniqueKey = ${text(`baton-${className}`)}, enableSql = true)`).join(", ")}],
  durableObjectStorage = (localDisk = "data"),
  globalOutbound = "internet",
)`;
}
