// What a staging site is made of: wrangler.toml under another name, at other hosts, in front of another shop, with test identities. Pure, so that it
// can be checked without sending anything.

import { randomBytes } from "node:crypto";
import { UserError } from "../common.mjs";
import { sitesOf } from "../deployment.mjs";

/** What staging.toml may say. */
const KEYS = ["name", "routes", "services", "hosts", "vars"];
/** Production's variables that never come along: who operates, who is told, and where requests go. */
const PRODUCTIONS = ["OPERATORS", "WEBHOOKS", "ORIGIN", "TURNSTILE_SITE_KEY"];
/** Cloudflare's own key and secret for tests: every answer to Turnstile is good. */
const TURNSTILE = { key: "1x00000000000000000000AA", secret: "1x0000000000000000000000000000000AA" };
/** The banner around Baton. */
const MAIN = "src/staging/staging.js";

/**
 * Returns the configuration of the staging site, as wrangler.toml would say it. `staging` is staging.toml: `routes`; `vars`, which are
 * laid over production's; `hosts`, which host stands in for which; and optionally `name` and `services`. Throws an error that says
 * everything that would be production's.
 */
export function stagingOf(wrangler, staging) {
  const { env: _, routes: __, route: ___, services: ____, ratelimits: _____, ...config } = wrangler;
  const name = staging.name ?? `${wrangler.name}-staging`;
  const problems = [...wrong(wrangler, staging, name)];
  const kept = Object.fromEntries(Object.entries(wrangler.vars ?? {}).filter(([key]) => !PRODUCTIONS.includes(key)));
  const vars = { ...moved(kept, staging.hosts ?? {}, problems), TURNSTILE_SITE_KEY: TURNSTILE.key, ...staging.vars };
  if (problems.length > 0) throw new UserError(`This would not be a site of its own:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  return { ...config, name, main: MAIN, routes: staging.routes, ...(staging.services && { services: staging.services }), vars };
}

function* wrong(wrangler, staging, name) {
  for (const key of Object.keys(staging)) if (!KEYS.includes(key)) yield `staging.toml: ${key} is not known. There are ${KEYS.join(", ")}.`;
  if (name === wrangler.name) yield `staging.toml: name is "${name}", production's own: its objects and secrets would be used. Give another.`;
  if (!staging.routes?.length)
    yield `staging.toml: routes is missing. Write routes = [{ pattern = "staging.example.com/*", zone_name = "example.com" }].`;
  const own = sitesOf(wrangler);
  for (const site of sitesOf(staging))
    if (own.includes(site)) yield `staging.toml: ${site} is a route of production's. Give staging hosts of its own.`;
  const { ORIGIN } = staging.vars ?? {};
  if (ORIGIN === undefined && !staging.services?.some(({ binding }) => binding === "ORIGIN"))
    yield `staging.toml: [vars] ORIGIN is missing. Name the staging shop: orders of a rehearsal must not reach the real one.`;
  const shops = (origin) =>
    (typeof origin === "object" ? Object.values(origin) : [origin]).filter(Boolean).map((url) => (URL.canParse(url) ? new URL(url).host : url));
  const real = shops(wrangler.vars?.ORIGIN);
  for (const shop of shops(ORIGIN)) if (real.includes(shop)) yield `staging.toml: ORIGIN ${shop} is production's shop. Name the staging shop.`;
}

/** Returns production's variables with every host replaced by the one that stands in for it. */
function moved(vars, hosts, problems) {
  const move = (at) => (host) => {
    if (hosts[host] === undefined)
      problems.push(`${at} names ${host}, and staging.toml does not say which host stands in for it. Write [hosts] "${host}" = "staging-…".`);
    return hosts[host] ?? host;
  };
  const room = (name, table) => {
    const at = `ROOMS.${name}`;
    const own = { ...table };
    if (table.hosts) own.hosts = table.hosts.map(move(`${at}.hosts`));
    if (table.cookie_domain) own.cookie_domain = move(`${at}.cookie_domain`)(table.cookie_domain);
    return [name, own];
  };
  const { ROOMS = {}, GROUNDS, ...rest } = vars;
  const grounds = GROUNDS && { GROUNDS: { ...GROUNDS, ...(GROUNDS.hosts && { hosts: GROUNDS.hosts.map(move("GROUNDS.hosts")) }) } };
  return { ...rest, ROOMS: Object.fromEntries(Object.entries(ROOMS).map(([name, table]) => room(name, table))), ...grounds };
}

/**
 * Returns the staging site's own secrets: those in `known`, and fresh ones for those that are missing. Throws an error that names those that are also
 * in `others`, production's as far as this machine knows them.
 */
export function secretsOf(known, others) {
  const random = () => randomBytes(36).toString("base64url");
  const made = {
    BATON_SECRET: random(),
    ORIGIN_SECRET: random(),
    BATON_ADMIN_TOKEN: random(),
    TURNSTILE_SECRET: TURNSTILE.secret,
    ENTRY_KEYS: JSON.stringify([{ kid: "staging", alg: "HS256", key: random() }]),
    WEBHOOK_SECRET: `whsec_${randomBytes(32).toString("base64")}`,
  };
  const secrets = { ...made, ...known };
  const productions = new Set(Object.values(others));
  const shared = Object.entries(secrets).filter(([name, value]) => name !== "TURNSTILE_SECRET" && productions.has(value));
  if (shared.length > 0)
    throw new UserError(
      `${shared.map(([name]) => name).join(", ")}: staging would have a secret of production's. Remove it from .baton/staging/secrets.json; another is made.`,
    );
  return secrets;
}
