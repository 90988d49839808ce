// The sizes of what goes to Cloudflare, and of what a waiting visitor loads before the page works.

import { readFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { inRoot } from "../../scripts/common.mjs";
import { assetsDir, workerDir } from "../../scripts/build.mjs";
import { wranglerConfig } from "../../scripts/settings.mjs";

const KB = 1_000;
const zipped = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
const brotli = (file) => brotliCompressSync(readFileSync(file)).length;
const sum = (values) => values.reduce((total, value) => total + value, 0);

export const sizes = {
  name: "sizes",
  begin() {
    const folder = path.join(assetsDir, "__baton", "static");
    const html = readFileSync(path.join(folder, "page.en.html"), "utf8");
    const loaded = [...html.matchAll(/(?:href|src)="\/__baton\/static\/([^"]+)"/g)].map(([, name]) => name);
    const page = ["page.en.html", ...loaded].map((name) => path.join(folder, name));
    const worker = [inRoot(wranglerConfig().main), ...["index.js", "index_bg.wasm"].map((name) => path.join(workerDir(), name))];
    return {
      steps: {},
      rows: () => [
        { what: "the worker, gzipped", value: sum(worker.map(zipped)) / KB, unit: "KB", target: "≤ 400 KB" },
        { what: "the worker's wasm as it is", value: readFileSync(worker[2]).length / KB, unit: "KB" },
        { what: `the waiting page before it works: ${page.length} files, each gzipped`, value: sum(page.map(zipped)) / KB, unit: "KB", target: "≤ 12 KB" },
        { what: "the same by brotli, which browsers get where it is offered", value: sum(page.map(brotli)) / KB, unit: "KB" },
        { what: "keep.js, gzipped", value: zipped(path.join(folder, "keep.js")) / KB, unit: "KB" },
      ],
    };
  },
};
