// The way out: a worker that takes Baton's place under its name and routes and only forwards. It needs no room, no object, no setting but the
// origin, and no wasm. `npm run way-out` deploys it; docs/way-out.md says when.
//
// - It sends every request on to the origin as Baton would send one for an open path: with a proof, with the visitor's host, and without Baton's
//   cookies and headers. So an origin that asks for `Baton-Proof` lets the request in.
// - It tells waiting pages that nobody need wait. They come in by themselves, spread out.
// - The objects keep their data and their alarms for the day on which Baton is back.

const OWN = "/__baton/";
/** After this many seconds a page asks again if it did not go in. */
const POLL_AFTER_S = 5;
const ALARM_AGAIN_MS = 60_000;
const OURS = /^(?:__Host-|__Secure-)?baton-/;
const encoder = new TextEncoder();

const PRIVATE = { "Cache-Control": "private, no-store" };

/** Takes out Baton's cookies and leaves the others as they came. */
function otherCookies(header) {
  const kept = header.split(";").filter((pair) => !OURS.test(pair.trim()));
  return kept.join(";").trim();
}

/** Baton's own headers, and those that name a host, in every spelling that CGI folds into one. */
const UNWELCOME = /^(?:baton-.*|forwarded|x-forwarded-(?:host|proto|for))$/;
const isUnwelcome = (name) => UNWELCOME.test(name.replace(/[^a-z0-9]/g, "-"));

const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Makes a proof as src/token/proof.rs does, for a request without a lease: no room, fence 0. */
export async function proofOf(secret, { method, host, pathAndQuery }, nowMs) {
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const nonce = hex(crypto.getRandomValues(new Uint8Array(8)));
  const said = ["baton-proof-v1", nowMs, nonce, method, host.toLowerCase(), pathAndQuery, "", 0].join("\n");
  return `v1;t=${nowMs};n=${nonce};mac=${hex(await crypto.subtle.sign("HMAC", key, encoder.encode(said)))}`;
}

/** Brings a host into one spelling: lower case, without a full stop at its end. */
const plain = (name) => name.toLowerCase().replace(/\.(?=:|$)/, "");

/** Returns the origin of this host as a URL, if it has one. ORIGIN is one origin for all hosts, a table with one for each, or a binding. */
function siteOf(ORIGIN, { host, hostname }) {
  const named = (of) =>
    typeof ORIGIN === "object" && typeof ORIGIN?.fetch !== "function" && Object.entries(ORIGIN ?? {}).find(([name]) => plain(name) === of)?.[1];
  const site = typeof ORIGIN === "string" ? ORIGIN : named(plain(host)) || named(plain(hostname));
  return site ? new URL(site) : undefined;
}

async function onward(request, { ORIGIN, ORIGIN_HOST, ORIGIN_SECRET }) {
  const url = new URL(request.url);
  const host = request.headers.get("host") ?? url.host;
  const site = siteOf(ORIGIN, url);
  const isPublic = ORIGIN_HOST === "public";
  const pathAndQuery = url.pathname + url.search;
  const base = site && (isPublic ? `${site.protocol}//${host}` : site.origin);
  const moved = new Request(site ? base + pathAndQuery : request.url, request);
  const to = site && isPublic ? new Request(moved, { cf: { resolveOverride: site.hostname } }) : moved;
  for (const name of [...to.headers.keys()].filter(isUnwelcome)) to.headers.delete(name);
  const cookie = to.headers.get("cookie");
  const kept = cookie === null ? "" : otherCookies(cookie);
  if (kept !== "") to.headers.set("cookie", kept);
  else to.headers.delete("cookie");
  if (site) {
    to.headers.set("X-Forwarded-Host", host);
    to.headers.set("X-Forwarded-Proto", url.protocol.slice(0, -1));
  }
  const client = request.headers.get("cf-connecting-ip");
  if (client !== null) to.headers.set("X-Forwarded-For", client);
  if (ORIGIN_SECRET) {
    to.headers.set("Baton-Proof", await proofOf(ORIGIN_SECRET, { method: request.method, host, pathAndQuery }, Date.now()));
    to.headers.set("Baton-Target", pathAndQuery);
  }
  if (typeof ORIGIN?.fetch === "function") return ORIGIN.fetch(to);
  const answer = await fetch(to, { redirect: "manual" });
  return site ? relocated(answer, base, `${url.protocol}//${host}`) : answer;
}

/**
 * Puts the visitors' address in place of the origin's own in its answer: in `Location`, `Refresh`, `Content-Location`, and in a cookie's `Domain`,
 * as src/gate/relocate.rs does. It does this without wasm: this worker must come up when nothing else does.
 */
function relocated(answer, origin, visitors) {
  const [from, to] = [new URL(origin), new URL(visitors)];
  const changes = Object.entries(ADDRESS_HEADERS)
    .map(([name, change]) => [name, change(answer.headers.get(name) ?? "", from, to)])
    .filter(([, value]) => value !== undefined);
  const cookies = answer.headers.getSetCookie();
  const kept = cookies.map((line) => cookieWithoutDomain(line, from, to));
  const sets = kept.some((line) => line !== undefined);
  if (changes.length === 0 && !sets) return answer;
  const changed = new Response(answer.body, answer);
  for (const [name, value] of changes) changed.headers.set(name, value);
  if (sets) changed.headers.delete("set-cookie");
  if (sets) cookies.forEach((line, at) => changed.headers.append("set-cookie", kept[at] ?? line));
  return changed;
}

/** Returns an address in the visitors' terms if it is one of the origin's, else undefined. Path, query and fragment stay as they are. */
function addressFor(value, from, to) {
  const text = value.replace(/^[\0- ]+|[\0- ]+$/g, "").replace(/[\t\n\r]/g, "");
  const [, scheme = from.protocol, authority, rest] = /^([a-z][a-z\d+.-]*:)?[\\/]{2,}([^\\/?#]*)(.*)$/is.exec(text) ?? [];
  if (authority === undefined || !URL.canParse(`${scheme}//${authority}`)) return undefined;
  const { protocol, host } = new URL(`${scheme}//${authority}`);
  const isOrigins = protocol === from.protocol && plain(host) === plain(from.host);
  if (!isOrigins || from.origin === to.origin) return undefined;
  const user = authority.slice(0, authority.lastIndexOf("@") + 1);
  return `${to.protocol}//${user}${to.host}${rest.replace(/^\\/, "/")}`;
}

function refreshFor(value, from, to) {
  const [, before, quote, after] = /^(\s*[\d.]+(?=[\s;,])\s*[;,]?\s*(?:url\s*=\s*)?(["']?))(.*)$/is.exec(value) ?? [];
  if (before === undefined) return undefined;
  const end = quote !== "" && after.includes(quote) ? after.indexOf(quote) : after.length;
  const address = addressFor(after.slice(0, end), from, to);
  return address && before + address + after.slice(end);
}

const ADDRESS_HEADERS = { location: addressFor, refresh: refreshFor, "content-location": addressFor };

/** Makes a cookie of the origin's host one of the visitors' host. If it names several domains, the last counts. */
function cookieWithoutDomain(line, from, to) {
  const [pair, ...attributes] = line.split(";");
  const domains = attributes.map(domainOf).filter((domain) => domain !== "");
  if (from.hostname === to.hostname || domains.at(-1)?.toLowerCase() !== from.hostname) return undefined;
  return [pair, ...attributes.filter((attribute) => domainOf(attribute) === "")].join(";");
}

const domainOf = (attribute) => (/^[ \t]*domain[ \t]*=(.*)$/i.exec(attribute)?.[1] ?? "").replace(/^[ \t]+|[ \t]+$/g, "").replace(/^\./, "");

/** What becomes of a header's value, for tests; undefined if it stays. */
export const headerFor = (name, value, origin, visitors) =>
  ({ ...ADDRESS_HEADERS, "set-cookie": cookieWithoutDomain })[name](value, new URL(origin), new URL(visitors));

/** Answers what Baton's own pages ask. Nobody waits, and the page that hears of `bypass` goes in. */
function own({ pathname }) {
  if (pathname === `${OWN}health`) return Response.json({ status: "way_out" }, { headers: PRIVATE });
  const [room, call] = pathname.slice(OWN.length).split("/");
  if (["status", "join", "claim"].includes(call)) {
    return Response.json({ state: "none", room, version: 0, mode: "bypass", poll_after_s: POLL_AFTER_S }, { headers: PRIVATE });
  }
  if (call === "leave") return new Response(null, { status: 204, headers: PRIVATE });
  return Response.json(
    { error: { code: "room_unavailable", message: "The waiting room is switched off for now." } },
    { status: 503, headers: PRIVATE },
  );
}

export default {
  fetch(request, env) {
    const url = new URL(request.url);
    if (!url.pathname.startsWith(OWN)) return onward(request, env);
    return url.pathname.startsWith(`${OWN}static/`) && env.ASSETS ? env.ASSETS.fetch(request) : own(url);
  },
};

/** Stands in for an object: says nothing, changes nothing, and keeps its alarm ringing for the object that comes back. */
class Asleep {
  #storage;

  constructor({ storage }) {
    this.#storage = storage;
  }

  fetch() {
    return new Response("asleep\n", { status: 503 });
  }

  async alarm() {
    await this.#storage.setAlarm(Date.now() + ALARM_AGAIN_MS);
  }

  webSocketMessage(socket) {
    socket.close(1012, "the waiting room is switched off");
  }

  webSocketClose(socket, code) {
    socket.close(code === 1005 || code === 1006 ? 1000 : code);
  }

  webSocketError() {}
}

export class RoomObject extends Asleep {}
export class LobbyObject extends Asleep {}
export class HouseObject extends Asleep {}
export class PorterObject extends Asleep {}
export class OutboxObject extends Asleep {}
