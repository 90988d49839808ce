// What was told of a proxy, as a row of the table. Pure.

import { QUESTIONS } from "./questions.mjs";

const ASKED = Object.keys(QUESTIONS);
export const HEAD = ["proxy", ...ASKED, "tried"];

const today = () => new Date().toISOString().slice(0, 10);
const cell = (wrong) => wrong?.replaceAll("|", "/") ?? "✓";

/** Returns the row of a proxy: its version, an answer for each question, and the day. */
export function rowOf({ name, version }, told, day = today()) {
  return [`${name} ${version}`, ...ASKED.map((question) => cell(told[question])), day];
}

/** Whether each question has the answer that it should have, or the one that the proxy is known to give. */
export function isFine({ cannot = {}, cached }, told) {
  const known = { ...cannot, ...(!cached && { cache: "has none" }) };
  return ASKED.every((question) => told[question] === known[question]);
}
