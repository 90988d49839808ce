// The clients that are a script on the shop's pages, in the newest versions of 27 November 2026.

import { pageAt } from "./shop.mjs";

const script = (src, more = "") => `<script src="${src}" ${more}></script>`;
const module = (text) => `<script type="module">${text}</script>`;
const speculation = (rules) => `<script type="speculationrules">${JSON.stringify(rules)}</script>`;
const BUY = [{ source: "document", where: { href_matches: "/*" } }];
const prefetch = (eagerness) => ({ head: speculation({ prefetch: BUY.map((rule) => ({ ...rule, eagerness })) }) });

/** A service worker that answers navigations by one of Workbox's strategies. */
const workbox = (strategy, more = "") => ({
  packages: { "workbox-routing": "7.4.1", "workbox-strategies": "7.4.1", "workbox-core": "7.4.1", "workbox-navigation-preload": "7.4.1", "workbox-precaching": "7.4.1" },
  bundles: { "/sw.js": `import { clientsClaim } from "workbox-core"; import { registerRoute } from "workbox-routing"; import * as strategies from "workbox-strategies"; import { enable } from "workbox-navigation-preload";
    self.skipWaiting(); clientsClaim(); ${more}
    registerRoute(({ request }) => request.mode === "navigate", new strategies.${strategy}());` },
  head: `<script>navigator.serviceWorker.register("/sw.js")</script>`,
  ready: () => navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ?? new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }))).then(() => {}),
});

/** Inertia draws every page itself, from what the server says as JSON. */
const INERTIA_APP = `import { createInertiaApp, Link, router } from "@inertiajs/react"; import { createRoot } from "react-dom/client"; import { createElement as e } from "react";
  const Page = ({ heading, links, at }) => e("main", { id: "swup" }, e("h1", null, heading), links.map(([to, text]) => e(Link, { key: to, href: to, prefetch: true }, text)),
    at.startsWith("/buy/") && e("form", { onSubmit: (event) => { event.preventDefault(); router.post("/buy/order", { seat: 4 }); } }, e("button", null, "Order")));
  createInertiaApp({ resolve: () => Page, setup: ({ el, App, props }) => createRoot(el).render(e(App, props)) });`;
function inertia(request, at) {
  const props = pageAt(at);
  if (!props) return undefined;
  const page = JSON.stringify({ component: "Page", props, url: request.url, version: "1" });
  const isCall = request.headers["x-inertia"] === "true";
  const headers = { Vary: "X-Inertia", ...props.headers, ...isCall && { "X-Inertia": "true" }, "Content-Type": isCall ? "application/json" : "text/html; charset=utf-8" };
  return { headers, body: isCall ? page : `<!doctype html><html lang="en"><head><title>Shop</title></head><body><script data-page="app" type="application/json">${page}</script><div id="app"></div><script type="module" src="/app.js"></script></body></html>` };
}

export const CLIENTS = {
  "plain links": {},
  "rel=prefetch": { head: `<link rel="prefetch" href="/buy/">` },
  "rules-prefetch-conservative": prefetch("conservative"),
  "rules-prefetch-moderate": prefetch("moderate"),
  "rules-prefetch-immediate": prefetch("immediate"),
  "turbo-8": {
    packages: { "@hotwired/turbo": "8.0.23" }, files: { "/turbo.js": "@hotwired/turbo/dist/turbo.es2017-esm.js" },
    head: module(`import "/turbo.js";`),
  },
  "turbo-7": {
    packages: { "@hotwired/turbo": "7.3.0" }, files: { "/turbo.js": "@hotwired/turbo/dist/turbo.es2017-esm.js" },
    head: module(`import "/turbo.js";`),
  },
  "htmx-2": {
    packages: { "htmx.org": "2.0.11" }, files: { "/htmx.js": "htmx.org/dist/htmx.js" },
    head: script("/htmx.js"), body: `hx-boost="true"`,
  },
  "htmx-4": {
    packages: { "htmx.org": "4.0.1" }, files: { "/htmx.js": "htmx.org/dist/htmx.js" },
    head: script("/htmx.js"), body: `hx-boost:inherited="true"`,
  },
  "unpoly-3": {
    keep: true,
    packages: { unpoly: "3.14.3" }, files: { "/unpoly.js": "unpoly/unpoly.js", "/unpoly.css": "unpoly/unpoly.css" },
    head: `<link rel="stylesheet" href="/unpoly.css">${script("/unpoly.js", "defer")}`,
    link: (to, text) => `<a href="${to}" up-follow up-preload>${text}</a>`, form: (to) => `<form method="post" action="${to}" up-submit>`,
  },
  "swup-4": {
    packages: { swup: "4.10.0", "@swup/preload-plugin": "3.2.12" }, files: { "/swup.js": "swup/dist/Swup.umd.js", "/preload.js": "@swup/preload-plugin/dist/index.umd.js" },
    head: script("/swup.js") + script("/preload.js") + `<script>addEventListener("DOMContentLoaded", () => new Swup({ animationSelector: false, plugins: [new SwupPreloadPlugin({ preloadHoveredLinks: true })] }))</script>`,
  },
  "inertia-3": {
    packages: { "@inertiajs/react": "3.7.1", "@inertiajs/core": "3.7.1", react: "19.2.0", "react-dom": "19.2.0" },
    bundles: { "/app.js": INERTIA_APP }, answer: inertia,
  },
  "workbox-network-first": workbox("NetworkFirst"),
  "workbox-preload": workbox("NetworkFirst", "enable();"),
  "workbox-stale-while-revalidate": workbox("StaleWhileRevalidate"),
  "workbox-cache-first": workbox("CacheFirst"),
};
