// Recordings of purchases, and the answer to each that we hold for right, from the routes of the shop. The rules were made with most of these at hand, so
// this guards them and measures nothing. `what` is for docs/paths.md.
// Each was recorded with Chromium 156 on 2026-11-27 through the product, and scrubbed by `npm run paths -- … --scrub`: pretix (a free ticket) and
// Indico and django-oscar (a guest) from PyPI; OpenCart (cash on delivery) from its repository; Vendure from npm, behind a page of thirty lines that a script
// draws; the others are the pages of tests/world/routers/ in the framework's own server.

export const ANSWERS = {
  pretix: {
    what: "pretix 2026.8.0", paths: ["/demo/fest", "/demo/fest/cart/*", "/demo/fest/checkout/*"], entrance: "GET /demo/fest", release: "POST /demo/fest/checkout/confirm", receipt: "/demo/fest/order/*/*",
    open: ["POST /demo/fest/order/*/*/download/*/pdf"], says: [/never gate what is posted after the release/],
  },
  indico: {
    what: "Indico 3.2.9", paths: ["/event/*/registrations/*"], bypass: ["GET /event/*/registrations/"], entrance: "GET /event/*/registrations/*", release: "POST /event/*/registrations/*", receipt: "/event/*/registrations/*",
    open: ["GET /event/*"], says: [/receipt has the address of the form, GET \/event\/\*\/registrations\/\*/],
  },
  "django-oscar": {
    what: "django-oscar 4.2.1", paths: ["/catalogue/summer-festival_1", "/basket/*", "/checkout/*"], entrance: "GET /catalogue/summer-festival_1", release: "POST /checkout/preview", receipt: "/checkout/thank-you",
    open: ["GET /catalogue"], says: [/farewell pass loads it/],
  },
  opencart: {
    what: "OpenCart 4.1.0.4, addresses as installed", paths: [], entrance: "GET /index.php", release: "GET /index.php", receipt: "/index.php",
    open: ["GET /"], says: [/one address for gated and open pages, which only the query tells apart/], route: "extension/opencart/payment/cod.confirm",
  },
  vendure: {
    what: "Vendure 3.7.3, Shop API", paths: ["/product/summer-festival", "/"], entrance: "GET /product/summer-festival", isDrawn: true, release: "POST /shop-api", receipt: null,
    open: [], says: [/no path gates what it sends/, /POST \/shop-api is one address for everything/, /mutation AddPayment/],
  },
  "demo-shop": {
    what: "the demo shop", paths: ["/buy", "/buy/book/*"], entrance: "GET /buy", release: "POST /buy/book", receipt: "/buy/thanks/*", open: ["GET /buy/thanks/*"], says: [],
  },
  "next-app": {
    what: "Next.js 16.4, server action", paths: ["/buy"], entrance: "GET /buy", release: "POST /buy", receipt: null, open: ["GET /"], says: [/Next-Action/],
  },
  sveltekit: {
    what: "SvelteKit 3.2", paths: ["/buy/*"], entrance: "GET /buy/__data.json", release: "POST /buy", receipt: "/buy/order/__data.json", open: ["GET /"], says: [/farewell pass loads it/],
  },
  "react-router": {
    what: "React Router 8.4", paths: ["/buy", "/buy.data"], entrance: "GET /buy.data", release: "POST /buy.data", receipt: "/buy/order.data", open: ["GET /"], says: [],
  },
  turbo: {
    what: "Turbo 8", paths: ["/buy/*"], entrance: "GET /buy", release: "POST /buy/order", receipt: "/buy/done", open: ["GET /"], says: [/farewell pass loads it/],
  },
  nuxt: {
    what: "Nuxt 4.5", paths: ["/buy", "POST /buy/api/seats"], entrance: "GET /buy", isDrawn: true, release: "POST /buy/api/seats", receipt: null, open: ["GET /", "GET /buy/order/api"], says: [/by a click meets the line at POST \/buy\/api\/seats/],
  },
  astro: {
    what: "Astro 7.3, its router", paths: ["/buy/*"], entrance: "GET /buy", release: "POST /buy/order", receipt: null, open: ["GET /"], says: [],
  },
  inertia: {
    what: "Inertia 3", paths: ["/buy/*"], entrance: "GET /buy", release: "POST /buy/order", receipt: "/buy/done", open: ["GET /"], says: [/farewell pass loads it/],
  },
};
