import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { buildAssets } from "../../scripts/assets.mjs";
import { builtAssets } from "./stub.mjs";

const LANGUAGES = ["en", "ja"];
const PAGE_BYTES_MAX = 12 * 1024;
const KEEP_BYTES_MAX = 1536;
const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
const dir = join(await builtAssets(), "__baton/static");
const locales = await Promise.all(LANGUAGES.map(async (lang) => JSON.parse(await readFile(join(root, `web/locales/${lang}.json`), "utf8"))));
const flat = ({ js, ...texts }) => ({ ...texts, ...Object.fromEntries(Object.entries(js).map(([key, text]) => [`js.${key}`, text])) });

test("all languages have the same texts with the same placeholders", () => {
  const [first, ...others] = locales.map(flat);
  const holes = (text) => (text.match(/\{+\w+\}+/g) ?? []).sort();
  for (const other of others) {
    assert.deepEqual(Object.keys(other), Object.keys(first));
    for (const key of Object.keys(first)) assert.deepEqual(holes(other[key]), holes(first[key]), `${other.lang} ${key}`);
  }
});

test("no text is in a locale for nothing, and a visitor's number is never called 整理番号", async () => {
  const used = await readFile(join(root, "web/page.html"), "utf8");
  const view = await readFile(join(root, "web/view.js"), "utf8");
  for (const locale of locales) {
    const { js, lang, dir, ...texts } = locale;
    for (const key of Object.keys(texts)) assert.ok(used.includes(`[[${key}]]`), key);
    for (const key of Object.keys(js)) assert.ok(view.includes(`words.${key}`), key);
    assert.doesNotMatch(JSON.stringify(locale), /整理番号/);
  }
});

test("the same sources give the same bytes", async () => {
  const again = await mkdtemp(join(tmpdir(), "baton-assets-"));
  await buildAssets(again);
  const names = await readdir(dir);
  assert.deepEqual(await readdir(join(again, "__baton/static")), names);
  for (const name of names) {
    assert.deepEqual(await readFile(join(again, "__baton/static", name)), await readFile(join(dir, name)), name);
  }
});

test("names with a hash live for ever, keep.js for minutes, templates are not kept", async () => {
  const rules = await readFile(join(await builtAssets(), "_headers"), "utf8");
  for (const name of await readdir(dir)) {
    const rule = rules.slice(rules.indexOf(`/${name}\n`)).split("\n/")[1] ?? rules.slice(rules.indexOf(`/${name}\n`));
    const want = name === "keep.js" ? "Cache-Control: public, max-age=300\n"
      : name.startsWith("page.") && name.endsWith(".html") ? "Cache-Control: no-store\n  X-Robots-Tag: noindex\n"
      : "Cache-Control: public, max-age=31536000, immutable\n";
    assert.ok(rules.includes(`/__baton/static/${name}\n  ${want}`), `${name}: ${rule}`);
    if (/\.(css|js)$/.test(name) && name !== "keep.js") assert.match(name, /\.[0-9a-f]{10}\./);
  }
});

for (const lang of LANGUAGES) {
  test(`the page in ${lang} is small, and after the HTML all of it is asked for at once`, async () => {
    const html = await readFile(join(dir, `page.${lang}.html`), "utf8");
    const loaded = [...html.matchAll(/(?:href|src)="\/__baton\/static\/([^"]+)"/g)].map(([, name]) => name);
    const seen = new Set(loaded);
    let bytes = gzipSync(html).length;
    for (const name of seen) {
      const text = await readFile(join(dir, name), "utf8");
      bytes += gzipSync(text).length;
      for (const [, imported] of text.matchAll(/from "\.\/([^"]+)"/g)) assert.ok(seen.has(imported), `${imported} is not preloaded`);
    }
    assert.equal(seen.size, loaded.length);
    assert.ok(bytes <= PAGE_BYTES_MAX, `${bytes} bytes gzipped`);
    console.log(`page.${lang}: ${bytes} bytes gzipped with everything it loads`);
    assert.match(html, new RegExp(`<html lang="${lang}" dir="ltr">`));
    assert.doesNotMatch(html, /\[\[|@@|<style|\sstyle=|\son\w+=/);
  });
}

test("keep.js is small", async () => {
  const bytes = gzipSync(await readFile(join(dir, "keep.js"))).length;
  console.log(`keep.js: ${bytes} bytes gzipped`);
  assert.ok(bytes <= KEEP_BYTES_MAX, `${bytes} bytes`);
});
