// Stands before the worker under `workerd serve` and does what Cloudflare's assets do there: `/__baton/static/*` is answered from the assets,
// everything else is the worker's. Only used without Cloudflare.

/** Matches an asset's address. A regular expression and not `URL`, which throws at an invalid `Host`: that is the worker's to refuse. */
const ASSET = /^https?:\/\/[^/]*\/__baton\/static\//;

export default {
  fetch(request, { MAIN, ASSETS }) {
    return (ASSET.test(request.url) ? ASSETS : MAIN).fetch(request);
  },
};
