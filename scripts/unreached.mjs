// Finds what wrangler.toml names in vain: paths of a host that no route leads to the worker, and exceptions to paths that no room gates. Pure.

/** A path that only a route of all paths leads to the worker. */
const ANYWHERE = "/any-zq7/x";
const OWN = "/__baton/health";

/** Whether a route's pattern leads this address (`tickets.example.com/buy`) to the worker. Cloudflare's patterns have stars for anything. */
function leads(pattern, address) {
  const bare = pattern.replace(/^\*?\w*:\/\//, "");
  const parts = bare.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "i").test(address);
}

/** Returns the routes of a configuration: `[{ pattern, host, isWhole }]`. A custom domain is a route of all paths. */
const routesOf = ({ route = [], routes = [] }) =>
  [route, routes].flat().map((each) => {
    const { pattern = "", custom_domain: isWhole = false } = typeof each === "string" ? { pattern: each } : each;
    const host = pattern.replace(/^\*?\w*:\/\//, "").replace(/\/.*$/, "");
    return { pattern, host, isWhole };
  });

/** Whether a route's pattern leads all paths of a host to the worker. */
export const leadsAll = (pattern, host) => leads(pattern, host + ANYWHERE);

/** Returns the hosts of which no route leads all paths to the worker: `[{ what, cure }]`. */
function unrouted(config) {
  const all = routesOf(config);
  return [...new Set(all.map(({ host }) => host))].flatMap((host) => {
    const reaches = (path) =>
      all.some(({ pattern, isWhole, host: of }) => (isWhole && of === host) || leads(pattern, host.replace(/^\*/, "x") + path));
    if (reaches(ANYWHERE)) return [];
    const why = reaches(OWN)
      ? ", so another spelling of a gated path goes past the line"
      : ", and none /__baton/*, so the waiting page cannot call Baton";
    return [{ what: `routes: no route leads all paths of ${host} to the worker${why}`, cure: `Route ${host}/*: docs/deploying.md, step 5` }];
  });
}

/** Returns whether the last part of a pattern, such as `buy*` or `*`, matches from this part on what the other pattern matches. */
function ends(parts, others, at) {
  const [part, other] = [parts[at], others[at]];
  if (at !== parts.length - 1 || !part.endsWith("*")) return false;
  const begin = part.replace(/\*+$/, "");
  return begin === "" || other === "*" || (other ?? "").startsWith(begin);
}

/** Returns whether there is a path that both patterns match; in doubt, true. */
function meet(one, other, at = 0) {
  if (ends(one, other, at) || ends(other, one, at)) return true;
  if (at >= one.length || at >= other.length) return one.length === other.length;
  return (one[at] === "*" || other[at] === "*" || one[at] === other[at]) && meet(one, other, at + 1);
}

/** Returns a pattern in parts: `{ method, parts }`, as far as spelling makes no difference. */
function read(pattern) {
  const [, method, path] = /^(?:([A-Z]+) )?([^?]*)/.exec(pattern);
  let plain = path;
  try {
    plain = decodeURIComponent(path);
  } catch {
    // The schema tells of it.
  }
  return { method, parts: plain.toLowerCase().split("/").filter(Boolean) };
}

/** A form can name another method, so a POST counts as every one. */
const isGatedBy = (method, by) =>
  by === undefined || method === undefined || by === method || method === "POST" || (by === "POST" && method !== "GET");

/**
 * Returns the exceptions that lie outside the paths of every room and of the house's grounds: `[{ what, cure }]`.
 * @param {{ ROOMS?: Record<string, { paths?: string[], bypass_paths?: string[] }>, GROUNDS?: { paths?: string[] } }} [vars]
 */
function idle({ ROOMS = {}, GROUNDS = {} } = {}) {
  const gated = [...Object.values(ROOMS).flatMap(({ paths }) => paths ?? []), ...(GROUNDS.paths ?? [])].map(read);
  return Object.entries(ROOMS).flatMap(([room, { bypass_paths: exceptions = [] }]) =>
    exceptions
      .filter((each) => {
        const { method, parts } = read(each);
        return !gated.some((by) => isGatedBy(method, by.method) && meet(parts, by.parts));
      })
      .map((each) => ({
        what: `ROOMS.${room}.bypass_paths, ${each}: no room gates it, so it is an exception to nothing`,
        cure: "Correct it, or leave it out",
      })),
  );
}

/** Returns what no request comes to: `[{ what, cure }]`. `config`: wrangler.toml as an object. */
export const unreached = (config) => [...unrouted(config), ...idle(config.vars)];

/** Returns the same as lines for a terminal. */
export const unreachedText = (config) =>
  unreached(config)
    .map(({ what, cure }) => `warning: ${what}. ${cure}.\n`)
    .join("");
