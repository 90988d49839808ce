/* The built page: small, whole in every language, the same from the same sources. */

import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { buildAssets, locales } from "../../scripts/assets.mjs";
import { fill, valuesOf } from "../../web/fill.js";
import { builtAssets } from "./stub.mjs";

const PAGE_BYTES_MAX = 13_856;
/** 1.61 KiB. */
const KEEP_BYTES_MAX = 1_650;
const web = new URL("../../web/", import.meta.url);
const dir = join(await builtAssets(), "__baton/static");
/** As they are in the files, before anything falls back. */
const files = await Promise.all(
  (await readdir(new URL("locales", web))).map(async (name) => [name, JSON.parse(await readFile(new URL(`locales/${name}`, web), "utf8"))]),
);
const own = Object.fromEntries(files.map(([, texts]) => [texts.lang, texts]));
const LANGUAGES = Object.keys(own);
const flat = ({ js, later, ...texts }) =>
  Object.fromEntries(
    [
      ["", texts],
      ["js.", js],
      ["later.", later],
    ].flatMap(([prefix, part]) => Object.entries(part).map(([key, text]) => [prefix + key, text])),
  );
const forms = (text) => (typeof text === "object" ? Object.values(text) : [String(text)]);
const holes = (text) => (text.match(/\{+\w+\}+/g) ?? []).sort();

test("all languages have the same texts with the same placeholders", () => {
  const english = flat(own.en);
  for (const [lang, texts] of Object.entries(own)) {
    const other = flat(texts);
    assert.deepEqual(Object.keys(other).sort(), Object.keys(english).sort(), lang);
    for (const key of Object.keys(english)) {
      const wanted = holes(forms(english[key]).at(-1));
      for (const form of forms(other[key])) {
        assert.deepEqual(holes(form), wanted, `${lang} ${key}`);
        assert.ok(form.trim() || key === "ahead.unit", `${lang} ${key} is empty`);
      }
    }
  }
});

test("plural forms are those that the language has", () => {
  for (const [lang, texts] of Object.entries(own)) {
    const categories = new Intl.PluralRules(lang).resolvedOptions().pluralCategories;
    for (const [key, text] of Object.entries(flat(texts)).filter(([, text]) => typeof text === "object")) {
      assert.ok(text.other, `${lang} ${key}`);
      for (const form of Object.keys(text)) assert.ok(categories.includes(form), `${lang} ${key}: ${form} is none of ${categories}`);
    }
  }
});

test("a file is named after its language, says its direction and whether it was reviewed", () => {
  for (const [name, { lang, dir: direction, reviewed, name: ownName }] of files) {
    assert.equal(name, `${lang}.json`);
    assert.equal(direction, lang === "ar" ? "rtl" : "ltr");
    assert.equal(reviewed, ["en", "ja"].includes(lang), lang);
    assert.ok(ownName);
  }
});

test("the front negotiates exactly the languages that there are", async () => {
  const source = await readFile(new URL("../src/brand/language.rs", web), "utf8");
  const tags = [...source.matchAll(/Self::\w+ => "([\w-]+)"/g)].map(([, tag]) => tag);
  assert.deepEqual(tags.sort(), LANGUAGES.toSorted());
});

test("a text that a language lacks falls back, and never shows its key", async () => {
  const lacking = structuredClone(own.ja);
  delete lacking["waiting.head"];
  delete lacking.js.about;
  delete lacking.later.screen;
  const [whole] = (await locales([own.en, lacking])).filter(({ lang }) => lang === "ja");
  assert.deepEqual([whole["waiting.head"], whole.js.about, whole.later.screen], [own.en["waiting.head"], own.en.js.about, own.en.later.screen]);
  assert.equal(whole["called.head"], own.ja["called.head"]);
});

test("no text is in a locale for nothing, and a visitor's number is never called 整理番号", async () => {
  const page = await readFile(new URL("page.html", web), "utf8");
  const view = (await readFile(new URL("view.js", web), "utf8")) + (await readFile(new URL("format.js", web), "utf8"));
  const offers = await readFile(new URL("offers.js", web), "utf8");
  const { js, later, lang, dir: direction, reviewed, ...texts } = own.en;
  for (const key of Object.keys(texts)) assert.ok(page.includes(`[[${key}]]`), key);
  for (const key of Object.keys(js).filter((key) => !["slower", "resumed"].includes(key)))
    assert.match(view, new RegExp(`words\\.${key}\\b|"${key}"`), key);
  for (const key of Object.keys(later)) assert.ok(offers.includes(`words.${key}`), key);
  for (const [name, file] of files) assert.doesNotMatch(JSON.stringify(file), /整理番号/, name);
});

test("the same sources give the same bytes", async () => {
  const again = await mkdtemp(join(tmpdir(), "baton-assets-"));
  await buildAssets(again);
  const names = await filesIn(dir);
  assert.deepEqual(await filesIn(join(again, "__baton/static")), names);
  for (const name of names) {
    assert.deepEqual(await readFile(join(again, "__baton/static", name)), await readFile(join(dir, name)), name);
  }
});

test("a desk whose forecast and report are not built yet is whole without them, and names no file of theirs", async () => {
  const less = await mkdtemp(join(tmpdir(), "baton-assets-"));
  await buildAssets(less, { built: join(less, "nothing"), later: ["advice", "report"] });
  const desk = await readFile(join(less, "__baton/static/desk.html"), "utf8");
  assert.match(desk, / data-forecaster="" data-advice="" data-reporter="" data-report="" /);
  const lacking = (await filesIn(dir)).filter((name) => /^h\/(forecaster|advice|reporter|report)\./.test(name));
  assert.equal(lacking.length, 4);
  const rest = await filesIn(join(less, "__baton/static"));
  assert.deepEqual(
    rest,
    (await filesIn(dir)).filter((name) => !lacking.includes(name)),
  );
  assert.deepEqual(
    JSON.parse(await readFile(join(less, "__baton/static/files.json"), "utf8")).files,
    rest.filter((name) => name.startsWith("h/")),
  );
});

const filesIn = async (folder) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

/** Their addresses are known to pages that we do not write, or that the front writes. */
const NAMED = ["keep.js", "turnstile.js"];

test("whatever can be named by its content is, and files.json lists it", async () => {
  const names = await filesIn(dir);
  const hashed = names.filter((name) => name.startsWith("h/"));
  for (const name of hashed) assert.match(name, /\.[0-9a-f]{10}\.\w+$/);
  for (const name of names) {
    if (/\.(css|js)$/.test(name) && !NAMED.includes(name)) assert.ok(hashed.includes(name), name);
  }
  assert.deepEqual(JSON.parse(await readFile(join(dir, "files.json"), "utf8")).files, hashed.sort());
});

for (const lang of LANGUAGES) {
  test(`the page in ${lang} is small, and after the HTML all of it is asked for at once`, async () => {
    const html = await readFile(join(dir, `page.${lang}.html`), "utf8");
    const loaded = [...html.matchAll(/(?:href|src)="\/__baton\/static\/([^"]+)"/g)].map(([, name]) => name);
    // As it is sent to somebody in line: what only a refused visitor is told comes with their page.
    let bytes = gzipSync(fill(html, valuesOf({ state: "waiting", number: 1234, ahead: 1200 }, { room: "onsale", nowMs: 0 })), { level: 9 }).length;
    for (const name of loaded) {
      const text = await readFile(join(dir, name), "utf8");
      bytes += gzipSync(text, { level: 9 }).length;
      assert.doesNotMatch(text, /from ?"/, `${name} waits for another file`);
    }
    assert.ok(bytes <= PAGE_BYTES_MAX, `${bytes} bytes gzipped`);
    console.log(`page.${lang}: ${bytes} bytes gzipped with everything it loads`);
    assert.match(html, new RegExp(`<html lang="${lang}" dir="${own[lang].dir}">`));
    // The one that the room's colours fill, which the policy names by its hash.
    const others = html.replace("<style>{{style}}</style>", "");
    assert.doesNotMatch(others, /\[\[|@@|<style|\sstyle=|\son\w+=|https?:(?!\/\/www\.w3\.org)/);
    const words = JSON.parse(html.match(/id="baton-words">(.*?)<\/script>/)[1]);
    assert.deepEqual(words, own[lang].js);
    const [later] = html.match(/(?<=data-later="\/__baton\/static\/)[^"]+/);
    assert.match(await readFile(join(dir, later), "utf8"), /^import\{offer\}from"\/__baton\/static\/h\/offers\.[0-9a-f]{10}\.js"/);
  });
}

test("keep.js is small", async () => {
  const bytes = gzipSync(await readFile(join(dir, "keep.js"))).length;
  console.log(`keep.js: ${bytes} bytes gzipped`);
  assert.ok(bytes <= KEEP_BYTES_MAX, `${bytes} bytes`);
});
