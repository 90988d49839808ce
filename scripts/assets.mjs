/*
 * Builds what the edge serves as static files: one page template for each language, and its style and modules under
 * names that change with their content. The same input gives the same bytes. Only what draws a QR code is bundled,
 * since it comes from a package; it loads when somebody asks for one.
 *
 *   node scripts/assets.mjs [outDir]
 */

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build as bundle } from "esbuild";

const WEB = join(dirname(fileURLToPath(import.meta.url)), "..", "web");
const PREFIX = "/__baton/static/";
/** In the order of who imports whom: a module's name depends on the names of what it imports. */
const MODULES = ["frame.js", "line.js", "connection.js", "view.js", "main.js"];
const PLACEHOLDERS = [
  "state", "reason", "mode", "missed", "notice", "room", "number", "ahead", "waiting", "eta_min", "eta_max", "refresh_s",
  "message", "status",
];

/**
 * Writes `outDir/__baton/static/*` and `outDir/_headers`. Throws when a text is missing in a language, when a
 * placeholder is not one that the front fills, or when an import is unknown.
 */
export async function buildAssets(outDir) {
  const target = join(outDir, PREFIX);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const names = new Map();
  const headers = new Map();
  const emit = async (name, text, cache) => {
    await writeFile(join(target, name), text);
    headers.set(name, cache);
  };
  const emitHashed = async (name, text) => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 10);
    names.set(name, name.replace(/(?=\.\w+$)/, `.${hash}`));
    await emit(names.get(name), text, ["Cache-Control: public, max-age=31536000, immutable"]);
  };

  await emitHashed("page.css", lean(await source("page.css")));
  await emitHashed("carry.css", lean(await source("carry.css")));
  const carryPage = await source("carry.html");
  for (const { js, ...texts } of await textsIn("carry")) {
    await emitHashed(`carry.${texts.lang}.js`, await bundleCarry({ ...js }, PREFIX + names.get("carry.css")));
    await emit(`carry.${texts.lang}.html`, fillPage(carryPage, texts, names), ["Cache-Control: no-store", "X-Robots-Tag: noindex"]);
  }
  for (const name of MODULES) await emitHashed(name, rewriteImports(lean(await source(name)), names));
  const page = await source("page.html");
  for (const { lang, js, ...texts } of await textsIn("locales")) {
    const entry = `import { start } from "./main.js";\nstart(${JSON.stringify(js)});\n`;
    await emitHashed(`${lang}.js`, rewriteImports(entry, names));
    await emit(`page.${lang}.html`, fillPage(page, { lang, ...texts }, names), ["Cache-Control: no-store", "X-Robots-Tag: noindex"]);
  }
  await emit("keep.js", lean(await source("keep.js")), ["Cache-Control: public, max-age=300"]);
  await writeFile(join(outDir, "_headers"), headersFile(headers));
}

/** The module that shows a link, with its words and what draws its QR code. */
async function bundleCarry(words, styles) {
  const contents = `import { open as show } from "./carry.js";\nexport const open = (button) => show(button, ${JSON.stringify(words)}, "${styles}");\n`;
  const { outputFiles } = await bundle({
    stdin: { contents, resolveDir: WEB }, bundle: true, minify: true, write: false, format: "esm", target: "es2020", charset: "utf8",
  });
  return outputFiles[0].text;
}

async function source(name) {
  return await readFile(join(WEB, name), "utf8");
}

/** The texts of every language in a folder. All have the same keys. */
async function textsIn(folder) {
  const files = (await readdir(join(WEB, folder))).filter((name) => name.endsWith(".json")).sort();
  const all = await Promise.all(files.map(async (name) => JSON.parse(await source(join(folder, name)))));
  for (const texts of all) {
    for (const other of all) {
      const missing = [...keys(other)].filter((key) => !keys(texts).has(key));
      if (missing.length) throw new Error(`web/${folder}/${texts.lang}.json lacks ${missing.join(", ")}`);
    }
  }
  return all;
}

function keys({ js, ...texts }) {
  return new Set([...Object.keys(texts), ...Object.keys(js).map((key) => `js.${key}`)]);
}

function fillPage(page, texts, names) {
  const preloads = [...MODULES].reverse().map((name) => `<link rel="modulepreload" href="${PREFIX}${names.get(name)}">`).join("\n");
  const html = page
    .replace(/<!--[^]*?-->\n/g, "")
    .replace("@@modulepreloads@@", preloads)
    .replace("@@entry@@", PREFIX + names.get(`${texts.lang}.js`))
    .replace("@@carry@@", PREFIX + (names.get(`carry.${texts.lang}.js`) ?? names.get("carry.en.js")))
    .replace("@@page.css@@", PREFIX + names.get("page.css"))
    .replace("@@carry.css@@", PREFIX + names.get("carry.css"))
    .replace(/\[\[([\w.]+)\]\]/g, (whole, key) => {
      if (texts[key] === undefined) throw new Error(`web/page.html wants ${key}, which no locale has`);
      return escape(texts[key]);
    });
  for (const [, name] of html.matchAll(/\{\{(.*?)\}\}/g)) {
    if (!PLACEHOLDERS.includes(name)) throw new Error(`{{${name}}} is not among the placeholders of docs/protocol.md`);
  }
  return html;
}

function rewriteImports(text, names) {
  return text.replace(/(from ")\.\/([\w.]+)(")/g, (whole, before, name, after) => {
    if (!names.has(name)) throw new Error(`an import of ${name}, which is not built before its importer`);
    return `${before}./${names.get(name)}${after}`;
  });
}

/**
 * Less to send: comments that fill whole lines, indentation and empty lines. It knows nothing of the language, so the
 * sources keep two rules: no text that spans lines, no comment delimiter at the start of a line that is not a comment.
 */
function lean(text) {
  return text.replace(/^[ \t]*\/\*[^]*?\*\/[ \t]*\n/gm, "").replace(/^[ \t]*\/\/.*\n/gm, "").replace(/^\s+/gm, "");
}

function escape(text) {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** The `_headers` file of Cloudflare's static assets. One rule a file: a header that two rules set would be joined. */
function headersFile(headers) {
  return [...headers].map(([name, lines]) =>
    [PREFIX + name, ...[...lines, "X-Content-Type-Options: nosniff"].map((line) => `  ${line}`)].join("\n") + "\n").join("");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildAssets(process.argv[2] ?? "build/assets");
