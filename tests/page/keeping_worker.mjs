// A service worker that keeps every page it sees, the waiting page too, and shows what it has kept whatever the network would say.

export const CACHE_FIRST = `
  const kept = async ({ request }) => {
    const cache = await caches.open("pages");
    const copy = await cache.match(request, { ignoreVary: true });
    if (copy) return copy;
    const answer = await fetch(request);
    await cache.put(request, answer.clone());
    return answer;
  };
  addEventListener("install", () => skipWaiting());
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => event.request.mode === "navigate" && event.respondWith(kept(event)));
`;

/** The same without the site's caches: no page can take anything out of it. */
export const IN_MEMORY =
  CACHE_FIRST.replace('await caches.open("pages")', "inMemory") +
  `
  const pages = new Map();
  const inMemory = { match: async ({ url }) => pages.get(url)?.clone(), put: async ({ url }, answer) => pages.set(url, answer) };
`;

/** Runs in a page of the site; resolves when the worker at `/sw.js` stands before it. */
export const install = () =>
  new Promise((resolve) => {
    navigator.serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true });
    navigator.serviceWorker.register("/sw.js");
  });
