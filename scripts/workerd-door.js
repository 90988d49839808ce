// Stands before the worker under `workerd serve` and does what Cloudflare's assets do there: `/__baton/static/*` is answered from the assets,
// everything else is the worker's. It also reads what a proxy in front says in other words than Cloudflare. Only used without Cloudflare.

/** Matches an asset's address. A regular expression and not `URL`, which throws at an invalid `Host`: that is the worker's to refuse. */
const ASSET = /^https?:\/\/[^/]*\/__baton\/static\//;

/** What a proxy calls the scheme of a WebSocket (Traefik does). No address of HTTP has it, and the runtime sends none of it on. */
const SOCKETS = /^ws(?=s?:)/;

/**
 * What `Host` may be, as Cloudflare's edge sees to it. The runtime makes the address of a request by writing the path behind it, so `Host: a/b` would move
 * the path, and a blank would be an error of the runtime's.
 */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?$/i;
const BAD_HOST = { error: { code: "bad_request", message: "The request's Host is no host." } };

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

export default {
  fetch(request, { MAIN, ASSETS, ADDRESS_HEADER }) {
    if (!HOST.test(request.headers.get("Host") ?? "-")) return Response.json(BAD_HOST, { status: 400, headers: { "Cache-Control": "no-store" } });
    if (ADDRESS_HEADER) request = withAddress(request, ADDRESS_HEADER);
    if (SOCKETS.test(request.url)) request = new Request(request.url.replace(SOCKETS, "http"), request);
    return (ASSET.test(request.url) ? ASSETS : MAIN).fetch(request);
  },
};
