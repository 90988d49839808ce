// The ASSETS binding under `workerd serve`: files from the disk service with the headers that Cloudflare's assets would give them, those of the
// `_headers` file included. Only used without Cloudflare.

const TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  txt: "text/plain; charset=utf-8",
  webmanifest: "application/manifest+json",
};

/** Reads `_headers`: a path pattern at the start of a line, its `Name: value` lines indented below it. */
function parseRules(text) {
  const rules = [];
  for (const line of text.split("\n")) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const header = line.match(/^\s+([^:]+):\s*(.*?)\s*$/);
    if (header) rules.at(-1)?.headers.push([header[1], header[2]]);
    else rules.push({ pattern: asPattern(line.trim()), headers: [] });
  }
  return rules;
}

function asPattern(glob) {
  const escaped = glob.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped}$`);
}

let rules;
async function headerRules(files) {
  if (rules) return rules;
  const answer = await files.fetch("http://assets/_headers");
  rules = answer.ok ? parseRules(await answer.text()) : [];
  return rules;
}

export default {
  async fetch(request, { FILES }) {
    const { pathname } = new URL(request.url);
    if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
    const extension = pathname.match(/\.([a-z0-9]+)$/)?.[1];
    const file = extension && (await FILES.fetch(`http://assets${pathname}`, { method: request.method }));
    if (!file?.ok) return new Response("Not found", { status: 404 });
    const headers = new Headers({ "Content-Type": TYPES[extension] ?? "application/octet-stream" });
    for (const { pattern, headers: added } of await headerRules(FILES)) {
      if (pattern.test(pathname)) for (const [name, value] of added) headers.set(name, value);
    }
    return new Response(file.body, { headers });
  },
};
