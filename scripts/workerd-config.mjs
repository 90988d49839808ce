// Writes the configuration with which workerd serves the built worker, from wrangler.toml's facts: for `runtime.mjs`, which
// runs it here, and for `self-host.mjs`, which puts it on somebody's server.
//
// What Cloudflare does around a worker and workerd does not is imitated by `workerd-door.js`: static assets are
// answered before the worker.

import { existsSync } from "node:fs";
import path from "node:path";
import { inRoot } from "./common.mjs";
import { objectBindings, wranglerConfig } from "./settings.mjs";

/** A Cap'n Proto text. JSON's escapes are a subset of it but for \\uXXXX. */
const text = (value) => JSON.stringify(value).replace(/\\u00([0-9a-f]{2})/g, "\\x$1");

/** What a variable is bound to: a text, the value of a variable of the process (`{ fromEnvironment }`), or any JSON. */
function bound(name, value) {
  if (typeof value === "string") return `(name = ${text(name)}, text = ${text(value)})`;
  if (typeof value?.fromEnvironment === "string") return `(name = ${text(name)}, fromEnvironment = ${text(value.fromEnvironment)})`;
  return `(name = ${text(name)}, json = ${text(JSON.stringify(value))})`;
}

/**
 * The whole workerd configuration, to be written into `folder`. Embedded files are named relative to it, so it works from
 * any working directory; `storage` and `assetsDir` stand in it as they are given. Options as for `startRuntime`, and
 *
 *   entry        the worker's entry, if it is not where the project has it
 *   helpers      where `workerd-door.js` and `workerd-assets.js` lie
 *   address      what the port is bound to unless the command line says otherwise
 *   behindProxy  the scheme is what `X-Forwarded-Proto` says: only behind a proxy that always sets it
 */
export function configText({
  folder, vars, storage, originService, workerDir, assetsDir, door = true, wrapper, beside = [],
  entry = inRoot(wranglerConfig().main), helpers = inRoot("scripts"), address = "127.0.0.1:0", behindProxy = false,
}) {
  const config = wranglerConfig();
  const objects = objectBindings(config);
  const file = (name) => text(path.relative(folder, name));
  const flags = config.compatibility_flags ?? [];
  const hasAssets = Boolean(assetsDir) && existsSync(path.resolve(folder, assetsDir));
  const http = behindProxy ? `(forwardedProtoHeader = "X-Forwarded-Proto")` : "()";
  // Module names only have to resolve against each other as the files do.
  const moduleName = (name) => path.relative(inRoot(), name);
  const bindings = [
    ...objects.map(({ binding, className }) => `(name = ${text(binding)}, durableObjectNamespace = ${text(className)})`),
    ...Object.entries(vars).filter(([, value]) => value !== undefined).map(([name, value]) => bound(name, value)),
    ...(hasAssets ? [`(name = "ASSETS", service = "assets")`] : []),
    ...(originService ? [`(name = "ORIGIN", service = "origin")`] : []),
  ];
  const services = [
    `(name = "main", worker = .main)`,
    `(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true)))`,
    ...(hasAssets ? [`(name = "assets", worker = .assets)`, `(name = "files", disk = ${text(assetsDir)})`] : []),
    ...(hasAssets && door ? [`(name = "door", worker = .door)`] : []),
    ...(originService ? [`(name = "origin", external = (address = ${text(originService)}, http = ()))`] : []),
    `(name = "data", disk = (path = ${text(storage)}, writable = true))`,
    ...beside.map(({ name }) => `(name = ${text(name)}, worker = .${name})`),
  ];
  const helper = (entrypoint) => `(
  modules = [(name = "${entrypoint}.js", esModule = embed ${file(path.join(helpers, `workerd-${entrypoint}.js`))})],
  compatibilityDate = ${text(config.compatibility_date)},
  bindings = [${entrypoint === "door" ? `(name = "MAIN", service = "main"), (name = "ASSETS", service = "assets")` : `(name = "FILES", service = "files")`}],
)`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [\n    ${services.join(",\n    ")}\n  ],
  sockets = [(name = "http", address = ${text(address)}, http = ${http}, service = ${hasAssets && door ? `"door"` : `"main"`})${beside.map(({ name }) => `, (name = ${text(name)}, address = "127.0.0.1:0", http = (), service = ${text(name)})`).join("")}],
);
const main :Workerd.Worker = (
  modules = [
    ${wrapper ? `(name = ${text(moduleName(wrapper))}, esModule = embed ${file(wrapper)}),` : ""}
    (name = ${text(config.main)}, esModule = embed ${file(entry)}),
    (name = "build/index.js", esModule = embed ${file(path.join(workerDir, "index.js"))}),
    (name = "build/index_bg.wasm", wasm = embed ${file(path.join(workerDir, "index_bg.wasm"))}),
  ],
  compatibilityDate = ${text(config.compatibility_date)},
  compatibilityFlags = [${flags.map(text).join(", ")}],
  bindings = [\n    ${bindings.join(",\n    ")}\n  ],
  durableObjectNamespaces = [${objects.map(({ className }) => `(className = ${text(className)}, uniqueKey = ${text(`baton-${className}`)}, enableSql = true)`).join(", ")}],
  durableObjectStorage = (localDisk = "data"),
  globalOutbound = "internet",
);
${hasAssets ? `const assets :Workerd.Worker = ${helper("assets")};` : ""}
${hasAssets && door ? `const door :Workerd.Worker = ${helper("door")};` : ""}
${beside.map(({ name, worker }) => `const ${name} :Workerd.Worker = ${worker(file)};`).join("\n")}
`;
}
