// What `npm run paths` says, in sentences. Pure. No value of a query, a form or a cookie stands here, and no id: a request is named by its method, its
// path with stars, and its place in the recording.

import { isAct, isRead } from "./judge.mjs";
import { keysOf } from "./spelling.mjs";

const LINES_MAX = 12;

/** Returns how a request is named: `POST /cart/add (#41)`. */
export function nameOf(each) {
  const operation = each.operations.map(({ isMutation, name }) => `${isMutation ? "mutation" : "query"} ${name}`).join(", ");
  const keys =
    each.keys.length > 0
      ? `?${keysOf(each.keys)
          .map((key) => `${key}=*`)
          .join("&")}`
      : "";
  return `${each.method} ${each.template}${keys}${operation && ` [${operation.trim()}]`} (#${each.nth})`;
}

/** Returns each address once, with how often it came. */
function listed(requests) {
  const groups = new Map();
  for (const each of requests) {
    const name = nameOf(each).replace(/ \(#\d+\)$/, "");
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  const lines = [...groups].map(([name, [first, ...more]]) => `  ${name} (#${first.nth}${more.length > 0 ? ` and ${more.length} more` : ""})`);
  return lines.length > LINES_MAX ? [...lines.slice(0, LINES_MAX), `  … and ${lines.length - LINES_MAX} more`] : lines;
}

const section = (title, requests) => (requests.length > 0 ? [title, ...listed(requests), ""] : []);

function releaseText({ release, receipt, receiptIsGated, isFarewell, polls, begin }) {
  const isPolled = polls.some(({ requests }) => requests.includes(release));
  if (release === receipt)
    return `The release belongs to ${nameOf(release)}: the buyer comes back from payment to this page, and nothing of the shop's is answered before.`;
  const how = isPolled ? ' once it says that the order is there: earlier answers say "not yet"' : "";
  const where = receipt
    ? `, the last gated answer before the receipt ${nameOf(receipt)}`
    : "; the page after it is drawn by a script, or is this answer itself";
  const mild = receiptIsGated && isFarewell ? " The receipt's page has an address that no mail can use, so a farewell pass loads it." : "";
  return `The release belongs to the answer to ${nameOf(release)}${how}${where}.${mild}${begin === release ? " It is the only step of the purchase." : ""}`;
}

function entranceText({ entrance, gated, page_start, acts, loadedIsGated }) {
  const [first] = gated;
  if (!["page", "visit"].includes(entrance.kind) || !isRead(entrance))
    return `The first gated request is ${nameOf(first ?? entrance)}, and the recording holds no page before it: record from the shop's front page on, and set page_start.`;
  if (page_start)
    return `The first gated request is ${nameOf(first)}. Nobody can wait on it, so page_start leads to ${page_start}, from where it was sent.`;
  if (entrance.loaded) {
    const drawn = `The entrance is the page ${entrance.template}, which a script draws without asking the shop`;
    if (loadedIsGated)
      return `${drawn}, and no path gates what it sends. So the page that was loaded before is gated too: ${nameOf(entrance.loaded)}.`;
    return `${drawn}: who comes there by a click meets the line at ${nameOf(acts[0])}. Better: let the link to it load the page whole.`;
  }
  const posts = gated.find((each) => isAct(each) && each !== entrance);
  return `The entrance is ${nameOf(entrance)}, a page: who must wait there waits on a page.${posts ? ` The first step is ${nameOf(posts)}.` : ""}`;
}

/** What must be said of a shop whose addresses a path cannot tell apart. */
function mixedText({ mixed, receipt }) {
  return mixed.flatMap((each) => {
    if (receipt && receipt.route === "" && each.template === receipt.template && each.method === receipt.method) {
      return [
        `! The receipt has the address of the form, ${each.method} ${each.template}: only the query tells them apart, and paths know no query. It is gated: a mailed link waits in line. Cure: give the receipt a path of its own.`,
      ];
    }
    if (each.operations.length > 0)
      return [
        `! ${each.method} ${each.template} is one address for everything: what is read outside the purchase goes there too. It is left open. Cure: gate the page, and in the shop refuse the calls that reserve without Baton-Fence, for which they need an address of their own.`,
      ];
    return [
      `! ${each.method} ${each.template} is one address for gated and open pages, which only the query tells apart, and paths know no query. It is left open. Cure: switch on the shop's readable addresses, record anew; or gate the whole shop with "/*".`,
    ];
  });
}

/** What must be said of functions that a header names. */
const functionText = (acts) =>
  acts.some(({ isServerFunction }) => isServerFunction)
    ? ["! Server functions (Next-Action) answer at any path: refuse them inside the function without Baton-Fence (docs/stacks/other-names.md).", ""]
    : [];

/** Returns the report. `judged` also holds what patternsOf() gives. */
export function reportOf(judged) {
  const { host, own, files, after, polls, fromElsewhere, siblings, strangers, payment, paths, bypass, receipt } = judged;
  const posted = after.filter((each) => !isRead(each));
  const others = [...new Set(strangers.map((each) => each.host))];
  return [
    `${own.length} of the recording's requests go to ${host}; ${files.length} of them are files.`,
    "",
    entranceText(judged),
    releaseText(judged),
    "",
    ...mixedText(judged).flatMap((line) => [line, ""]),
    ...functionText(judged.acts),
    "Gate:",
    ...(paths.length > 0 ? paths.map((path) => `  ${path}`) : ["  nothing: see above"]),
    "",
    ...(bypass.length > 0 ? ["Leave open below these (bypass_paths):", ...bypass.map((path) => `  ${path}`), ""] : []),
    ...section(
      "After the release, so leave it open:",
      after.filter((each) => each !== receipt || !judged.receiptIsGated),
    ),
    ...(posted.length > 0 ? ["A farewell pass loads pages and sends nothing: never gate what is posted after the release.", ""] : []),
    ...polls.flatMap(({ requests: [first, ...more], every_ms }) => [
      `A poll: ${nameOf(first)}, ${more.length + 1} times, every ${(every_ms / 1000).toFixed(1)} s. While it goes on it keeps the permit.`,
      "",
    ]),
    ...section("From another site, so the pass may be missing:", fromElsewhere),
    ...section(
      "Another host of this site answers calls. Its address is a way past the line unless it has the route or the lock too:",
      siblings.filter(({ kind }) => kind === "call"),
    ),
    ...(payment.length > 0
      ? [
          "A payment provider, or another site, was visited. Its webhook goes to the shop by itself, and no browser records it: if it lies below what is gated, add it to bypass_paths as POST /its/path (docs/payments.md).",
          "",
        ]
      : []),
    ...(others.length > 0 ? [`Other hosts, which Baton never sees: ${others.length}.`, ""] : []),
  ].join("\n");
}
