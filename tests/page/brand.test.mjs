/* What the desk works out by itself of colours, texts and steps: the same as Baton, without a browser. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { KEYS, TEXTS, brandOf, brandValues } from "../../web/desk/brand_values.js";
import { CONTRAST_MIN, SHADES, contrasts, sheetOf } from "../../web/desk/colours.js";
import { meant, readSteps, writeSteps } from "../../web/desk/steps.js";

const COLOURS = JSON.parse(await readFile(new URL("../fixtures/colours.json", import.meta.url), "utf8"));

test("contrasts, the nearest colour and the sheet are those that Baton is held to", () => {
  assert.ok(COLOURS.length > 20);
  for (const { chosen, css, poor } of COLOURS) {
    assert.equal(sheetOf(chosen), css);
    const found = SHADES.filter((shade) => chosen[shade]).flatMap((shade) =>
      Object.entries(contrasts(chosen[shade], shade))
        .filter(([, { milli }]) => milli < CONTRAST_MIN)
        .map(([name, { milli, nearest }]) => ({ shade, name, contrast_milli: milli, nearest })),
    );
    assert.deepEqual(found, poor, JSON.stringify(chosen));
  }
});

test("the desk knows each key and each text that a brand has", async () => {
  const { Brand } = JSON.parse(await readFile(new URL("../../docs/openapi.json", import.meta.url), "utf8")).components.schemas;
  assert.deepEqual([...KEYS].sort(), Object.keys(Brand.properties).sort());
  const texts = Object.entries(Brand.properties.page_texts.properties.any.properties);
  assert.deepEqual(TEXTS, Object.fromEntries(texts.map(([name, { maxLength }]) => [name, maxLength])));
  const words = ["en", "ja"].map((language) => readFile(new URL(`../../web/desk/words.${language}.json`, import.meta.url), "utf8"));
  for (const text of await Promise.all(words)) {
    const { brand } = JSON.parse(text);
    const unnamed = KEYS.filter((key) => !["page_colours", "page_texts"].includes(key) && !brand[key]);
    assert.deepEqual(unnamed.concat(Object.keys(TEXTS).filter((name) => !brand.text[name])), [], "each has its words");
  }
});

test("a text falls back as it does on the page: language, any, room", () => {
  const brand = { page_title: "Tour", page_texts: { ja: { title: "ツアー", waiting: "" }, ko: { title: "" }, any: { waiting: "Doors at six." } } };
  const said = (language) => {
    const { title, text_waiting: waiting, page_message: message } = brandValues(brand, language);
    return [title, waiting, message];
  };
  assert.deepEqual(said("ja"), ["ツアー", "", ""]);
  assert.deepEqual(said("ko"), ["Tour", "Doors at six.", ""]);
  assert.deepEqual(said("en"), ["Tour", "Doors at six.", ""]);
});

test("what is as the room's table has it is not kept, what was emptied is", () => {
  const own = { page_title: "Of the file", page_logo: "/logo.png", page_message: "", page_help_url: "", page_colours: {}, page_texts: {} };
  assert.deepEqual(brandOf(own, own), {});
  assert.deepEqual(brandOf({ ...own, page_title: "", page_colours: { dark: { ink: "#ffffff" } } }, own), {
    page_title: "",
    page_colours: { dark: { ink: "#ffffff" } },
  });
});

test("steps are read and written without a moment being lost, in order of time", () => {
  const schedule = [
    { at: "2026-12-01T10:00:00+09:00", set: { mode: "open", permits: { to: 300, over_s: 900 } } },
    { at: "2026-11-30T01:00:00Z", set: { message: "" } },
  ];
  for (const zone of ["Asia/Tokyo", "America/New_York", "Asia/Kathmandu"]) {
    const written = writeSteps(readSteps(schedule, zone), zone);
    assert.deepEqual(
      written.map(({ at, set }) => [Date.parse(at), set]),
      [...schedule].reverse().map(({ at, set }) => [Date.parse(at), set]),
    );
  }
  assert.equal(writeSteps([{ at: undefined, set: [["mode", "open"]] }], "UTC"), undefined, "no moment");
  assert.equal(writeSteps([{ at: 0, set: [] }], "UTC"), undefined, "sets nothing");
});

test("an hour that is skipped or comes twice means nothing before it is picked", () => {
  const zone = "Europe/Berlin";
  for (const [local, asks] of [
    ["2027-03-28T02:30", "missing"],
    ["2027-10-31T02:30", "twice"],
  ]) {
    const open = meant({ local }, zone);
    assert.deepEqual([open.at, open.asks], [undefined, asks]);
    for (const pick of [0, 1]) assert.equal(meant({ local, pick }, zone).at, open.choices[pick]);
  }
  const [kept] = readSteps([{ at: "2027-10-31T02:30:00+01:00", set: { mode: "open" } }], zone);
  assert.equal(meant(kept, zone).pick, 1, "what was picked before is not asked again");
  assert.deepEqual(meant({ local: "" }, zone), { asks: "bad" });
  assert.equal(meant({ local: "2027-03-28T03:30" }, zone).at, Date.parse("2027-03-28T01:30Z"));
});
