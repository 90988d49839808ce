// What a recorded request was: a page, a router's visit, a call, a file. Pure. Values that a buyer typed are read only to be left out.

import { personalOf } from "./spelling.mjs";

/** Headers by which a look ahead of a click announces itself. */
const AHEAD = [
  "sec-purpose",
  "purpose",
  "x-purpose",
  "x-moz",
  "x-sec-purpose",
  "next-router-prefetch",
  "next-router-segment-prefetch",
  "hx-preloaded",
  "vnd.prefetch",
];
/** Headers by which a router says that it loads a page in the browser's place. */
const ROUTER = ["rsc", "x-inertia", "hx-boosted", "turbo-frame", "x-turbo-request-id", "x-up-version", "x-swup"];
/** The data of a page, by the names that React Router, SvelteKit, Nuxt and Next's Pages Router give it. */
const PAGE_DATA = /\.data$|\/__data\.json$|\/_payload\.json$|^\/_next\/data\//;
const FILE_TYPES =
  /^(?:text\/css|image\/|font\/|audio\/|video\/|application\/(?:font|wasm|manifest)|(?:text|application)\/(?:x-)?(?:java|ecma)script)/;
const FILE_NAMES = /\.(?:css|m?js|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|eot|mp4|webm|wasm|webmanifest)$/i;
/** Chromium's and Playwright's word for what a request loads → ours. */
const TYPES = {
  document: "page",
  xhr: "call",
  fetch: "call",
  eventsource: "call",
  websocket: "socket",
  preflight: "preflight",
  ping: "beacon",
  beacon: "beacon",
  cspviolationreport: "beacon",
  script: "file",
  stylesheet: "file",
  image: "file",
  font: "file",
  media: "file",
  manifest: "file",
  texttrack: "file",
};
/** Query keys whose value names the page or the function where the path does not. */
export const ROUTE_KEYS = ["route", "main_page", "wc-ajax", "controller", "r", "action"];

/** Keys that routers add to a page's address. */
const ROUTER_KEYS = ["_rsc", "_data", "_routes", "x-sveltekit-invalidated", "x-sveltekit-trailing-slash"];

const headersOf = (list = []) => Object.fromEntries(list.map(({ name, value }) => [name.toLowerCase(), value]));
const addressOf = (text, base) => (text && URL.canParse(text, base) ? new URL(text, base) : null);

function kindOf({ method, headers, type, url, mime }) {
  if (method === "OPTIONS" && headers["access-control-request-method"]) return "preflight";
  if (headers.upgrade?.toLowerCase() === "websocket" || /^wss?:$/.test(url.protocol)) return "socket";
  const by = headers["sec-fetch-dest"];
  if (["iframe", "frame", "fencedframe"].includes(by)) return "frame";
  const isVisit = method === "GET" && (ROUTER.some((name) => headers[name] !== undefined) || PAGE_DATA.test(url.pathname));
  if (by === "document" || (by === undefined && type === "document")) return "page";
  if (by === "report" || TYPES[type] === "beacon") return "beacon";
  if (isVisit) return "visit";
  if (by === "empty") return "call";
  if (by !== undefined && by !== "") return "file";
  if (TYPES[type]) return TYPES[type];
  if (headers["x-requested-with"]) return "call";
  if (FILE_TYPES.test(mime) || FILE_NAMES.test(url.pathname)) return "file";
  return /^text\/html/.test(headers.accept ?? "") ? "page" : "call";
}

/** Returns the path of the page whose data a router asks for: `/buy` for `/buy.data`. Any other path is returned as it is. */
export function pagePath(path) {
  if (!PAGE_DATA.test(path)) return path;
  const page = path.replace(/^\/_next\/data\/[^/]+/, "").replace(/\/(?:__data|_payload)\.json$|\/_\.data$|\.data$|\.json$/, "");
  return page === "" || page === "/index" || page === "/_root" ? "/" : page;
}

/** The last two labels: enough to tell a payment provider from a host of the shop's own. */
export const siteOf = (host) => host.split(":")[0].split(".").slice(-2).join(".");

function whenceOf({ headers, url }) {
  if (headers["sec-fetch-site"]) return headers["sec-fetch-site"];
  const from = addressOf(headers.origin) ?? addressOf(headers.referer);
  if (!from) return "none";
  return from.host === url.host ? "same-origin" : siteOf(from.host) === siteOf(url.host) ? "same-site" : "cross-site";
}

function bodyOf(postData) {
  const { mimeType = "", text = "", params = [] } = postData ?? {};
  if (/json/.test(mimeType)) {
    try {
      return { json: JSON.parse(text), fields: null };
    } catch {
      return { json: null, fields: null };
    }
  }
  const given =
    params.length > 0
      ? params.map(({ name, value = "" }) => [name, value])
      : /urlencoded/.test(mimeType)
        ? [...new URLSearchParams(text)]
        : /multipart/.test(mimeType)
          ? partsOf(text)
          : [];
  return { json: null, fields: given.length > 0 ? given : null };
}

/** Returns the fields of a form that is sent in parts, as `[[name, value]]`. */
function partsOf(text) {
  return [...text.matchAll(/name="([^"\r\n]*)"(?:; filename="[^"]*")?(?:\r?\n[^\r\n]+)*\r?\n\r?\n([^\r\n]*)/g)].map(([, name, value]) => [
    name,
    value,
  ]);
}

/** Returns the operations of a body in GraphQL: `[{ isMutation, name }]`. */
function operationsOf(json) {
  return [json]
    .flat()
    .filter((each) => each && typeof each === "object" && typeof (each.query ?? each.operationName) === "string")
    .map(({ query = "", operationName }) => {
      const [, word, named] = /^[\s\S]*?\b(query|mutation|subscription)\b\s*(\w+)?/.exec(query.replace(/#.*$/gm, "")) ?? [];
      const name = operationName ?? named;
      // Without a name the first field tells what it does.
      const field = /\{\s*(\w+)/.exec(query)?.[1];
      const shown = [name, field].find((each) => /^[A-Za-z_]\w{0,60}$/.test(each ?? "")) ?? "";
      return { isMutation: word === "mutation", name: shown };
    });
}

/** Returns a recorded entry as a request, or null for what never went to a server, such as `data:`. */
export function requestOf(entry, nth) {
  const url = addressOf(entry.request.url);
  if (!url || !/^(?:https?|wss?):$/.test(url.protocol)) return null;
  const headers = headersOf(entry.request.headers);
  const answer = headersOf(entry.response.headers);
  const mime = (answer["content-type"] ?? entry.response.content?.mimeType ?? "").toLowerCase();
  const method = entry.request.method.toUpperCase();
  const { json, fields } = bodyOf(entry.request.postData);
  const at_ms = Date.parse(entry.startedDateTime);
  const { status } = entry.response;
  return {
    nth: nth + 1,
    at_ms,
    end_ms: at_ms + Math.max(0, Number(entry.time) || 0),
    method,
    url,
    host: url.host,
    path: url.pathname,
    status,
    mime,
    kind: kindOf({ method, headers, type: entry._resourceType?.toLowerCase(), url, mime }),
    isAhead: AHEAD.some((name) => /prefetch|prerender|preview|^true$|^\d$|^\//.test(headers[name] ?? "")),
    whence: whenceOf({ headers, url }),
    referer: addressOf(headers.referer),
    redirect: status >= 300 && status < 400 ? addressOf(answer.location || entry.response.redirectURL, url) : null,
    fields: fields?.map(([name]) => name) ?? null,
    json,
    operations: operationsOf(json),
    isServerFunction: headers["next-action"] !== undefined,
    route: ROUTE_KEYS.map((key) => url.searchParams.get(key))
      .filter(Boolean)
      .join(" "),
    keys: [...new Set(url.searchParams.keys())].filter((key) => !ROUTER_KEYS.includes(key)),
    personal: personalOf(fields, json),
  };
}

/** Returns the requests of a recording that were answered, in the order in which they were sent. */
export function requestsOf(entries) {
  const all = entries.map(requestOf).filter((request) => request !== null && request.status > 0);
  return all.sort((one, other) => one.at_ms - other.at_ms || one.nth - other.nth);
}
