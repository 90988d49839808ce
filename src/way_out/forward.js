// The way out: a worker that takes Baton's place under its name and routes and only forwards. It needs no room, no
// object, no setting but the origin, no wasm. `npm run way-out` deploys it; docs/deploying.md says when.
//
// - Every request goes on to the origin as Baton would send an open path: proved, with the visitor's host, without what is
//   Baton's. So an origin that asks for `Baton-Proof` lets it in.
// - Pages that wait are told that nobody need wait. They come in by themselves, spread out.
// - The objects keep their data and their alarms for the day on which Baton is back.

const OWN = "/__baton/";
/** A page asks again after so many seconds if it did not go in. */
const POLL_AFTER_S = 5;
const ALARM_AGAIN_MS = 60_000;
const OURS = /^(?:__Host-|__Secure-)?baton-/;
const encoder = new TextEncoder();

const PRIVATE = { "Cache-Control": "private, no-store" };

/** Without Baton's cookies; the others as they came. */
function otherCookies(header) {
  const kept = header.split(";").filter((pair) => !OURS.test(pair.trim()));
  return kept.join(";").trim();
}

/** Baton's own headers, and what stands for a host, in whatever spelling CGI folds into one. */
const UNWELCOME = /^(?:baton-.*|forwarded|x-forwarded-(?:host|proto|for))$/;
const isUnwelcome = (name) => UNWELCOME.test(name.replace(/[^a-z0-9]/g, "-"));

const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** As src/token/proof.rs has it, for a request without a lease: no room, fence 0. */
export async function proofOf(secret, { method, host, pathAndQuery }, nowMs) {
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const nonce = hex(crypto.getRandomValues(new Uint8Array(8)));
  const said = ["baton-proof-v1", nowMs, nonce, method, host.toLowerCase(), pathAndQuery, "", 0].join("\n");
  return `v1;t=${nowMs};n=${nonce};mac=${hex(await crypto.subtle.sign("HMAC", key, encoder.encode(said)))}`;
}

/** The origin of this host as a URL, if it has one: ORIGIN is one for all, a table of one a host, or a binding. */
function siteOf(ORIGIN, { host, hostname }) {
  const plain = (name) => name.toLowerCase().replace(/\.(?=:|$)/, "");
  const named = (of) => typeof ORIGIN === "object" && typeof ORIGIN?.fetch !== "function" && Object.entries(ORIGIN ?? {}).find(([name]) => plain(name) === of)?.[1];
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

/** A redirect to the origin's own address leads to the visitor's, as src/gate/relocate.rs has it. */
function relocated(answer, origin, visitors) {
  const location = answer.headers.get("location");
  if (location === null || !URL.canParse(location) || new URL(location).origin !== new URL(origin).origin) return answer;
  const { pathname, search, hash } = new URL(location);
  const changed = new Response(answer.body, answer);
  changed.headers.set("Location", visitors + pathname + search + hash);
  return changed;
}

/** What Baton's own pages ask. Nobody waits, and the page that hears of `bypass` goes in. */
function own({ pathname }) {
  if (pathname === `${OWN}health`) return Response.json({ status: "way_out" }, { headers: PRIVATE });
  const [room, call] = pathname.slice(OWN.length).split("/");
  if (["status", "join", "claim"].includes(call)) {
    return Response.json({ state: "none", room, version: 0, mode: "bypass", poll_after_s: POLL_AFTER_S }, { headers: PRIVATE });
  }
  if (call === "leave") return new Response(null, { status: 204, headers: PRIVATE });
  return Response.json({ error: { code: "room_unavailable", message: "The waiting room is switched off for now." } }, { status: 503, headers: PRIVATE });
}

export default {
  fetch(request, env) {
    const url = new URL(request.url);
    if (!url.pathname.startsWith(OWN)) return onward(request, env);
    return url.pathname.startsWith(`${OWN}static/`) && env.ASSETS ? env.ASSETS.fetch(request) : own(url);
  },
};

/** Stands in for an object: says nothing, changes nothing, and keeps its alarm ringing for the one that comes back. */
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
