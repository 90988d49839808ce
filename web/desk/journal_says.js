/* Says in sentences what a row of a room's journal holds: one for each kind of fact, with all the people whom it is true of. Pure. */

import { filled } from "./filled.js";

/** A sentence names this many numbers; the others it counts. */
const NAMED = 8;
/** The lowest bits of a number count within its lane, and within its hall. */
const WITHIN = 2 ** 48;

const isLast = (list, next) => list.length > 0 && list.at(-1) + 1 === next;
/** Returns the numbers that a fact is about, as people call them. */
function numbersOf(name, fact) {
  if (Array.isArray(fact)) return fact;
  if (typeof fact === "number") return [fact];
  if (["joined", "drawn"].includes(name)) return Array.from({ length: fact.count }, (_, at) => fact.first + at);
  return fact?.tickets ?? [fact?.to, fact?.number].filter((one) => typeof one === "number").slice(0, 1);
}

const sumOf = (counts) => counts.reduce((all, one) => all + one, 0);
/** Returns what was overheard as facts of one measurement each; any other fact stays as it is. */
const apart = (event) =>
  event.overheard
    ? Object.entries(event.overheard)
        .filter(([, said]) => said !== null)
        .map(([what, said]) => ({ overheard: { [what]: said } }))
    : [event];

function overheardCount(what, said) {
  if (what === "origin") return sumOf(said.flatMap(([, good, bad]) => [good, bad]));
  if (what === "entry") return sumOf(Object.values(said));
  return typeof said === "number" ? said : (said.left ?? 1);
}

/** Returns how many people or permits a fact counts. */
function countOf(name, fact, numbers) {
  if (name === "sheet_made") return Object.values(fact.slips)[0].count;
  if (name === "overheard") return overheardCount(...Object.entries(fact)[0]);
  if (name === "reset" || name === "begun") return fact.edition;
  if (name === "rolled_back") return fact.next % WITHIN;
  return fact?.count ?? fact?.permits ?? Math.max(1, numbers.length);
}

/** Returns which form of a sentence a fact takes: an outcome, a way, a door; empty if it has one form. */
function formOf(name, fact) {
  if (name === "ended") return fact.how;
  if (name === "overheard") return Object.keys(fact)[0];
  if (name === "drawn") return fact.draw;
  if (name === "doors" || name === "lane_doors") return Object.keys(fact.door ?? fact)[0];
  if (name === "scheduled") return typeof fact.end === "string" ? fact.end : Object.keys(fact.end)[0];
  return name === "sheet_made" ? Object.keys(fact.slips)[0] : "";
}

const atOf = (fact) => fact?.at_ms ?? fact?.hall?.opens_at_ms ?? fact?.door?.hall?.opens_at_ms;
/** A change is a key with its value as text, or null for the file's. */
/** Returns a change of a setting as the journal has it; a ramp as the number where it leads. */
function valueOf(change) {
  const [[key, value]] = Object.entries(change);
  if (value === null) return `${key} –`;
  if (Object.hasOwn(value, "at")) return `${key} ${value.at}`;
  return `${key} ${JSON.stringify(Object.hasOwn(value, "ramp") ? value.ramp.to : value)}`;
}

/** Returns what a row says, a sentence for each kind of fact. `text` are the journal's words in the language of `write`. A kind without words is told by its name. */
export function rowSays(events, text, write) {
  const kinds = new Map();
  for (const event of events.flatMap(apart)) {
    const [name, fact] = typeof event === "string" ? [event, null] : Object.entries(event)[0];
    const form = fact === null ? "" : formOf(name, fact);
    const numbers = fact === null ? [] : numbersOf(name, fact);
    // What an operator did stays a sentence of its own.
    const key = fact?.by === undefined ? `${name}/${form}/${fact?.sheet ?? ""}/${atOf(fact) ?? ""}` : `${kinds.size}/${name}`;
    const kind = kinds.get(key) ?? { name, form, fact, numbers: [], count: 0 };
    kind.numbers.push(...numbers);
    kind.count += fact === null ? 1 : countOf(name, fact, numbers);
    kinds.set(key, kind);
  }
  return [...kinds.values()].map((kind) => sentence(kind, text, write));
}

function sentence({ name, form, fact, numbers, count }, text, write) {
  const words = form ? text[name]?.[form] : text[name];
  if (typeof words !== "string") return fact === null ? name : `${name} ${JSON.stringify(fact)}`;
  const at = atOf(fact);
  return filled(words, {
    list: listOf(numbers, count, text, write),
    count: write.number(count),
    by: fact?.by || text.somebody,
    sheet: fact?.sheet ?? "",
    at: at === undefined ? "" : write.date(at),
    what: name === "adjusted" ? fact.values.map(valueOf).join(", ") : "",
    why: fact?.end?.refused ?? "",
    bad: form === "origin" ? write.number(sumOf(fact.origin.map(([, , bad]) => bad))) : "",
  });
}

/** Returns numbers as a list: neighbours as a range, and no more than a reader takes in. */
function listOf(numbers, count, text, write) {
  const runs = [];
  for (const number of numbers.map((one) => one % WITHIN)) {
    if (isLast(runs.at(-1) ?? [], number)) runs.at(-1).push(number);
    else runs.push([number]);
  }
  const said = runs.slice(0, NAMED).map((run) => (run.length > 1 ? `${run[0]}–${run.at(-1)}` : `${run[0]}`));
  const named = runs.slice(0, NAMED).reduce((all, run) => all + run.length, 0);
  return filled(named < count ? text.and_more : text.people, { list: said.join(", "), more: write.number(count - named) });
}
