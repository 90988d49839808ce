// How the shop of a client starts: its packages are installed, its scripts bundled, its framework's server started.

import path from "node:path";
import { buildSync } from "esbuild";
import { installed } from "../install.mjs";
import { CLIENTS as SCRIPTS } from "./clients.mjs";
import { FRAMEWORKS, serving } from "./frameworks.mjs";
import { startShop } from "./shop.mjs";

export const CLIENTS = { ...SCRIPTS, ...FRAMEWORKS };

/** Returns how a client's shop starts, and how what serves it stops. */
export async function starter(name, client) {
  const folder = client.packages ? await installed(client.at ?? name, client.packages, client) : undefined;
  if (client.serve) return serving(client, folder);
  const files = Object.fromEntries(Object.entries(client.files ?? {}).map(([at, file]) => [at, path.join(folder, "node_modules", file)]));
  for (const [at, contents] of Object.entries(client.bundles ?? {})) {
    files[at] = path.join(folder, `bundle-${name}${at}`);
    buildSync({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      minify: true,
      outfile: files[at],
      define: { "process.env.NODE_ENV": '"production"' },
    });
  }
  return { start: () => startShop(client, files), stop() {} };
}
