// Makes a recording that may be shown to others: what a request was, and nothing of who sent it. Pure. Cookies, bodies, contents, values of queries and
// addresses of hosts are left out; ids become numbers, the same one for the same id.

import { requestOf, ROUTE_KEYS } from "./request.mjs";
import { keysOf, speller } from "./spelling.mjs";

/** What a judgement reads of a request's headers, as it is. */
const KEPT = [
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "sec-fetch-user",
  "x-requested-with",
  "rsc",
  "next-router-prefetch",
  "sec-purpose",
  "purpose",
  "hx-boosted",
  "x-inertia",
  "turbo-frame",
  "x-swup",
  "access-control-request-method",
];
/** Of these only that they were there. */
const MARKED = ["next-action", "x-turbo-request-id", "x-up-version", "next-router-segment-prefetch"];
/** Words of a route that a query names: never a value that somebody typed. */
const ROUTE = /^[a-z][a-z/_.|]{0,60}$/i;
/** A page loads tens of files; one of each kind says as much. */
const EPOCH_MS = Date.UTC(2026, 0, 1);

class Names {
  #ids = new Map();
  #hosts = new Map();
  #spell;
  #shop;

  constructor(values, shop) {
    this.#spell = speller(values);
    this.#shop = shop;
  }

  id(segment) {
    if (!this.#ids.has(segment)) this.#ids.set(segment, String(10_000_001 + this.#ids.size));
    return this.#ids.get(segment);
  }

  host(host) {
    if (host === this.#shop) return "tickets.example.com";
    const isSibling = host.split(".").length > 2 && host.split(".").slice(-2).join(".") === this.#shop.split(".").slice(-2).join(".");
    if (!this.#hosts.has(host))
      this.#hosts.set(host, isSibling ? `other${this.#hosts.size + 1}.example.com` : `www.other${this.#hosts.size + 1}.example`);
    return this.#hosts.get(host);
  }

  address(url) {
    const raw = url.pathname.split("/").filter(Boolean);
    const segments = this.#spell(url.pathname).map((segment, at) => (segment === "*" ? this.id(raw[at]) : segment));
    const slash = segments.length > 0 && url.pathname.endsWith("/") ? "/" : "";
    const query = [...url.searchParams].map(([key, value]) => `${keysOf([key])[0]}=${ROUTE_KEYS.includes(key) && ROUTE.test(value) ? value : "*"}`);
    return `https://${this.host(url.host)}/${segments.join("/")}${slash}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  }
}

/** Fields and operations without their values. */
function bodyOf({ fields, json, operations }, mimeType = "") {
  if (operations.length > 0)
    return {
      mimeType: "application/json",
      text: JSON.stringify(
        operations.map(({ isMutation, name }) => ({ operationName: name, query: `${isMutation ? "mutation" : "query"} ${name}` })),
      ),
    };
  if (fields) return { mimeType: mimeType.split(";")[0], params: keysOf(fields).map((name) => ({ name, value: "*" })) };
  if (json && typeof json === "object" && !Array.isArray(json))
    return { mimeType: "application/json", text: JSON.stringify(Object.fromEntries(keysOf(Object.keys(json)).map((name) => [name, "*"]))) };
  return undefined;
}

function entryOf(entry, request, names, begin_ms) {
  const headers = (entry.request.headers ?? []).map(({ name, value }) => ({ name: name.toLowerCase(), value }));
  const value = (name) => headers.find((header) => header.name === name)?.value;
  const kept = [
    ...headers.filter(({ name }) => KEPT.includes(name) && /^[\w;=?, -]{1,40}$/.test(value(name))),
    ...headers.filter(({ name }) => MARKED.includes(name)).map(({ name }) => ({ name, value: "1" })),
    ...(/^text\/html/.test(value("accept") ?? "") ? [{ name: "accept", value: "text/html" }] : []),
    ...(request.referer ? [{ name: "referer", value: names.address(request.referer) }] : []),
  ];
  const postData = bodyOf(request, entry.request.postData?.mimeType);
  return {
    startedDateTime: new Date(EPOCH_MS + request.at_ms - begin_ms).toISOString(),
    time: Math.round(request.end_ms - request.at_ms),
    ...(entry._resourceType && /^[a-z]{1,20}$/i.test(entry._resourceType) && { _resourceType: entry._resourceType }),
    request: {
      method: request.method,
      url: names.address(request.url),
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: kept,
      queryString: [],
      headersSize: -1,
      bodySize: -1,
      ...(postData && { postData }),
    },
    response: {
      status: request.status,
      statusText: "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: [],
      redirectURL: request.redirect ? names.address(request.redirect) : "",
      content: { size: 0, mimeType: request.mime.split(";")[0] },
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  };
}

/** Returns a HAR as an object. `host` is the shop's. One file of each kind stays, with those that share their folder with a page. */
export function scrubbed(entries, host) {
  const all = entries.map((entry, nth) => [entry, requestOf(entry, nth)]).filter(([, request]) => request !== null && request.status > 0);
  const names = new Names(
    all.flatMap(([, { personal }]) => personal),
    host,
  );
  const begin_ms = Math.min(...all.map(([, { at_ms }]) => at_ms));
  const seen = new Set();
  const kept = all.filter(([, request]) => {
    if (request.kind !== "file") return true;
    const name = `${request.host}${request.path.split("/").slice(0, -1).join("/")} ${request.mime}`;
    return !seen.has(name) && seen.add(name);
  });
  return {
    log: {
      version: "1.2",
      creator: { name: "npm run paths -- --scrub", version: "1" },
      pages: [],
      entries: kept.map(([entry, request]) => entryOf(entry, request, names, begin_ms)),
    },
  };
}
