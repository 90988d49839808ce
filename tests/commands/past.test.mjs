// A date that can no longer happen is told of, and refuses nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "smol-toml";
import { past, pastText } from "../../scripts/past.mjs";

const NOW_MS = Date.UTC(2026, 10, 1);
const found = (toml) => past(parse(toml), NOW_MS).map(({ key, value }) => `${key} = ${value}`);

test("an opening with a slip in its year is named, as text and as a date of TOML", () => {
  for (const date of ['"2020-12-01T10:00:00+09:00"', "2020-12-01T10:00:00Z", '["2019-01-01T00:00:00Z", "2020-12-01T10:00:00Z"]']) {
    assert.equal(found(`[onsale]\nopens_at = ${date}`).length, 1, date);
  }
  assert.match(
    pastText(parse('[onsale]\nopens_at = "2020-12-01T10:00:00+09:00"'), NOW_MS),
    /^warning: ROOMS\.onsale\.opens_at = 2020-12-01T10:00:00\+09:00: has passed, so the room does not wait for it\. Give a date to come/,
  );
  assert.deepEqual(found('[a]\nschedule = [{ at = "2020-12-01T10:00:00Z", set = { mode = "open" } }]'), ["ROOMS.a.schedule = 2020-12-01T10:00:00Z"]);
  assert.equal(found('[a]\nlanes = [{ name = "vip", title = "V", opens_at = "2020-12-01T10:00:00Z" }]').length, 1);
});

test("a date to come beside one that has passed, none, and what is no date are no matter of this", () => {
  for (const room of [
    'opens_at = ["2020-12-01T10:00:00Z", "2030-12-01T10:00:00Z"]',
    "opens_at = []",
    'opens_at = "soon"',
    "permits = 5",
    'schedule = [{ at = "2030-12-01T10:00:00Z", set = {} }]',
  ]) {
    assert.deepEqual(found(`[onsale]\n${room}`), [], room);
  }
  assert.deepEqual([past(undefined, NOW_MS), pastText({}, NOW_MS)], [[], ""]);
});
