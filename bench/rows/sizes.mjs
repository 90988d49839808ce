// The sizes of what goes to Cloudflare, of what a waiting visitor loads before the page works, and of the source: its lines, and how many files a
// feature touches.

import { readFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { filesUnder, inRoot } from "../../scripts/common.mjs";
import { assetsDir, workerDir } from "../../scripts/build.mjs";
import { wranglerConfig } from "../../scripts/settings.mjs";

const KB = 1_000;
const zipped = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
const brotli = (file) => brotliCompressSync(readFileSync(file)).length;
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Features, and in how many files of the worker one may be known. A file knows a feature if its code, comments left out, has the word. */
const FEATURES = { hall: 30, edition: 15, carry: 12, strict: 10 };
const codeOf = (file) =>
  readFileSync(file, "utf8")
    .replaceAll(/^\s*\/\/.*$/gm, "")
    .toLowerCase();

/** Rows about the worker's source, which is `src/`. */
function sourceRows() {
  const files = filesUnder(inRoot("src")).filter((file) => file.endsWith(".rs"));
  const code = files.map(codeOf);
  const lines = sum(files.map((file) => readFileSync(file, "utf8").split("\n").length - 1));
  return [
    { what: "the worker's source, Rust, with its comments", value: lines, unit: "lines", target: "≤ 21000 lines" },
    ...Object.entries(FEATURES).map(([word, most]) => ({
      what: `files of it that know of *${word}*`,
      value: code.filter((text) => text.includes(word)).length,
      unit: "files",
      target: `≤ ${most} files`,
    })),
  ];
}

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
        {
          what: `the waiting page before it works: ${page.length} files, each gzipped`,
          value: sum(page.map(zipped)) / KB,
          unit: "KB",
          target: "≤ 12 KB",
        },
        { what: "the same by brotli, which browsers get where it is offered", value: sum(page.map(brotli)) / KB, unit: "KB" },
        ...sourceRows(),
        { what: "keep.js, gzipped", value: zipped(path.join(folder, "keep.js")) / KB, unit: "KB" },
      ],
    };
  },
};
