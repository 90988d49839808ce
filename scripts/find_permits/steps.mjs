// Reads the steps file: what one person does in the shop, from the first page to the last. Pure: text in, steps out. It reports everything that is
// wrong at once, each fault with its line and its cure.

import { parse } from "smol-toml";
import { UserError } from "../common.mjs";
import { nearest } from "../nearest.mjs";

const STEPS_MAX = 50;
const THINK_S_MAX = 3_600;
/** How often and how long a step with `until` asks, unless it says. */
const EVERY_S = 1;
const AT_MOST_S = 60;
const TOP_KEYS = ["think_s", "hosts", "steps"];
const METHODS = ["get", "post", "put", "patch", "delete"];
const STEP_KEYS = ["name", ...METHODS, "form", "json", "headers", "also", "take", "expect", "contains", "until", "every_s", "at_most_s", "think_s"];
/** Headers that a step must not set, since the tool sets them. */
const OUR_HEADERS = [
  "host",
  "cookie",
  "content-length",
  "connection",
  "transfer-encoding",
  "baton-proof",
  "baton-target",
  "baton-room",
  "baton-fence",
  "baton-ticket",
];
/** Words that the tool fills in: `person` differs for each person, `random` each time. */
const OWN_WORDS = ["person", "random"];

export const WORD = /\{([a-z][a-z0-9_]*)\}/g;

/** Finds the lines of keys: returns `line(nth, key)` for the nth `[[steps]]` (from 0), or for the top with `null`. */
function lineIndex(text) {
  const found = new Map();
  let nth = null;
  let starts = 0;
  let isOther = false;
  for (const [at, line] of text.split("\n").entries()) {
    const table = /^\s*\[\[?\s*([\w.-]+)\s*\]\]?/.exec(line);
    if (table && line.trim().startsWith("[[") && table[1] === "steps") [nth, isOther] = [starts++, false];
    else if (table) isOther = !table[1].startsWith("steps.");
    const key = table
      ? table[1].startsWith("steps.")
        ? table[1].slice("steps.".length)
        : ""
      : /^\s*["']?([\w-]+)["']?\s*(?:\.[\w.-]+\s*)?=/.exec(line)?.[1];
    const name = `${isOther ? "other" : nth} ${key ?? "\n"}`;
    if (key !== undefined && !found.has(name)) found.set(name, at + 1);
  }
  return (step, key) => found.get(`${step} ${key}`) ?? found.get(`${step} `) ?? 1;
}

/** The most letters by which a typing mistake differs from the word. */
const TYPO_MAX = 2;

class Reader {
  #file;
  #lineOf;
  flaws = [];

  constructor(file, text) {
    this.#file = file;
    this.#lineOf = lineIndex(text);
  }

  line(nth, key = "") {
    return this.#lineOf(nth, key);
  }

  flaw(nth, key, what, cure) {
    this.flaws.push(`${this.#file}:${this.line(nth, key)}: ${what}. Cure: ${cure}.`);
    return undefined;
  }

  unknown(nth, table, known) {
    for (const key of Object.keys(table).filter((each) => !known.includes(each))) {
      const meant = nearest(key, known, TYPO_MAX);
      this.flaw(nth, key, `unknown key "${key}"`, meant ? `did you mean "${meant}"?` : `use one of ${known.join(", ")}`);
    }
  }

  /** Returns the seconds to think as `[low, high]` in ms. */
  think(nth, value) {
    const range = typeof value === "number" ? [value / 2, value * 1.5] : Array.isArray(value) ? value : [];
    const isRange = range.length === 2 && range.every((each) => Number.isFinite(each) && each >= 0 && each <= THINK_S_MAX) && range[0] <= range[1];
    if (!isRange)
      return this.flaw(
        nth,
        "think_s",
        `think_s = ${JSON.stringify(value)} is no time to think`,
        `write seconds as [least, most], such as think_s = [3, 10], or one number whose half is added and taken off; at most ${THINK_S_MAX}`,
      );
    return range.map((each) => each * 1_000);
  }

  words(nth, key, value) {
    const isTable =
      value !== null &&
      typeof value === "object" &&
      !Array.isArray(value) &&
      Object.values(value).every((each) => ["string", "number", "boolean"].includes(typeof each));
    if (!isTable) return this.flaw(nth, key, `${key} is no table of texts`, `write ${key} = { name = "value" }`);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]));
  }
}

function readPath(reader, nth, key, value) {
  const isText = typeof value === "string" && value.length > 0;
  // What an earlier step took may be a whole path.
  if (isText && /^\{[a-z][a-z0-9_]*\}[^\s\\#]*$/.test(value)) return value;
  if (isText && value.startsWith("/") && !value.startsWith("//") && !/[\s\\#]/.test(value)) return value;
  if (isText && /^https?:\/\/[^\s\\#]+$/.test(value) && URL.canParse(value.replace(WORD, "x"))) return value;
  return reader.flaw(
    nth,
    key,
    `${JSON.stringify(value)} is no path`,
    `write it from the first slash, such as ${METHODS.includes(key) ? key : "get"} = "/buy/", or a whole address of a host that is named in hosts`,
  );
}

function readRequest(reader, nth, step) {
  const given = METHODS.filter((method) => step[method] !== undefined);
  if (given.length !== 1) {
    const cure = 'say what it asks for, once: get = "/path" or post = "/path"';
    return reader.flaw(nth, given[1] ?? "", given.length === 0 ? "this step asks for nothing" : `this step asks twice, ${given.join(" and ")}`, cure);
  }
  const [method] = given;
  const path = readPath(reader, nth, method, step[method]);
  const body = ["form", "json"].filter((key) => step[key] !== undefined);
  if (body.length > 1) reader.flaw(nth, "json", "form and json in one step", "keep one");
  if (method === "get" && body.length > 0) reader.flaw(nth, body[0], `${body[0]} in a step that gets`, `write post = ${JSON.stringify(step.get)}`);
  return path === undefined ? undefined : { method: method.toUpperCase(), path };
}

/** Reads patterns with one group each. Later steps use what it finds as `{name}`. */
function readTake(reader, nth, value) {
  const patterns = reader.words(nth, "take", value) ?? {};
  return Object.entries(patterns).flatMap(([name, text]) => {
    const cure = 'write a pattern with one group, in single quotes: take = { token = \'name="token" value="([^"]+)"\' }';
    if (!/^[a-z][a-z0-9_]*$/.test(name) || OWN_WORDS.includes(name))
      return reader.flaw(nth, "take", `"${name}" cannot be taken`, `use a name of a-z, 0-9 and _ other than ${OWN_WORDS.join(" and ")}`) ?? [];
    try {
      const pattern = new RegExp(text);
      if (new RegExp(`${text}|`).exec("").length !== 2)
        return reader.flaw(nth, "take", `the pattern of "${name}" has not exactly one group`, cure) ?? [];
      return [[name, pattern]];
    } catch (error) {
      return reader.flaw(nth, "take", `the pattern of "${name}" cannot be read (${error.message})`, cure) ?? [];
    }
  });
}

/** Reads what a step waits for whose work the shop queues, or `null`. */
function readPoll(reader, nth, { until, every_s: everyS, at_most_s: atMostS }) {
  if (until === undefined) {
    for (const [key, value] of [
      ["every_s", everyS],
      ["at_most_s", atMostS],
    ])
      if (value !== undefined)
        reader.flaw(nth, key, `${key} without until`, "write until = '\"ready\": true', words of the answer that say that the work is done");
    return null;
  }
  if (typeof until !== "string" || until === "")
    return (
      reader.flaw(nth, "until", "until is no text", "write words of the answer that say that the work is done, such as until = '\"ready\": true'") ??
      null
    );
  const seconds = (key, value, least) =>
    typeof value === "number" && value >= least && value <= THINK_S_MAX
      ? value * 1_000
      : (reader.flaw(nth, key, `${key} = ${JSON.stringify(value)} is no time`, `write seconds from ${least} to ${THINK_S_MAX}`) ?? 0);
  return { until, every_ms: seconds("every_s", everyS ?? EVERY_S, 0.1), at_most_ms: seconds("at_most_s", atMostS ?? AT_MOST_S, 1) };
}

function readStep(reader, nth, step, defaultThink) {
  reader.unknown(nth, step, STEP_KEYS);
  const { name = `step ${nth + 1}`, form, json, headers = {}, also = [], take = {}, expect, contains } = step;
  if (typeof name !== "string" || name.length === 0 || name.length > 80)
    reader.flaw(nth, "name", "the name is no text of 1 to 80 letters", 'write name = "choose seats"');
  const request = readRequest(reader, nth, step);
  if (expect !== undefined && !(Number.isInteger(expect) && expect >= 200 && expect <= 599))
    reader.flaw(
      nth,
      "expect",
      `expect = ${JSON.stringify(expect)} is no status`,
      "write one from 200 to 599, or leave it out for any from 200 to 299",
    );
  if (contains !== undefined && (typeof contains !== "string" || contains === ""))
    reader.flaw(nth, "contains", "contains is no text", 'write words of the page, such as contains = "Thank you"');
  const files = Array.isArray(also)
    ? also.map((path) => readPath(reader, nth, "also", path))
    : reader.flaw(nth, "also", "also is no list", 'write also = ["/shop.css", "/logo.svg"]');
  const ownHeaders = reader.words(nth, "headers", headers) ?? {};
  for (const key of Object.keys(ownHeaders).filter((each) => OUR_HEADERS.includes(each.toLowerCase())))
    reader.flaw(nth, "headers", `the header ${key} is not for a step to set`, "leave it out");
  const think = step.think_s === undefined ? (nth === 0 ? [0, 0] : defaultThink) : reader.think(nth, step.think_s);
  return {
    name: typeof name === "string" ? name : "",
    line: reader.line(nth),
    ...request,
    think_ms: think,
    headers: ownHeaders,
    also: files ?? [],
    take: readTake(reader, nth, take),
    form: form === undefined ? null : (reader.words(nth, "form", form) ?? null),
    json: json ?? null,
    expect: expect ?? null,
    contains: contains ?? null,
    poll: readPoll(reader, nth, step),
  };
}

/** Reports words in braces that no earlier step has taken. */
function checkWords(reader, steps) {
  const known = new Set(OWN_WORDS);
  for (const [nth, step] of steps.entries()) {
    for (const [key, value] of [
      ["form", step.form],
      ["json", step.json],
      ["headers", step.headers],
      ["also", step.also],
      [step.method?.toLowerCase() ?? "", step.path],
    ]) {
      // JSON's own braces hold quotes, spaces or nothing: only a bare word in braces is one of ours.
      for (const [, word] of JSON.stringify(value ?? null).matchAll(WORD)) {
        if (!known.has(word))
          reader.flaw(
            nth,
            key,
            `nothing has taken {${word}} before this step`,
            `take it from an earlier page, take = { ${word} = '…(…)…' }, or write {person} or {random}`,
          );
      }
    }
    for (const [word] of step.take) known.add(word);
  }
}

function readHosts(reader, hosts) {
  if (!Array.isArray(hosts)) return reader.flaw(null, "hosts", "hosts is no list", 'write hosts = ["https://pay.staging.example.com"]') ?? [];
  return hosts.flatMap((host) => {
    const isAddress = typeof host === "string" && /^https?:\/\/[^\s/?#@]+\/?$/.test(host) && URL.canParse(host);
    return isAddress
      ? [new URL(host)]
      : (reader.flaw(
          null,
          "hosts",
          `${JSON.stringify(host)} is no host`,
          'write it with its scheme and nothing behind, such as "https://pay.staging.example.com"',
        ) ?? []);
  });
}

function parsed(file, text) {
  try {
    return parse(text);
  } catch (error) {
    const [what] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    throw new UserError(
      `${file}:${error.line ?? 1}: ${what}. Cure: mend the line; texts stand in quotes, steps begin with [[steps]] (docs/find-permits.md has an example).`,
    );
  }
}

/** Reads the steps and hosts of a file: `{ steps, hosts }`. Throws a UserError with everything that is wrong. */
export function readSteps(file, text) {
  const table = parsed(file, text);
  const reader = new Reader(file, text);
  reader.unknown(null, table, TOP_KEYS);
  const defaultThink = reader.think(null, table.think_s ?? [2, 8]);
  const hosts = readHosts(reader, table.hosts ?? []);
  const listed = Array.isArray(table.steps) ? table.steps : [];
  if (listed.length === 0 || listed.length > STEPS_MAX || listed.some((step) => typeof step !== "object"))
    reader.flaw(null, "steps", `there are ${listed.length} steps`, `write 1 to ${STEPS_MAX}, each beginning with a line [[steps]]`);
  const steps = listed.map((step, nth) => readStep(reader, nth, step, defaultThink));
  checkWords(reader, steps);
  if (reader.flaws.length > 0) throw new UserError(`${reader.flaws.join("\n")}\nNothing was sent.`);
  return { steps, hosts };
}

/** Returns the mean time for which one visit thinks, in ms. */
export const thinkingOf = (steps) => steps.reduce((total, { think_ms: [low, high] }) => total + (low + high) / 2, 0);
