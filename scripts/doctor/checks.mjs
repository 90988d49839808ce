// What the doctor looks at. Each check is a function from the patient to a finding: `{ is: "ok" | "warn" | "bad" | "unknown", seen, cure }`. A check
// changes nothing, takes no number, and says what it saw in its own words.

import dns from "node:dns/promises";
import { otherNames } from "../other_names.mjs";
import { past } from "../past.mjs";
import { leadsAll, unreached } from "../unreached.mjs";
import { ask, askSocket, askTls } from "./ask.mjs";

const STATIC = "/__baton/static/";
const JSON_ONLY = { accept: "application/json" };
const PAGE = {
  accept: "text/html,application/xhtml+xml,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-site": "none",
};
const CERTIFICATE_DAYS_MIN = 14;
const SKEW_WARN_MS = 5_000;
/** A proof counts for a minute. */
const SKEW_BAD_MS = 60_000;
const ROUND_WARN_MS = 300;
const RELEASES_LOOKED_AT_MIN = 20;
/** Half of what the platform allows; front, lobby, room and lobby are four. */
const DEPTH_WARN = 8;

export const ok = (seen) => ({ is: "ok", seen });
export const warn = (seen, cure) => ({ is: "warn", seen, cure });
export const bad = (seen, cure) => ({ is: "bad", seen, cure });
export const unknown = (seen, cure) => ({ is: "unknown", seen, cure });

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
const isLocal = ({ url }) => LOCAL.includes(url.hostname);
const at = ({ url }, path) => new URL(path, url);

/** Returns a path that a pattern gates: `/buy/*` -> `/buy/x`. */
const pathOf = (pattern) => pattern.replace(/^GET /, "").replace(/\*+/g, "doctor");

async function reach(patient) {
  if (!isLocal(patient)) {
    const found = await dns.lookup(patient.url.hostname, { all: true }).catch(() => []);
    if (found.length === 0) return bad(`${patient.url.hostname} has no address`, "Add a proxied DNS record for it.");
  }
  const { status, headers, body } = await ask(at(patient, "/__baton/health"));
  if (!isLocal(patient) && !headers["cf-ray"])
    return bad("the answer does not come through Cloudflare", "Let the DNS record be proxied (the orange cloud).");
  if (body.includes('"way_out"')) return bad("Baton is out of the way: everybody reaches the site", "npm run deploy brings it back.");
  if (status === 200 && body.includes('"ok"')) return ok("it answers");
  const why = /error code: (\d+)/i.exec(body)?.[1];
  return bad(
    `/__baton/health answered ${status}${why ? ` (Cloudflare's ${why})` : ""}`,
    why
      ? "The worker itself fails: see its log, and npm run way-out lets people through meanwhile."
      : "Add a route for all paths of the host: docs/deploying.md, step 5.",
  );
}

async function transport(patient) {
  if (patient.url.protocol !== "https:")
    return isLocal(patient) ? unknown("no TLS on this machine") : bad("plain HTTP", "Ask by https, and turn on Always Use HTTPS.");
  const { protocol, validTo } = await askTls(patient.url);
  const days = Math.floor((validTo - Date.now()) / 86_400_000);
  if (!["TLSv1.2", "TLSv1.3"].includes(protocol)) return bad(protocol, "Set the zone's minimum TLS version to 1.2.");
  if (days < CERTIFICATE_DAYS_MIN) return warn(`the certificate ends in ${days} days`, "See that it is renewed.");
  const plain = await ask(new URL(`http://${patient.url.hostname}/`)).catch(() => null);
  if (plain && (plain.status < 300 || plain.status >= 400))
    return warn(
      `http:// is answered with ${plain.status} and does not lead to https://`,
      "Turn on Always Use HTTPS: cookies with the __Host- prefix need it.",
    );
  return ok(`${protocol}, the certificate is good for ${days} days`);
}

/** Asks for every pattern of every room, in spellings that a route for less than all paths would miss. */
async function gate(patient) {
  const found = [];
  for (const { name, patterns } of patient.rooms) {
    for (const pattern of patterns) {
      const path = pathOf(pattern);
      const spelt = `/${[...path.slice(1)].map((char, nth) => (nth === 0 && /[a-z]/i.test(char) ? `%${char.charCodeAt(0).toString(16)}` : char)).join("")}`;
      for (const way of new Set([path, `/${path}`, spelt])) {
        const { status, headers } = await ask(at(patient, patient.url.origin + way), { headers: JSON_ONLY });
        const isHeld = headers["baton-state"] === "waiting" || status === 400;
        if (!isHeld) found.push(`${way} (room ${name}) answered ${status} to a stranger`);
      }
    }
  }
  if (patient.rooms.length === 0) return unknown("which paths are gated is the operator's to tell", "Give --token, or --path and --room.");
  if (found.length > 0)
    return bad(
      found.slice(0, 3).join("; "),
      "The route must cover all paths of the host (tickets.example.com/*): other spellings of a gated path must not go past. If the room is in bypass or observe, that is why.",
    );
  return ok(`${patient.rooms.flatMap(({ patterns }) => patterns).length} patterns are held, in other spellings too`);
}

/** A path that no shop serves. */
const NOWHERE = ["doctor-zq7", "doctor-xk4"];

/** What an answer shows of the page behind it, without these words. A redirect shows where it leads. */
const shape = ({ status, headers, body }, words) => words.reduce((text, word) => text.replaceAll(word, ""), `${status} ${headers.location ?? body}`);

/** Asks for other names of each gated page. One that is answered unlike a path that nobody serves may be the page, and no room holds it. */
async function names(patient) {
  const patterns = patient.rooms.flatMap((room) => room.patterns);
  if (patterns.length === 0) return unknown("no gated path is known", "Give --token, or --path and --room.");
  const home = await ask(at(patient, "/"), { headers: PAGE });
  const build = /"buildId":"([\w-]+)"/.exec(home.body)?.[1];
  const found = [];
  for (const { path, name, by, pattern, nameOf } of otherNames(patterns, build)) {
    const answer = await ask(at(patient, name), { headers: JSON_ONLY });
    if (answer.status >= 400 || answer.headers.location?.replace(/\/$/, "").endsWith(path)) continue;
    const [nobody, again] = await Promise.all(NOWHERE.map((other) => ask(at(patient, nameOf(`/${other}`)), { headers: JSON_ONLY })));
    // A page may show its own name, and any page may have links to the gated one.
    const [its, theirs, others] = [answer, nobody, again].map((each) => shape(each, [...NOWHERE, path.slice(1)]));
    // A shop whose answers differ each time is judged by the status alone.
    const isServed = theirs === others ? its !== theirs : answer.status !== nobody.status;
    if (isServed) found.push(`${name} answered ${answer.status} to a stranger (${by}: ${pattern ? `add ${pattern}` : "no pattern gates it"})`);
  }
  if (found.length > 0)
    return warn(found.slice(0, 4).join("; "), "If it shows the gated page, add the pattern, or refuse it in the shop: docs/stacks/other-names.md.");
  return ok("no other name of a gated page leads past");
}

/** A shop that wants its public name, and is asked under another one, sends everybody to where they are. */
async function redirects(patient) {
  const pages = ["/", ...patient.rooms.slice(0, 1).map(({ patterns }) => pathOf(patterns[0]))];
  for (const page of pages) {
    const { status, headers } = await ask(at(patient, page), { headers: PAGE });
    if (status < 300 || status >= 400 || !headers.location) continue;
    if (new URL(headers.location, at(patient, page)).href === at(patient, page).href)
      return bad(
        `${page} redirects to itself (${status})`,
        'The shop insists on its public name: set ORIGIN_HOST = "public" (docs/configuration.md; npm start -- --origin-host public), or name Baton\'s host in the shop.',
      );
  }
  return ok(`${pages.join(" and ")} do not lead to themselves`);
}

/**
 * Sends an empty form to a path that nobody serves, once as Baton's own page does and once as if from the shop's own name: whoever compares Origin with
 * Host says so first. To a gated path it sends none: there it would walk in.
 */
async function forms(patient) {
  const { ORIGIN } = patient.config?.vars ?? {};
  const shop = patient.origin ?? (typeof ORIGIN === "string" && URL.canParse(ORIGIN) ? new URL(ORIGIN) : undefined);
  if (!shop) return unknown("not asked", "Give --origin https://…, the address of the site behind Baton.");
  const isGated = patient.rooms.some(({ patterns }) => patterns.some((pattern) => pattern.startsWith("/*")));
  if (isGated || (await ask(at(patient, `/${NOWHERE[0]}`), { headers: JSON_ONLY })).headers["baton-state"])
    return unknown("every path is gated", "Look whether a form of the shop's goes through Baton.");
  const send = (from) =>
    ask(at(patient, `/${NOWHERE[0]}`), {
      method: "POST",
      headers: {
        ...PAGE,
        "sec-fetch-site": "same-origin",
        origin: from.origin,
        "content-type": "application/x-www-form-urlencoded",
        "content-length": "0",
      },
    });
  const [ours, theirs] = [await send(patient.url), await send(shop)];
  if (ours.status >= 400 && theirs.status !== ours.status)
    return bad(
      `a form from ${patient.url.origin} is answered ${ours.status}, and one from ${shop.origin} ${theirs.status}`,
      'The shop compares Origin with Host: set ORIGIN_HOST = "public" (docs/configuration.md; npm start -- --origin-host public), or let the shop trust the public name.',
    );
  return ok("forms of Baton's pages are taken like the shop's own");
}

async function origin(patient) {
  if (!patient.origin) return unknown("not asked", "Give --origin https://…, the address of the site behind Baton.");
  const path = pathOf(patient.rooms[0]?.patterns[0] ?? "/");
  const forged = { ...JSON_ONLY, "Baton-Proof": `v1;t=${Date.now()};n=${"0".repeat(16)};mac=${"0".repeat(64)}`, "Baton-Fence": "1" };
  for (const [headers, who] of [
    [JSON_ONLY, "a stranger"],
    [forged, "a forged proof"],
  ]) {
    let answer;
    try {
      answer = await ask(new URL(path, patient.origin), { headers });
    } catch (error) {
      return ok(`nobody reaches it from here (${error.code ?? error.message})`);
    }
    if (answer.status < 400)
      return bad(
        `${patient.origin.origin}${path} answered ${answer.status} to ${who}`,
        "Let the origin refuse what has no valid Baton-Proof: docs/stacks/, docs/origin/.",
      );
    if (answer.status !== 401 && answer.status !== 403)
      return warn(`it answered ${answer.status} to ${who}, not 403`, "See that this is the check's answer and not an accident.");
  }
  return ok("it refuses a stranger and a forged proof");
}

/** Cloudflare finds a host by another name only if both are in one zone, and reports nothing if they are not. */
async function originHost({ url, config }) {
  const { ORIGIN, ORIGIN_HOST } = config?.vars ?? {};
  if (ORIGIN_HOST !== "public") return ok("the origin is asked under its own name");
  const sites = (typeof ORIGIN === "string" ? [ORIGIN] : Object.values(ORIGIN ?? {})).map((site) => new URL(site).hostname);
  const routes = [config.route ?? [], config.routes ?? []].flat();
  const zones = [...new Set(routes.map((route) => route.zone_name).filter(Boolean))];
  if (zones.length === 0)
    return unknown("wrangler.toml names no zone", 'Write zone_name = "example.com" at the route: ORIGIN_HOST = "public" works inside one zone only.');
  const isIn = (name) => zones.some((zone) => name === zone || name.endsWith(`.${zone}`));
  const cure = "Add a proxied CNAME record in the zone that points to the origin and name that in ORIGIN, or leave ORIGIN_HOST out.";
  const strangers = [...sites, ...(LOCAL.includes(url.hostname) ? [] : [url.hostname])].filter((name) => !isIn(name));
  if (strangers.length > 0)
    return bad(
      `${strangers.join(", ")} is outside the zone ${zones.join(", ")}: Cloudflare ignores ORIGIN_HOST = "public" there and asks the site's own record`,
      cure,
    );
  const lost = [];
  for (const name of new Set(sites)) if ((await dns.lookup(name, { all: true }).catch(() => [])).length === 0) lost.push(name);
  if (lost.length > 0) return bad(`${lost.join(", ")} has no address`, cure);
  return ok(`${[...new Set(sites)].join(", ")}, in the zone ${zones.join(", ")}, under the visitor's name`);
}

const isSet = (line, name) => line.startsWith(`${name}=`);

async function cookies(patient) {
  const room = patient.rooms[0];
  if (!room) return unknown("no gated path is known", "Give --token, or --path and --room.");
  const { cookies: lines } = await ask(at(patient, pathOf(room.patterns[0])), { headers: PAGE });
  const isSecure = patient.url.protocol === "https:";
  const name = isSecure ? "__Host-baton-visitor" : "baton-visitor";
  const line = lines.find((each) => isSet(each, name) || isSet(each, "__Secure-baton-visitor"));
  if (!line)
    return bad(
      `the page set no ${name}`,
      "Something in front takes Set-Cookie away, or answers from a cache: turn caching of HTML off for these paths.",
    );
  const missing = ["HttpOnly", "SameSite=Lax", "Path=/", ...(isSecure ? ["Secure"] : [])].filter(
    (attribute) => !line.split("; ").includes(attribute),
  );
  if (missing.length > 0) return bad(`${name} lacks ${missing.join(", ")}`, "Something in front rewrites cookies: let Set-Cookie through as it is.");
  patient.cookie = line.split(";")[0];
  return ok(line.replace(/=[^;]*/, "=…"));
}

async function sockets(patient) {
  const room = patient.rooms[0];
  if (!room || !patient.cookie) return unknown("needs the visitor's cookie");
  const url = at(patient, `/__baton/${room.name}/socket?resume=1`);
  const seen = await askSocket(url, { Cookie: patient.cookie, Origin: patient.url.origin });
  if (seen.status !== 101)
    return bad(`answered ${seen.status}, not 101`, "Turn WebSockets on for the zone (Network), and in what else stands in front.");
  if (!seen.isAccepted) return bad("the handshake is not the one that was asked for", "Something in front breaks WebSockets.");
  if (seen.extensions !== "")
    return warn(
      `compression was agreed on: ${seen.extensions}`,
      'Set compatibility_flags = ["no_web_socket_compression"]: a socket takes three times the memory with it.',
    );
  return ok("opened, without compression");
}

async function caching(patient) {
  const room = patient.rooms[0];
  if (!room) return unknown("no gated path is known", "Give --token, or --path and --room.");
  const page = await ask(at(patient, pathOf(room.patterns[0])), { headers: PAGE });
  if (page.headers["baton-state"] !== "waiting")
    return unknown(`${page.status}: somebody who comes now walks in`, "Ask again while nobody may (permits 0, or paused).");
  const control = page.headers["cache-control"] ?? "";
  if (!control.includes("no-store") || page.headers["cf-cache-status"] === "HIT")
    return bad(`the waiting page says "${control}"`, "Nothing may cache it: remove cache rules (Cache Everything) for these paths.");
  const names = [...page.body.matchAll(/(?:href|src)="(\/__baton\/static\/h\/[^"]+)"/g)].map(([, name]) => name);
  if (names.length === 0) return bad("the page loads no files of Baton's", "The assets are missing: npm run deploy uploads them.");
  for (const name of names) {
    const { status, headers } = await ask(at(patient, name));
    if (status !== 200) return bad(`${name} answered ${status}`, "The files of this version are missing: npm run deploy.");
    if (!headers["cache-control"]?.includes("immutable"))
      return warn(`${name} says "${headers["cache-control"]}"`, "_headers is not in force: a rule of the zone overrides Cache-Control.");
  }
  const template = await ask(at(patient, `${STATIC}page.en.html`));
  if (template.status !== 200)
    return bad(`page.en.html answered ${template.status}`, 'Set assets.html_handling = "none": the worker cannot read its pages.');
  return ok(`the page is kept by nobody, ${names.length} files for ever`);
}

const LOGO = /<img src="([^"]+)" alt="">/;
const IMAGE = { accept: "image/*", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image", "sec-fetch-site": "same-origin" };

/** Asks for the logo of each room's page, as the page of somebody who waits does: of the file's rooms, the house's, and brands. */
async function logos(patient) {
  const found = [];
  const shown = [];
  for (const { name, patterns } of patient.rooms) {
    const page = await ask(at(patient, pathOf(patterns[0])), { headers: PAGE });
    const logo = page.headers["baton-state"] && LOGO.exec(page.body)?.[1].replaceAll("&amp;", "&");
    if (!logo?.startsWith("/")) continue;
    shown.push(logo);
    const { status, headers } = await ask(at(patient, logo), { headers: IMAGE });
    const type = headers["content-type"] ?? "nothing";
    const why = headers["baton-state"] ? "is gated" : status !== 200 || !type.startsWith("image/") ? `answered ${status}, ${type}` : undefined;
    if (why) found.push(`${logo} (room ${name}) ${why}`);
  }
  if (found.length > 0)
    return warn(
      `who waits sees no logo: ${found.slice(0, 3).join("; ")}`,
      "Name a picture that no room gates in page_logo, or upload one at the desk.",
    );
  return shown.length > 0 ? ok(shown.join(", ")) : ok("no page that is shown now has one of the site's");
}

const probed = ({ probes }) => probes.filter(({ front }) => front);

/** Returns the parts of the probe that failed. */
const failures = ({ name, lobby }) =>
  [lobby.error && `${name}: lobby: ${lobby.error}`, lobby.room?.error && `${name}: room: ${lobby.room.error}`].filter(Boolean);

async function clocks(patient) {
  const clocksOf = ({ front, lobby }) => [front.at_ms, lobby.at_ms, lobby.room?.at_ms].filter(Number.isFinite);
  const skews = probed(patient).flatMap((probe) => clocksOf(probe).map((ms) => Math.abs(ms - probe.askedAtMs)));
  const { headers } = await ask(at(patient, "/__baton/health"));
  const told = Date.parse(headers.date ?? "");
  if (Number.isFinite(told)) skews.push(Math.max(0, Math.abs(told - Date.now()) - 1_000));
  if (skews.length === 0) return unknown("nothing told its time", "Give --token.");
  const worst = Math.round(Math.max(...skews));
  if (worst > SKEW_BAD_MS) return bad(`${worst} ms from this machine's`, "Set this machine's clock, and the origin's: a proof counts for a minute.");
  if (worst > SKEW_WARN_MS) return warn(`${worst} ms from this machine's`, "Set this machine's clock, and look at the origin's.");
  return ok(`within ${worst} ms of this machine's`);
}

async function roundTrip(patient) {
  const probes = probed(patient);
  if (probes.length === 0) return unknown("only an operator may ask", "Give --token.");
  const failed = probes.flatMap(failures);
  if (failed.length > 0) return bad(failed.join("; "), "See the log of the worker; an object that is overloaded or throws says so there.");
  const shown = probes.map(({ name, lobby }) => `${name}: lobby ${lobby.round_ms} ms, room ${lobby.room.round_ms} ms beyond`).join("; ");
  const worst = Math.max(...probes.map(({ lobby }) => lobby.room.round_ms));
  if (worst > ROUND_WARN_MS) return warn(shown, "Lobbies and room live far apart: choose location, and count generation up between two sales.");
  return ok(shown);
}

async function homes(patient) {
  const probes = probed(patient).filter((probe) => failures(probe).length === 0);
  if (probes.length === 0) return unknown("only an operator may ask", "Give --token.");
  const places = probes.map(({ name, lobby }) => [name, lobby.lives_in, lobby.room.lives_in]);
  const shown = places.map(([name, ...at]) => `${name}: lobby in ${at[0] ?? "?"}, room in ${at[1] ?? "?"}`).join("; ");
  if (places.some(([, ...at]) => at.includes(null))) return unknown(shown, "Where they live is known on Cloudflare only.");
  const auto = patient.rooms.filter(({ location }) => location === "auto").map(({ name }) => name);
  if (auto.length > 0)
    return warn(
      `${shown}; nobody chose that for ${auto.join(", ")}`,
      "Choose location before the first request; later, with another generation, between sales.",
    );
  return ok(shown);
}

async function versions(patient) {
  const probes = probed(patient).filter((probe) => failures(probe).length === 0);
  const named = probes.flatMap(({ front, lobby }) => [front.version, lobby.version, lobby.room.version]);
  if (named.length === 0) return unknown("only an operator may ask", "Give --token.");
  const all = [...new Set(named)];
  if (all.includes(null)) return unknown("this platform names none", 'On Cloudflare: add [version_metadata] with binding = "VERSION".');
  if (all.length > 1)
    return bad(
      `${all.length} versions run at once: ${all.join(", ")}`,
      'A deploy is under way, or objects take it up late: set durable_objects.code_update_strategy to "immediate", deploy once more, never gradually.',
    );
  return ok(`${all[0]} everywhere`);
}

/** Looks whether lobbies and room reach each other, by what the room has counted. */
async function calls(patient) {
  if (!patient.told) return unknown("only an operator may ask", "Give --token.");
  const unreached = patient.told
    .filter((room) => room.unreached > 0)
    .map((room) => `${room.name}: ${room.unreached} lobbies do not take what they are told`);
  if (unreached.length > 0)
    return warn(unreached.join("; "), "It is told again until they do. If it stays so: more crowd, or see the log for lobbies that fail.");
  const deepest = Math.max(0, ...patient.told.map(({ depth }) => depth));
  if (deepest > DEPTH_WARN)
    return warn(
      `calls are ${deepest} deep, and the platform ends them at 16`,
      "npm run deploy brings objects up anew; see the log for lobbies or rooms that failed again and again.",
    );
  return ok(`every lobby is reached, calls are ${deepest} deep at most`);
}

async function releases(patient) {
  if (!patient.told) return unknown("only an operator may ask", "Give --token.");
  const found = [];
  let ended = 0;
  for (const { name, totals } of patient.told) {
    const { released = 0, expired = 0 } = totals ?? {};
    ended += released + expired;
    if (released + expired >= RELEASES_LOOKED_AT_MIN && released === 0) found.push(`${name}: ${expired} leases ran out, none was given back`);
  }
  if (found.length > 0)
    return warn(found.join("; "), "Let the shop answer Baton-Release: 1 when somebody is done: permits are idle until a lease ends by itself.");
  if (ended < RELEASES_LOOKED_AT_MIN) return unknown(`${ended} visits have ended so far`, "Ask again when some people have bought.");
  return ok(`${ended} visits have ended, permits come back`);
}

/** The most names that are shown, and the most characters of each: clients chose them. */
const HEADERS_SHOWN_MAX = 16;
const HEADER_CHARS_MAX = 40;

/** Names the headers that clients sent and the shop did not get, as the isolates remember that were asked. */
async function headers({ probes }) {
  const told = probes.filter(({ headers_stay: names }) => Array.isArray(names));
  if (told.length === 0) return unknown("only an operator of all rooms may ask", "Give --token.");
  const names = [...new Set(told.flatMap(({ headers_stay: some }) => some))].sort();
  if (names.length === 0) return ok("no client's header has stayed so far");
  const shown = names
    .slice(0, HEADERS_SHOWN_MAX)
    .map((name) => name.slice(0, HEADER_CHARS_MAX))
    .join(", ");
  return ok(
    `clients sent what does not go on to the shop: ${shown}${names.length > HEADERS_SHOWN_MAX ? ` and ${names.length - HEADERS_SHOWN_MAX} more` : ""}. If it reads one: PASS_HEADERS, FRONT_HEADERS`,
  );
}

/** Asks Cloudflare's API, with a token that may read the zone (CLOUDFLARE_API_TOKEN). */
async function routes(patient) {
  if (!patient.cloudflare)
    return unknown(
      "plan and fail mode do not show from outside",
      "Set CLOUDFLARE_API_TOKEN (Zone and Workers Routes: read), or look: the paid plan, and Fail closed at the route.",
    );
  const { api, token } = patient.cloudflare;
  const get = async (path) =>
    JSON.parse((await ask(new URL(path, api), { headers: { authorization: `Bearer ${token}`, accept: "application/json" } })).body);
  const names = patient.url.hostname.split(".").map((_, nth, parts) => parts.slice(nth).join("."));
  for (const name of names) {
    const zone = (await get(`/client/v4/zones?name=${name}`)).result?.[0];
    if (!zone) continue;
    const { result: all = [] } = await get(`/client/v4/zones/${zone.id}/workers/routes`);
    const ours = all.filter(({ pattern, script }) => script && pattern.replace(/^\w+:\/\//, "").startsWith(`${patient.url.hostname}/`));
    if (!ours.some(({ pattern }) => leadsAll(pattern, patient.url.hostname)))
      return bad(
        `no route for ${patient.url.hostname}/*: ${all.map(({ pattern }) => pattern).join(", ") || "none at all"}`,
        "Add a route for all paths of the host.",
      );
    if (ours.some(({ request_limit_fail_open: open }) => open))
      return bad(
        "the route fails open: over the day's requests everybody goes past the line",
        "Set the route to Fail closed, and take the paid plan: the free one ends after 100,000 requests a day.",
      );
    const holes = all.filter(({ pattern, script }) => !script && pattern.includes(patient.url.hostname)).map(({ pattern }) => pattern);
    if (holes.length > 0)
      return warn(
        `left off the route: ${holes.join(", ")}`,
        "See that the origin itself refuses gated paths there: docs/deploying.md, Static files.",
      );
    return ok(`${ours.map(({ pattern }) => pattern).join(", ")}, fails closed`);
  }
  return bad(`no zone for ${patient.url.hostname} is seen with this token`, "Give a token that may read the zone.");
}

/** Looks for dates in wrangler.toml that have passed. */
async function dates({ config }) {
  const found = past(config?.vars?.ROOMS);
  if (found.length === 0) return ok("no date of wrangler.toml has passed, and none closes before it opens");
  return warn(
    found.map(({ key, value, what }) => `${key} = ${value} ${what}`).join("; "),
    `${[...new Set(found.map(({ cure }) => cure))].join(". ")}.`,
  );
}

/** Looks for what wrangler.toml names and no request comes to. */
async function reaches({ config }) {
  const found = unreached(config ?? {});
  if (found.length === 0) return ok("every route of wrangler.toml is whole, and every exception is one to a gated path");
  return warn(found.map(({ what }) => what).join("; "), `${[...new Set(found.map(({ cure }) => cure))].join(". ")}.`);
}

/** @typedef {{ is: string, seen: string, cure?: string }} Finding */

/**
 * Each check: its name, and what it finds. In the order in which they build on each other.
 * @type {[string, (patient: ReturnType<typeof import("../doctor.mjs").patientOf>) => Promise<Finding>][]}
 */
export const CHECKS = [
  ["reached", reach],
  ["transport", transport],
  ["routes", routes],
  ["gate", gate],
  ["other names", names],
  ["origin", origin],
  ["redirects", redirects],
  ["forms", forms],
  ["origin host", originHost],
  ["cookies", cookies],
  ["sockets", sockets],
  ["caching", caching],
  ["logos", logos],
  ["clock", clocks],
  ["round trip", roundTrip],
  ["home", homes],
  ["dates", dates],
  ["wrangler.toml", reaches],
  ["versions", versions],
  ["calls", calls],
  ["headers", headers],
  ["releases", releases],
];
