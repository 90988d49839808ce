// Stands before the worker under `workerd serve` and does what Cloudflare's assets do there: `/__baton/static/*` is answered from the assets,
// everything else is the worker's. It also reads what a proxy in front says in other words than Cloudflare. Only used without Cloudflare.

/** Matches an asset's address. A regular expression and not `URL`, which throws at an invalid `Host`: that is the worker's to refuse. */
const ASSET = /^https?:\/\/[^/]*\/__baton\/static\//;

/**
 * What a proxy may call the scheme: a socket's too (Traefik does), and each proxy's, the outermost first. The runtime makes the address of a request by
 * writing `X-Forwarded-Proto` in front of the host, whatever it says, and no address but http's goes on.
 */
const SCHEME = /^(?:http|ws)(s?) *(?:, *(?:http|ws)s? *)*$/i;

/**
 * What `Host` may be, as Cloudflare's edge sees to it. The runtime makes the address of a request by writing the path behind it, so `Host: a/b` would move
 * the path, and a blank would be an error of the runtime's.
 */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?$/i;
const bad = (message) => Response.json({ error: { code: "bad_request", message } }, { status: 400, headers: { "Cache-Control": "no-store" } });

const ADDRESS = "CF-Connecting-IP";

/** Returns the request with the visitor's address where Cloudflare writes it. Whatever stands there is the client's. */
function withAddress(request, header) {
  const changed = new Request(request);
  // A proxy adds what it saw behind what it was told.
  const told = request.headers.get(header)?.split(",").at(-1).trim();
  if (told) changed.headers.set(ADDRESS, told);
  else changed.headers.delete(ADDRESS);
  return changed;
}

/** Returns the address of a request with `http` or `https` in front, or nothing if what a proxy or a client says there is neither, or moves the host. */
function addressOf({ url, headers }) {
  const [scheme, ...rest] = url.split("://");
  const behind = rest.join("://");
  const secure = SCHEME.exec(scheme);
  const host = headers.get("Host") ?? "";
  return secure && behind.startsWith(host) && /^(?:[/?]|$)/.test(behind.slice(host.length))
    ? `http${secure[1].toLowerCase()}://${behind}`
    : undefined;
}

export default {
  fetch(request, { MAIN, ASSETS, ADDRESS_HEADER }) {
    if (!HOST.test(request.headers.get("Host") ?? "-")) return bad("The request's Host is no host.");
    const address = addressOf(request);
    if (!address) return bad("X-Forwarded-Proto says neither http nor https.");
    if (address !== request.url) request = new Request(address, request);
    if (ADDRESS_HEADER) request = withAddress(request, ADDRESS_HEADER);
    // A segment of dots leads elsewhere, however it is spelt: the worker refuses it.
    const isAsset = ASSET.test(request.url) && !/\/(?:\.|%2e)/i.test(request.url.split("?", 1)[0]);
    return (isAsset ? ASSETS : MAIN).fetch(request);
  },
};
