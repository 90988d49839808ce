// A small shop whose pages a router takes over: a home page that everybody sees, and the gated pages below /buy/. It writes down what comes in.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css" };
/** The pages: heading, and the links of each. */
const PAGES = {
  "/": { heading: "Home", links: [["/buy/", "Buy"]] },
  "/buy/": {
    heading: "Seats",
    links: [
      ["/buy/two", "More"],
      ["/buy/done", "Finish"],
      ["/", "Away"],
    ],
  },
  "/buy/two": { heading: "More seats", links: [["/buy/done", "Finish"]] },
  "/buy/done": { heading: "Thanks", links: [["/", "Away"]], headers: { "Baton-Release": "1" } },
  "/buy/order": { heading: "Ordered", links: [["/buy/done", "Finish"]] },
};

/** What a shop adds whose router knows no word for loading a page whole. */
export const KEEP = `<script src="/__baton/static/keep.js" data-room="onsale"></script>`;

/** Writes a page. `client` may bring `head`, `lang`, the `body`'s attributes, and its own `link(to, text)` and `form(to)`. */
function pageOf(client, at) {
  const { heading, links } = PAGES[at];
  const { lang = "en" } = client;
  const link = client.link ?? ((to, text) => `<a href="${to}">${text}</a>`);
  const form = client.form ?? ((to) => `<form method="post" action="${to}">`);
  const order = at.startsWith("/buy/") ? `${form("/buy/order")}<input name="seat" value="4"><button>Order</button></form>` : "";
  return (
    `<!doctype html><html${lang && ` lang="${lang}"`}><head><meta charset="utf-8"><title>${heading}</title>${client.keep ? KEEP : ""}${client.head ?? ""}</head>` +
    `<body ${client.body ?? ""}><main id="swup" class="transition-fade" up-main><h1>${heading}</h1>` +
    `<p>${links.map(([to, text]) => link(to, text)).join(" · ")}</p>${client.more?.(at) ?? ""}${order}</main></body></html>`
  );
}

/** The pages as data, for clients that draw them themselves. */
export const pageAt = (at) => (at in PAGES ? { at, ...PAGES[at] } : undefined);

/** Starts it. `files` maps paths to files of packages. Resolves to `{ url, came, stop }`; `came` has `{ method, path, inside }` of each request. */
export async function startShop(client, files) {
  const came = [];
  const server = http.createServer((request, response) => {
    const [at] = request.url.split("?");
    came.push({ method: request.method, path: request.url, inside: request.headers["baton-fence"] !== undefined });
    request.resume();
    if (at in files) {
      response.writeHead(200, { "Content-Type": TYPES[path.extname(at)] ?? "application/octet-stream", "Service-Worker-Allowed": "/" });
      return response.end(readFileSync(files[at]));
    }
    const own = client.answer?.(request, at);
    if (own) return response.writeHead(own.status ?? 200, own.headers).end(own.body);
    const known = PAGES[at];
    response.writeHead(known ? 200 : 404, { "Content-Type": "text/html; charset=utf-8", ...known?.headers, ...client.headers?.(at) });
    response.end(known ? pageOf(client, at) : "<h1>Nothing here</h1>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    came,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
