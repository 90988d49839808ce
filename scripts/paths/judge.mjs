// Judges a recording: where the purchase begins, which request orders, where it ends, and so what to gate and what to leave. Pure.
//
// The rules, each of which the docs give in words (docs/paths.md):
// - the entrance is the page from which the first step of the purchase was sent: who must wait there waits on a page;
// - the receipt is the page to which the order led. It is open, as a mail may link to it;
// - the release belongs to the last gated answer before the receipt;
// - what pages need before the entrance and after the receipt stays open.

import { AFTERWARDS, BASKET, BASKET_THING, BEFORE, NOISE, ORDER, PAYMENT, SHOWS_ORDER, THANKS, spaced } from "./words.mjs";
import { pagePath, siteOf } from "./request.mjs";
import { speller } from "./spelling.mjs";

/** A page is taken for the receipt from this weight on: one clear word, or two signs. */
const RECEIPT_LEAST = 3;
/** So many requests of one kind while a page stands are a poll. */
const POLL_LEAST = 3;
/** A browser sends what a page loads within this; what repeats at longer intervals is a poll. */
const POLL_GAP_MS_MIN = 250;
/** Keys by which scripts keep an answer from being cached. */
const CLOCKS = ["_", "t", "ts", "time", "cb"];
/** Words by which a query's key names an order. */
const ORDER_KEYS = /token|secret|order|key|reference|code/i;

export const isRead = ({ method }) => ["GET", "HEAD", "OPTIONS"].includes(method);
export const isPage = ({ kind, status }) => ["page", "visit"].includes(kind) && (status < 300 || status >= 400);
const isShown = ({ kind }) => ["page", "visit", "frame", "call", "socket"].includes(kind);
const namesOf = (request) => spaced(`${request.path} ${request.route} ${request.operations.map(({ name }) => name).join(" ")}`);

/** Returns the shop's host: the one whose pages the buyer opened most. */
function hostOf(requests) {
  const counts = new Map();
  for (const { host } of requests.filter(({ kind, method }) => kind === "page" || (kind === "visit" && method === "GET")))
    counts.set(host, (counts.get(host) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** Whether a request changes something in the shop as a step of a purchase does. */
export function isAct(request) {
  if (request.isAhead || !isShown(request) || request.status >= 400) return false;
  if (request.operations.length > 0) return request.operations.some(({ isMutation, name }) => isMutation && !NOISE.test(spaced(name)));
  if (isRead(request)) return request.keys.includes("add-to-cart");
  const words = namesOf(request);
  return !NOISE.test(words) || BASKET.test(words);
}

/** Whether two requests are for the same page: the same path, and the same route where a query names it. */
const sameTarget = (one) => (other) => pagePath(other.path) === pagePath(one.path) && other.route === one.route;

/** Returns how much speaks for a page being the receipt. */
function weightOf(page, { own, acts }) {
  const before = own.filter((each) => each.at_ms < page.at_ms);
  const words = spaced(`${pagePath(page.path)} ${page.route} ${page.keys.join(" ")}`);
  const idsOf = ({ path }) => path.split("/").filter((segment) => segment && speller([])(`/${segment}`)[0] === "*");
  const isKnown = before.some((each) => isPage(each) && sameTarget(page)(each));
  const hasNewId = idsOf(page).some((id) => !before.some((each) => idsOf(each).includes(id)));
  const hasNewKey =
    page.keys.some((key) => ORDER_KEYS.test(key)) && !before.some((each) => sameTarget(page)(each) && page.keys.join() === each.keys.join());
  const last = acts.findLast(({ at_ms }) => at_ms <= page.at_ms);
  const isNext = last !== undefined && !before.some((each) => isPage(each) && isRead(each) && each.at_ms > last.at_ms);
  const goesOn = acts.some((act) => act.at_ms > page.at_ms && !AFTERWARDS.test(namesOf(act)));
  const signs = [
    [THANKS.test(words), 5],
    [SHOWS_ORDER.test(words), 1],
    [hasNewId, 2],
    [hasNewKey, 2],
    [isNext, 1],
    [!isKnown, 1],
    [BEFORE.test(words), -3],
    [isKnown && !hasNewKey, -4],
    [goesOn, -3],
  ];
  return signs.reduce((sum, [holds, weight]) => sum + (holds ? weight : 0), 0);
}

/** Returns the page to which the order led, or null. Of two that are as likely it is the later one. */
function receiptOf(own, acts) {
  const pages = own.filter(
    (each) => isPage(each) && each.method === "GET" && !each.isAhead && each.at_ms > acts[0].at_ms && !/pdf|calendar|zip/.test(each.mime),
  );
  const weighed = pages
    .map((page) => ({ page, weight: weightOf(page, { own, acts }) }))
    .sort((one, other) => other.weight - one.weight || other.page.at_ms - one.page.at_ms);
  return weighed.length > 0 && weighed[0].weight >= RECEIPT_LEAST ? weighed[0].page : null;
}

/** Returns the act that orders: the last before the receipt; without one, the last whose words say so, or the last of all. */
function orderOf(acts, receipt) {
  if (receipt) return acts.findLast(({ at_ms, nth }) => at_ms <= receipt.at_ms && nth !== receipt.nth);
  const saying = acts.filter((act) => ORDER.test(namesOf(act)) && !AFTERWARDS.test(namesOf(act)));
  return saying.findLast((act) => !BASKET_THING.test(namesOf(act))) ?? saying.at(-1) ?? acts.at(-1);
}

/** Returns the last answer before the receipt that the shop gives for this order: a redirect, a poll, a return from payment, or the order's own. */
function releaseOf(own, { order, receipt, polls }) {
  if (!receipt) return order;
  const between = own.filter(
    (each) => each.at_ms >= order.at_ms && each.at_ms <= receipt.at_ms && each.nth !== receipt.nth && isShown(each) && !each.isAhead,
  );
  const isPoll = (each) => polls.some(({ requests }) => requests.includes(each) && requests[0].at_ms >= order.at_ms);
  return (
    between.findLast(({ redirect }) => redirect?.href.split("#")[0] === receipt.url.href.split("#")[0]) ??
    between.findLast((each) => each === order || each.kind === "page" || each.path === order.path || isAct(each) || isPoll(each)) ??
    order
  );
}

/** Whether the same was sent before: a poll may be a POST. */
const isAgain = (each, own) =>
  own.some(
    (other) =>
      other.at_ms < each.at_ms &&
      other.method === each.method &&
      other.url.href === each.url.href &&
      JSON.stringify(other.json) === JSON.stringify(each.json),
  );

/** Returns what was asked for again and again while one page stood: `[{ requests, every_ms }]`. */
function pollsOf(own) {
  const groups = new Map();
  let standing = 0;
  for (const each of own) {
    // What is asked anew after each step is no poll.
    if (each.kind === "page" || (isAct(each) && !isAgain(each, own))) standing += 1;
    if (each.kind !== "call") continue;
    const query = [...each.url.searchParams].filter(([key]) => !CLOCKS.includes(key)).join("&");
    const name = `${standing} ${each.method} ${each.path}?${query} ${each.operations.map((operation) => operation.name).join()}`;
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  return [...groups.values()].flatMap((requests) => {
    const gaps = requests
      .slice(1)
      .map(({ at_ms }, at) => at_ms - requests[at].at_ms)
      .sort((one, other) => one - other);
    const every_ms = gaps[Math.floor(gaps.length / 2)] ?? 0;
    const isSame = requests.every((each) => JSON.stringify(each.json) === JSON.stringify(requests[0].json));
    return requests.length >= POLL_LEAST && every_ms >= POLL_GAP_MS_MIN && isSame ? [{ requests, every_ms }] : [];
  });
}

const sameAddress = (one) => (other) => other.method === one.method && other.template === one.template;

/** Sorts the shop's own requests into gated and open ones, with the files that open pages load. */
function sorted(own, { entrance, release, receipt }) {
  const isEntrance = (each) => isRead(each) && each !== receipt && sameTarget(entrance)(each);
  const before = own.filter((each) => each.at_ms < entrance.at_ms && !isEntrance(each));
  const after = receipt
    ? own.filter((each) => each.at_ms >= receipt.at_ms)
    : own.filter((each) => each.at_ms > release.at_ms && each.nth !== release.nth);
  const inside = own.filter((each) => isShown(each) && !each.isAhead && !before.includes(each) && !after.includes(each));
  const others = [...before, ...after].filter(isShown);
  // What other pages read too is no part of the purchase, and neither is what only reports.
  const isShared = (each) => !isEntrance(each) && isRead(each) && others.some(sameAddress(each)) && each !== release;
  const isAside = (each) => !isRead(each) && !isAct(each) && each.operations.length === 0;
  // What a script only reads reserves nothing: it is gated with the pages beside it, and makes no pattern of its own.
  const isLook = (each) => each.kind === "call" && isRead(each) && !isAct(each) && each !== release;
  const gated = inside.filter((each) => !isShared(each) && !isAside(each) && !isLook(each));
  const open = [...others, ...inside.filter((each) => isShared(each) || isAside(each))].filter((each) => !isEntrance(each));
  const openFiles = [...before, ...after].filter(({ kind }) => kind === "file");
  return { gated, open, openFiles, after: after.filter((each) => isShown(each)) };
}

/** Returns addresses that serve what is gated and what is open alike, so that a path cannot tell them apart. */
function mixedOf(gated, open) {
  const found = gated.filter((each) => open.some(sameAddress(each)));
  return [...new Map(found.map((each) => [`${each.method} ${each.template}`, each])).values()];
}

/** Some routers fetch a page as any script does. What the browser then shows as its address was a visit. */
function markVisits(own) {
  const isShownLater = (each) =>
    own.some(({ at_ms, referer }) => at_ms > each.at_ms && referer?.host === each.host && referer.pathname === each.path);
  for (const each of own)
    if (each.kind === "call" && each.method === "GET" && /^text\/html/.test(each.mime) && isShownLater(each)) each.kind = "visit";
}

/**
 * Returns the page from which the first step was sent: the one that was asked for, or one that a script drew in its place, with what was `loaded` last.
 */
function entranceOf(own, begin, spell) {
  const pages = own.filter(
    (each) => isPage(each) && isRead(each) && !each.isAhead && each.at_ms <= begin.at_ms && each !== begin && each.status < 400,
  );
  const loaded = pages.at(-1);
  const from = begin.referer?.host === begin.host ? begin.referer.pathname : undefined;
  const bare = (path) => path.replace(/\/$/, "");
  const asked = pages.findLast(({ path }) => from !== undefined && bare(pagePath(path)) === bare(from));
  if (asked || !loaded || from === undefined || bare(from) === "") return asked ?? loaded ?? begin;
  const segments = spell(from);
  return { ...loaded, loaded, at_ms: loaded.at_ms + 1, path: from, segments, template: `/${segments.join("/")}`, route: "", keys: [] };
}

/**
 * Judges requests. `host` is the shop's, if somebody says it. Returns the facts that text.mjs and patterns.mjs write down, or `{ host, lacks }` where
 * the recording holds no purchase.
 */
export function judge(requests, { host = hostOf(requests) } = {}) {
  if (!host) return { lacks: "no page" };
  const spell = speller(requests.flatMap(({ personal }) => personal));
  const all = requests.map((each) => {
    const segments = spell(each.path);
    return Object.assign(each, { segments, template: `/${segments.join("/")}` });
  });
  const own = all.filter((each) => each.host === host && each.kind !== "preflight");
  if (own.length === 0) return { host, lacks: "no host" };
  markVisits(own);
  const acts = own.filter(isAct);
  if (acts.length === 0) return { host, lacks: "no act" };
  const receipt = receiptOf(own, acts);
  const order = orderOf(acts, receipt) ?? acts.at(-1);
  const [begin] = acts;
  const entrance = entranceOf(own, begin, spell);
  const polls = pollsOf(own);
  const release = releaseOf(own, { order, receipt, polls });
  const parts = sorted(own, { entrance, release, receipt });
  const strangers = all.filter((each) => each.host !== host && each.kind !== "preflight");
  return {
    host,
    own,
    acts,
    entrance,
    begin,
    order,
    release,
    receipt,
    ...parts,
    mixed: mixedOf(parts.gated, parts.open),
    polls,
    files: own.filter(({ kind }) => kind === "file"),
    fromElsewhere: own.filter((each) => each.whence === "cross-site" && (each.kind !== "page" || !isRead(each)) && isShown(each)),
    strangers,
    siblings: strangers.filter((each) => siteOf(each.host) === siteOf(host) && isShown(each)),
    payment: strangers.filter((each) => PAYMENT.test(each.host) || (each.kind === "page" && each.at_ms > begin.at_ms)),
  };
}
