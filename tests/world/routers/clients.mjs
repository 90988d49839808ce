// The clients that are a script on the shop's pages, in the newest versions of 27 November 2026.

import { pageAt } from "./shop.mjs";

const script = (src, more = "") => `<script src="${src}" ${more}></script>`;
const module = (text) => `<script type="module">${text}</script>`;

/** Chromium's speculation rules for every link, in each eagerness: what it only prefetches, and what it prerenders. */
const EAGERNESS = ["conservative", "moderate", "eager", "immediate"];
const rules = (what, eagerness) => ({
  headed: true,
  head: `<script type="speculationrules">${JSON.stringify({ [what]: [{ source: "document", where: { href_matches: "/*" }, eagerness }] })}</script>`,
});
const allRules = (what) => Object.fromEntries(EAGERNESS.map((eagerness) => [`rules-${what}-${eagerness}`, rules(what, eagerness)]));

/** A service worker by Workbox; `text` is its program after the usual beginning. */
const workbox = (text) => ({
  at: "workbox",
  packages: {
    "workbox-routing": "7.4.1",
    "workbox-strategies": "7.4.1",
    "workbox-core": "7.4.1",
    "workbox-navigation-preload": "7.4.1",
    "workbox-precaching": "7.4.1",
  },
  bundles: {
    "/sw.js": `import { clientsClaim } from "workbox-core"; import { NavigationRoute, registerRoute } from "workbox-routing"; import * as strategies from "workbox-strategies";
    import { enable } from "workbox-navigation-preload"; import { createHandlerBoundToURL, precacheAndRoute } from "workbox-precaching";
    self.skipWaiting(); clientsClaim(); ${text}`,
  },
  head: `<script>navigator.serviceWorker.register("/sw.js")</script>`,
  ready: () =>
    navigator.serviceWorker.ready
      .then(
        () =>
          navigator.serviceWorker.controller ??
          new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true })),
      )
      .then(() => {}),
});
/** It answers navigations by one of Workbox's strategies. */
const strategy = (name, more = "") => workbox(`${more} registerRoute(({ request }) => request.mode === "navigate", new strategies.${name}());`);
/** It answers navigations by the app's shell, which fetches what it draws. */
const SHELL = `<!doctype html><html lang="en"><head><title>App</title></head><body><main id="swup"></main><script>
  fetch(location.pathname + "data.json").then((answer) => answer.json()).then(({ heading, links }) => { document.querySelector("main").innerHTML = "<h1>" + heading + "</h1>" + links.map(([to, text]) => '<a href="' + to + '">' + text + "</a>").join(" "); });
</script></body></html>`;
const shell = (options = "") => ({
  ...workbox(
    `precacheAndRoute([{ url: "/shell.html", revision: "1" }]); registerRoute(new NavigationRoute(createHandlerBoundToURL("/shell.html"), { ${options} }));`,
  ),
  answer(request, at) {
    if (at === "/shell.html") return { headers: { "Content-Type": "text/html; charset=utf-8" }, body: SHELL };
    if (at.endsWith("/data.json"))
      return { headers: { "Content-Type": "application/json" }, body: JSON.stringify(pageAt(at.replace("data.json", "")) ?? {}) };
  },
});
/** An app's shell that also takes the gated pages: nobody comes in. It is no row of the table, since what it lacks is the line beside. */
export const SHELL_FOR_ALL = shell();

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
  const headers = {
    Vary: "X-Inertia",
    ...props.headers,
    ...(isCall && { "X-Inertia": "true" }),
    "Content-Type": isCall ? "application/json" : "text/html; charset=utf-8",
  };
  return {
    headers,
    body: isCall
      ? page
      : `<!doctype html><html lang="en"><head><title>Shop</title></head><body><script data-page="app" type="application/json">${page}</script><div id="app"></div><script type="module" src="/app.js"></script></body></html>`,
  };
}

export const CLIENTS = {
  "plain links": {},
  "rel=prefetch": { head: `<link rel="prefetch" href="/buy/">` },
  ...allRules("prefetch"),
  ...allRules("prerender"),
  "turbo-8": {
    packages: { "@hotwired/turbo": "8.0.23" },
    files: { "/turbo.js": "@hotwired/turbo/dist/turbo.es2017-esm.js" },
    head: module(`import "/turbo.js";`),
  },
  "turbo-7": {
    packages: { "@hotwired/turbo": "7.3.0" },
    files: { "/turbo.js": "@hotwired/turbo/dist/turbo.es2017-esm.js" },
    head: module(`import "/turbo.js";`),
    lang: "",
  },
  "htmx-2": {
    packages: { "htmx.org": "2.0.11" },
    files: { "/htmx.js": "htmx.org/dist/htmx.js" },
    head: script("/htmx.js"),
    body: `hx-boost="true"`,
  },
  "htmx-4": {
    packages: { "htmx.org": "4.0.1" },
    files: { "/htmx.js": "htmx.org/dist/htmx.js" },
    head: script("/htmx.js"),
    body: `hx-boost:inherited="true"`,
  },
  "unpoly-3": {
    keep: true,
    packages: { unpoly: "3.14.3" },
    files: { "/unpoly.js": "unpoly/unpoly.js", "/unpoly.css": "unpoly/unpoly.css" },
    head: `<link rel="stylesheet" href="/unpoly.css">${script("/unpoly.js", "defer")}`,
    link: (to, text) => `<a href="${to}" up-follow up-preload>${text}</a>`,
    form: (to) => `<form method="post" action="${to}" up-submit>`,
  },
  "swup-4": {
    packages: { swup: "4.10.0", "@swup/preload-plugin": "3.2.12" },
    files: { "/swup.js": "swup/dist/Swup.umd.js", "/preload.js": "@swup/preload-plugin/dist/index.umd.js" },
    head:
      script("/swup.js") +
      script("/preload.js") +
      `<script>addEventListener("DOMContentLoaded", () => new Swup({ animationSelector: false, plugins: [new SwupPreloadPlugin({ preloadHoveredLinks: true })] }))</script>`,
  },
  "inertia-3": {
    packages: { "@inertiajs/react": "3.7.1", "@inertiajs/core": "3.7.1", react: "19.2.0", "react-dom": "19.2.0" },
    bundles: { "/app.js": INERTIA_APP },
    answer: inertia,
  },
  "workbox-network-first": strategy("NetworkFirst"),
  "workbox-preload": strategy("NetworkFirst", "enable();"),
  "workbox-stale-while-revalidate": strategy("StaleWhileRevalidate"),
  "workbox-cache-first": strategy("CacheFirst"),
  "workbox-app-shell": shell("denylist: [/^\\/buy\\//]"),
};
