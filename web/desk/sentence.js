/* Puts a situation into words: one sentence that says how it goes, and one of advice. Pure, in any language that a writer has. */

import { filled } from "./filled.js";

/** How each value that is no count is written. */
const WRITTEN = {
  wait: (write, ms) => write.guess(ms),
  left: (write, ms) => write.about(ms),
  answer: (write, ms) => write.answer(ms),
  most: (write, ms) => write.answer(ms),
  share: (write, share) => write.percent(share),
  since: (write, ms) => write.clock(ms),
  opens: (write, ms) => write.date(ms),
  key: (_, key) => key,
  value: (_, value) => value,
  force: (_, value) => value,
};

function writtenValues(values, write) {
  const entry = ([key, value]) => {
    if (value === null || value === undefined) return [key, ""];
    return [key, WRITTEN[key]?.(write, value) ?? (typeof value === "number" ? write.number(value) : value)];
  };
  return Object.fromEntries(Object.entries(values).map(entry));
}

/** Returns `{ level, name, says, advice }`. `write` comes from `createWriter`. */
export function sentenceOf({ level, name, values }, write) {
  const { situations, clauses } = write.text;
  const text = situations[variant(name, values)];
  const shown = writtenValues(values, write);
  // A clause with an unknown value is left out, with its comma.
  for (const [clause, key] of [
    ["about", "wait"],
    ["shop", "answer"],
    ["kept", "waiting"],
  ])
    shown[clause] = values[key] == null || (clause === "kept" && values[key] === 0) ? "" : filled(clauses[clause], shown);
  return { level, name, says: filled(text.says, shown), advice: filled(text.advice, shown) };
}

function variant(name, { isOpen, brake, lot, isPassing, isStraight, isLately, free }) {
  if (name === "unreachable" && isOpen) return "unreachable_open";
  if (name === "errors" && isPassing) return "errors_passing";
  if (name === "missed" && !isLately) return "missed_all";
  if (name === "quiet" && free === 0) return "quiet_full";
  if (name === "quiet" && !isStraight) return "quiet_turn";
  if (name === "errors" && brake !== false) return brake ? "errors_braked" : "errors_told";
  return name === "drawn" && !lot ? "drawn_arrival" : name;
}

/** Returns one sentence for all rooms, from their situations. */
export function totalOf(situations, write) {
  const { total } = write.text;
  const count = (level) => situations.filter((one) => one.level === level).length;
  const sum = (key) => situations.reduce((all, { values }) => all + (values[key] ?? 0), 0);
  const values = {
    rooms: write.number(situations.length),
    act: write.number(count("act")),
    look: write.number(count("look")),
    inside: write.number(sum("inside")),
    waiting: write.number(sum("waiting")),
  };
  const kind = ["act", "look"].find((level) => count(level) > 0) ?? "well";
  const heard = situations.filter(({ name }) => name !== "unheard").length;
  const well = heard === situations.length ? "well" : heard > 0 ? "some" : "none";
  const name = kind === "well" ? well : kind === "act" && count("look") > 0 ? "both" : kind;
  return { level: heard > 0 ? kind : "off", says: filled(total[name], { ...values, heard: write.number(heard) }) };
}
