// Writes what was found as TOML: a first table of a room, and the steps for `npm run find-permits`. Pure. A field's value is never the buyer's.

import { isPage } from "./judge.mjs";
import { isId } from "./spelling.mjs";

const text = (value) => JSON.stringify(value);
const list = (values) => (values.length === 0 ? "[]" : `[\n${values.map((value) => `  ${text(value)},`).join("\n")}\n]`);

/** Returns the lines of a room. `permits` is the least that is surely no harm. */
export function roomToml(room, { paths, bypass, page_start }) {
  return [
    `# A first draft by npm run paths, from one purchase: read it, then put it into wrangler.toml, and ask npm run check-config.`,
    `[vars.ROOMS.${room}]`,
    `paths = ${list(paths)}`,
    ...(bypass.length > 0 ? [`bypass_paths = ${list(bypass)}`] : []),
    ...(page_start ? [`page_start = ${text(page_start)}`] : []),
    "permits = 50",
    "crowd = 20000",
    'mode = "observe"',
    "",
  ].join("\n");
}

/** Names of fields that the page itself fills in. */
const HIDDEN = /csrf|token|_method|nonce|__|authenticity|form_key|captcha|secret|session/i;
/** @type {[RegExp, string][]} */
const EXAMPLES = [
  [/mail/i, "test-{person}@example.com"],
  [/first/i, "Test"],
  [/last|name/i, "Person {person}"],
  [/phone|tel/i, "+440000000000"],
  [/street|address|line1/i, "1 Test Street"],
  [/city|town|line4/i, "Testville"],
  [/zip|post/i, "10001"],
  [/country/i, "GB"],
  [/card|number/i, "4242424242424242"],
  [/quantity|qty|amount|seats|count/i, "1"],
];
/** A field of a form may be called anything; a longer name, or one of another form, is none that somebody wrote. */
const FIELD = /^[A-Za-z_][\w.[\]-]{0,60}$/;

const exampleOf = (name) => EXAMPLES.find(([form]) => form.test(name))?.[1] ?? "FILL IN";
const isOwnField = (name) => FIELD.test(name) && !HIDDEN.test(name) && !name.split(/[-_.[\]]/).some((part) => /[a-z]/i.test(part) && isId(part));

function bodyLine({ fields, json, method }) {
  if (["GET", "HEAD"].includes(method)) return [];
  const table = (pairs) => `{ ${pairs.map(([name, value]) => `${text(name)} = ${text(value)}`).join(", ")} }`;
  if (fields) {
    const own = [...new Set(fields)].filter(isOwnField);
    return own.length > 0 ? [`form = ${table(own.map((name) => [name, exampleOf(name)]))}`] : [];
  }
  if (json && typeof json === "object" && !Array.isArray(json)) {
    const own = Object.keys(json).filter((name) => FIELD.test(name));
    return [`json = ${table(own.map((name) => [name, exampleOf(name)]))}   # the recording's values are not copied`];
  }
  return [];
}

/** Which requests are steps: what a person goes to and sends, from the entrance on. What a redirect leads to comes by itself. */
function stepsOf({ own, acts, entrance, release, receipt }) {
  const redirected = new Set(own.filter(({ redirect }) => redirect).map(({ redirect }) => redirect.href.split("#")[0]));
  const end_ms = Math.max(release.at_ms, receipt?.at_ms ?? 0);
  const inside = own.filter((each) => each.at_ms >= (entrance.loaded ?? entrance).at_ms && each.at_ms <= end_ms && !each.isAhead);
  const found = inside.filter(
    (each) => acts.includes(each) || (each.method === "GET" && (isPage(each) || each.redirect) && ["page", "visit"].includes(each.kind)),
  );
  return found.filter((each, at) => !redirected.has(each.url.href.split("#")[0]) || acts.includes(each) || at === 0).slice(0, STEPS_MAX);
}
/** find-permits takes as many. */
const STEPS_MAX = 50;

/** Returns the path of a step with words in place of ids, and the `take` that finds them on the page before. */
function withWords(each, nth) {
  const words = [];
  const segments = each.segments.map((segment) => {
    if (segment !== "*") return segment;
    words.push(`id_${nth}_${words.length + 1}`);
    return `{${words.at(-1)}}`;
  });
  const slash = each.path.length > 1 && each.path.endsWith("/") ? "/" : "";
  const takes = words.map((word, at) => {
    let star = 0;
    const pattern = each.segments
      .map((segment) => (segment !== "*" ? segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : star++ === at ? '([^/"?#]+)' : '[^/"?#]+'))
      .join("/");
    return `${word} = ${text(`/${pattern}`)}`;
  });
  return { path: `/${segments.join("/")}${segments.length > 0 ? slash : ""}`, takes };
}

/** Returns a steps file for `npm run find-permits`. */
export function stepsToml(judged) {
  const steps = stepsOf(judged).map((each, at) => ({ each, ...withWords(each, at + 1) }));
  // Nothing comes before the first step from which an id could be taken.
  const blocks = steps.map(({ each, path, takes }, at) => {
    const method = ["GET", "POST", "PUT", "PATCH", "DELETE"].includes(each.method) ? each.method.toLowerCase() : "post";
    const next = steps[at + 1]?.takes ?? [];
    return [
      "[[steps]]",
      `name = ${text(`${at + 1}: ${each.method} ${each.template}`.slice(0, 80))}`,
      ...(at === 0 && takes.length > 0 ? [`${method} = ${text(each.template.replaceAll("*", "FILL-IN"))}`] : [`${method} = ${text(path)}`]),
      ...bodyLine(each),
      ...(next.length > 0 ? [`take = { ${next.join(", ")} }`] : []),
      "",
    ].join("\n");
  });
  return [
    "# A first draft by npm run paths: what one person does. Fill in what your shop needs, and how long people think (docs/find-permits.md).",
    "",
    ...blocks,
  ].join("\n");
}
