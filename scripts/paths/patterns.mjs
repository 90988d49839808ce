// Makes `paths` and `bypass_paths` of a judgement. Pure. It prefers few patterns that also gate what this buyer did not see, such as `/checkout/*`, and
// none that gates what was seen to be open.

import { pagePath } from "./request.mjs";
import { speller } from "./spelling.mjs";

/** Segments that hold everything of a shop: a pattern of one of these alone would gate too much. */
const GENERIC =
  /^(?:api|v\d+|rest|store|shop|shop-api|graphql|[a-z]{2}(?:-[a-z]{2})?|index\.php|app|web|public|_next|_actions|wp-json|wc|event|events|products?|catalogue|catalog|en-us|\*)$/i;
/** What Baton takes (docs/configuration.md). */
const PATTERNS_MAX = 64;

const under = (prefix, segments) => prefix.every((segment, at) => segment === "*" || segments[at] === "*" || segment === segments[at]);
const same = (one, other) => one.length === other.length && under(one, other);

/** Returns a pattern as Baton reads it: a star at the end stands for everything below, and for the folder itself. */
const read = (pattern) =>
  !pattern.isPrefix && pattern.segments.at(-1) === "*" ? { ...pattern, segments: pattern.segments.slice(0, -1), isPrefix: true } : pattern;

/** Returns whether a pattern of ours matches a request. `segments` of both may have stars. */
function matches(pattern, request) {
  const { method, segments, isPrefix } = read(pattern);
  const isMethod = method === undefined || method === request.method || (method === "POST" && !["GET", "HEAD"].includes(request.method));
  return isMethod && (isPrefix ? request.segments.length >= segments.length && under(segments, request.segments) : same(segments, request.segments));
}

const written = (pattern) => {
  const { method, segments, isPrefix, slash = "" } = read(pattern);
  // Exceptions count in this exact spelling.
  return `${method ? `${method} ` : ""}/${segments.join("/")}${isPrefix ? (segments.length > 0 ? "/*" : "*") : slash}`;
};

/** Returns the shortest pattern that gates a request and nothing that is open. */
function patternFor(request, { open, entrance }) {
  const { segments } = request;
  const isBlocked = (pattern) => open.some((each) => matches(pattern, each));
  const isEntrance = same(segments, entrance.segments);
  for (let depth = 1; depth <= segments.length && !isEntrance; depth += 1) {
    const pattern = { segments: segments.slice(0, depth), isPrefix: true };
    if (GENERIC.test(segments[depth - 1]) && depth < segments.length) continue;
    if (segments[depth - 1] === "*" || isBlocked(pattern)) continue;
    // A page's data has a name like a file's, and nothing below it.
    if (depth === segments.length && segments.at(-1).includes(".")) break;
    // A single call at the end of its path, such as POST /api/orders, stands for no family.
    if (depth === segments.length && request.kind === "call" && request.method !== "GET") break;
    return pattern;
  }
  const exact = { segments, isPrefix: false };
  // The folder of a star is let through by bypass_paths.
  if (!isBlocked(exact) || segments.at(-1) === "*")
    return isEntrance || request.method === "GET" ? exact : { ...exact, ...(request.kind === "call" && { method: methodOf(request) }) };
  return { ...exact, method: methodOf(request) };
}

const methodOf = ({ method }) => (["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method) ? method : "POST");

/** Returns those patterns that no other one of the list has within it. */
function lean(patterns) {
  const once = [...new Map(patterns.map((each) => [written(each), each])).values()];
  const holds = (one, other) =>
    one !== other &&
    (one.method === undefined || one.method === other.method) &&
    (one.isPrefix
      ? under(one.segments, other.segments) && other.segments.length >= one.segments.length
      : !other.isPrefix && same(one.segments, other.segments));
  return once.filter((each) => !once.some((other) => holds(other, each) && !(holds(each, other) && once.indexOf(each) < once.indexOf(other))));
}

/** Whether the receipt has an address that only this visit knows: a mail cannot link there, and a farewell pass loads it. */
const isFarewell = (receipt) => receipt && !receipt.segments.includes("*") && receipt.keys.length === 0 && receipt.route === "";

/**
 * Returns `{ paths, bypass, page_start, receiptIsGated, isFarewell, loadedIsGated }` of a judgement: lists of texts as the configuration takes them.
 */
export function patternsOf({ gated, open, openFiles, mixed, entrance, receipt, after, fromElsewhere }) {
  const isMixed = (each) => mixed.some((other) => other.method === each.method && other.template === each.template);
  const thanks =
    isFarewell(receipt) && after.filter((each) => each.template === receipt.template).every(({ method }) => method === "GET")
      ? receipt.template
      : undefined;
  // Where no path gates a step of a page that a script drew, what was loaded before is the only gate.
  const isTold = (each) => !isOneForAll(each, { mixed, receipt });
  const loaded = entrance.loaded && !gated.some(isTold) ? [entrance.loaded] : [];
  const closed = open.filter((each) => !isMixed(each) && each.template !== thanks && !loaded.some((page) => page.template === each.template));
  // A page and its data have two names: whoever reloads asks for the page.
  const page = pageOf(entrance);
  const addresses = [page, ...loaded, ...gated].filter(isTold);
  const found = lean(addresses.map((request) => patternFor(request, { open: closed, entrance: loaded.includes(request) ? request : page }))).slice(
    0,
    PATTERNS_MAX,
  );
  const isGated = (each) => found.some((pattern) => matches(pattern, each));
  const exceptions = [
    ...closed.filter((each) => !same(each.segments, page.segments)),
    ...openFiles.filter((each) => !thanks || each.at_ms < entrance.at_ms || each.at_ms > receipt.end_ms + FAREWELL_MS),
  ].filter(isGated);
  // A bank's form comes without the pass.
  const returns = fromElsewhere.filter((each) => each.method !== "GET" && isGated(each));
  const bypass = lean(
    [...exceptions, ...returns].map((each) => ({
      method: methodOf(each),
      segments: each.segments,
      isPrefix: false,
      slash: /.\/$/.test(each.path) ? "/" : "",
    })),
  ).slice(0, PATTERNS_MAX);
  const page_start =
    found.length > 0 && ["page", "visit"].includes(entrance.kind) && entrance.method === "GET" && !isGated(page) ? page.template : undefined;
  return {
    paths: found.map(written),
    bypass: bypass.map(written),
    page_start,
    receiptIsGated: receipt ? isGated(receipt) : false,
    isFarewell: thanks !== undefined,
    loadedIsGated: loaded.length > 0,
  };
}

/** Returns the page that a request asks for, by its own name. */
function pageOf(entrance) {
  const count = pagePath(entrance.path).split("/").filter(Boolean).length;
  const named = pagePath(entrance.path) === entrance.path ? entrance.segments : speller(entrance.personal)(pagePath(entrance.path)).slice(0, count);
  return { ...entrance, segments: named, template: `/${named.join("/")}` };
}

/** Whether a path is one address for everything: no pattern tells its calls apart. A form whose receipt has its address is gated all the same. */
function isOneForAll(each, { mixed, receipt }) {
  const isReceipt = receipt && receipt.route === "" && receipt.template === each.template && receipt.method === each.method;
  return !isReceipt && mixed.some((other) => other.template === each.template && (other.method === each.method || each.route !== ""));
}

/** How long a farewell pass loads files (`pass_ttl_s`). */
const FAREWELL_MS = 60_000;
