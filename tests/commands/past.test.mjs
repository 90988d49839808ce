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

test("a closing before every opening is named, for until then the room is open; one after it, or of a sale that ran, is not", () => {
  const opens = 'opens_at = ["2030-12-01T10:00:00Z", "2030-12-03T10:00:00Z"]';
  const closing = (date, more = "") => found(`[onsale]\n${opens}\ncloses_at = ["${date}", "2030-12-02T10:00:00Z"]\n${more}`);
  assert.deepEqual(closing("2030-11-30T10:00:00Z"), ["ROOMS.onsale.closes_at = 2030-11-30T10:00:00Z, 2030-12-02T10:00:00Z"]);
  assert.match(
    pastText(parse("[a]\nopens_at = 2030-12-02T10:00:00Z\ncloses_at = 2030-12-01T10:00:00Z"), NOW_MS),
    /: comes before every opening, so until then it is open\. Give the closing a date after the opening/,
  );
  for (const date of ["2030-12-04T10:00:00Z", "2026-10-01T10:00:00Z"]) assert.deepEqual(closing(date), [], date);
  assert.deepEqual(found('[a]\ncloses_at = "2030-12-01T10:00:00Z"'), []);
  const lane = '{ name = "vip", opens_at = "2030-12-02T10:00:00Z", closes_at = "2030-12-01T10:00:00Z" }';
  assert.deepEqual(found(`[a]\nlanes = [${lane}]`), ["ROOMS.a.lanes, vip, closes_at = 2030-12-01T10:00:00Z"]);
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
