// One person's cookies, kept as a browser keeps them (RFC 6265) as far as a test of one shop needs it: name, domain, path, Secure and the end.

const COOKIES_MAX = 200;

const matchesDomain = (host, { domain, isHostOnly }) => host === domain || (!isHostOnly && host.endsWith(`.${domain}`));
const matchesPath = (path, { path: at }) => path === at || (path.startsWith(at) && (at.endsWith("/") || path[at.length] === "/"));

/** Returns the folder of a path, for which a cookie without a path counts. */
const folderOf = (path) => path.slice(0, Math.max(1, path.lastIndexOf("/")));

/** Reads one `Set-Cookie` as `{ name, value, domain, isHostOnly, path, isSecure, endsAtMs }`. Returns `null` if it is not for this host. */
function cookieOf(line, { hostname, pathname }, nowMs) {
  const [pair, ...rest] = line.split(";");
  const cut = pair.indexOf("=");
  if (cut < 1) return null;
  const attributes = Object.fromEntries(
    rest.map((part) => {
      const [key, ...value] = part.split("=");
      return [key.trim().toLowerCase(), value.join("=").trim()];
    }),
  );
  const domain = (attributes.domain ?? "").replace(/^\./, "").toLowerCase();
  if (domain && domain !== hostname && !hostname.endsWith(`.${domain}`)) return null;
  const seconds = /^-?\d+$/.test(attributes["max-age"] ?? "") ? Number(attributes["max-age"]) : null;
  const date = Date.parse(attributes.expires ?? "");
  const endsAtMs = seconds !== null ? nowMs + seconds * 1_000 : Number.isFinite(date) ? date : Infinity;
  const path = attributes.path?.startsWith("/") ? attributes.path : folderOf(pathname);
  return {
    name: pair.slice(0, cut).trim(),
    value: pair.slice(cut + 1).trim(),
    domain: domain || hostname,
    isHostOnly: !domain,
    path,
    isSecure: "secure" in attributes,
    endsAtMs,
  };
}

export class Cookies {
  #kept = new Map();

  /** Keeps the cookies that an answer of `url` sets. */
  keep(url, lines = [], nowMs = Date.now()) {
    for (const cookie of lines.map((line) => cookieOf(line, url, nowMs)).filter(Boolean)) {
      const key = `${cookie.domain}\n${cookie.path}\n${cookie.name}`;
      this.#kept.delete(key);
      if (cookie.endsAtMs > nowMs && this.#kept.size < COOKIES_MAX) this.#kept.set(key, cookie);
    }
  }

  /** Returns the `Cookie` header for a request, the longest path first, or undefined. Localhost counts as secure, as in browsers. */
  header({ hostname, pathname, protocol }, nowMs = Date.now()) {
    const isSecure = protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1";
    const sent = [...this.#kept.values()].filter(
      (cookie) => cookie.endsAtMs > nowMs && matchesDomain(hostname, cookie) && matchesPath(pathname, cookie) && (isSecure || !cookie.isSecure),
    );
    sent.sort((a, b) => b.path.length - a.path.length);
    return sent.length > 0 ? sent.map(({ name, value }) => `${name}=${value}`).join("; ") : undefined;
  }
}
