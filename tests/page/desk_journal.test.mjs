/* The journal at the desk, in sentences: every kind of fact that a room writes has one, in both languages, and says what the fact holds. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { rowSays } from "../../web/desk/journal_says.js";
import { LANGUAGES } from "../../web/desk/words.js";
import { createWriter } from "../../web/desk/written.js";

const texts = JSON.parse(readFileSync(inRoot("web/desk/journal_words.json"), "utf8"));
const write = createWriter("en", LANGUAGES.en);
const says = (...events) => rowSays(events, texts.en, write);
const LANE = 2 ** 49;

/** The names of the facts, as the room's source has them. */
const kinds = () => {
  const [, body] = /pub enum Event \{([\s\S]*?)\n\}/.exec(readFileSync(inRoot("src/facts/event.rs"), "utf8"));
  return [...body.matchAll(/^ {4}([A-Z]\w+)/gm)].map(([, name]) => name.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase());
};

test("every fact has words, in both languages the same", () => {
  const { raw, people, and_more: more, somebody, ...facts } = texts.en;
  assert.ok([raw, people, more, somebody].every(Boolean));
  assert.deepEqual(Object.keys(facts).sort(), kinds().sort());
  const flat = (of, path = "") =>
    Object.entries(of).flatMap(([key, text]) =>
      typeof text === "object" ? flat(text, `${path}${key}.`) : [[path + key, [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()]],
    );
  assert.deepEqual(flat(texts.ja), flat(texts.en));
});

test("a real journal is told in whole sentences", () => {
  const rows = readFileSync(inRoot("tools/tests/audit/small_sale.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ events }) => events);
  assert.ok(rows.length > 5);
  for (const { events } of rows) for (const text of says(...events)) assert.match(text, /^[A-Z0-9][^{}"]*\.$/, JSON.stringify(events));
});

// Long because it has a line for each kind.
test("a sentence for each kind, with everybody of whom it is true", () => {
  const called = (number) => ({ called: { number, fence: 9 } });
  assert.deepEqual(says(called(3), called(4), called(5), called(9), "turned"), ["Called: 3–5, 9.", "The usher took a turn."]);
  assert.deepEqual(says({ joined: { lobby: 3, first: 2, count: 3, holders: [] } }, { attempted: { count: 4 } }), [
    "Took numbers: 2–4.",
    "4 asks for a place.",
  ]);
  assert.deepEqual(says(...Array.from({ length: 30 }, (_, at) => called(1 + 2 * at))), ["Called: 1, 3, 5, 7, 9, 11, 13, 15 and 22 more."]);
  assert.deepEqual(
    says(called(LANE + 7), { moved: { from: 4, to: LANE + 8 } }),
    ["Called: 7.", "Moved to another lane: 8."],
    "the number within its lane",
  );
  assert.deepEqual(says({ went_away: [4, 6] }, { left: 2 }, { handed: { from: 1, how: "released", number: 12, fence: 2 } }), [
    "Away: 4, 6.",
    "Left the line: 2.",
    "Got the permit of somebody who left: 12.",
  ]);
  assert.deepEqual(
    says(
      { ended: { fence: 2, how: "missed", to: "hand" } },
      { ended: { fence: 3, how: "missed", to: "hand" } },
      { ended: { fence: 4, how: "released", to: "hand" } },
    ),
    ["2 missed their call and keep their places.", "1 left the shop."],
  );
  assert.deepEqual(
    says(
      {
        adjusted: {
          by: "aiko",
          values: [{ permits: { at: 300 } }, { permits: { ramp: { from: 300, to: 400, over_ms: 9, since: 1 } } }, { message: null }],
        },
      },
      { adjusted: { by: "ben", values: [{ mode: "open" }] } },
    ),
    ["aiko set permits 300, permits 400, message –.", 'ben set mode "open".'],
  );
  assert.deepEqual(
    says({
      overheard: {
        origin: [
          [1, 4, 1],
          [2, 0, 5],
        ],
        stock: { left: 7, at_ms: 1 },
        proofs: null,
        entry: { missing: 2, late: 1 },
      },
    }),
    ["Answers of the shop were counted: 6 of 10 failed.", "The shop has 7 seats left.", "3 were turned away without a valid entry token."],
  );
  assert.deepEqual(
    says(
      { sheet_made: { sheet: 4, terms: {}, slips: { codes: { count: 20, uses: 60 } }, codes: [], by: "aiko" } },
      { reset: { edition: 2, by: "", waiting: 3, inside: 1 } },
    ),
    ["aiko gave 20 codes, sheet 4.", "somebody began the room anew: edition 2."],
  );
  assert.deepEqual(says({ begun: { edition: 1001 } }, { rolled_back: { shown: { edition: 1, number: 7, row: 9 }, next: LANE + 16_400 } }), [
    "The room began, as edition 1,001.",
    "A visitor showed a place that this data has lost: a backup was restored. Numbers go on from 16,400.",
  ]);
  assert.match(
    says({ scheduled: { at_ms: 0, end: { refused: "permits needs a number" } } })[0],
    /^The schedule's step of .* was not carried out: permits needs a number$/,
  );
  assert.match(says({ doors: { hall: { opens_at_ms: 0 } } })[0], /^The hall opened\. The doors open .*1970/);
  assert.deepEqual(says({ overheard: { observed_only: 41 } }, { overheard: { observed_only: 2 } }), [
    "43 requests went on only because the room observes.",
  ]);
  assert.deepEqual(says({ unheard_of: { count: 2 } }), ['unheard_of {"count":2}'], "a fact of a newer room is told as it is written");
});
