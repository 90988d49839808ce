// Stands before the worker under `workerd serve` and does what Cloudflare's assets do before a worker:
// `/__baton/static/*` is answered from the assets, everything else is the worker's. Without Cloudflare only.

export default {
  fetch(request, { MAIN, ASSETS }) {
    const isAsset = new URL(request.url).pathname.startsWith("/__baton/static/");
    return (isAsset ? ASSETS : MAIN).fetch(request);
  },
};
