// Baton's check for Next.js, in `proxy.js` beside `app/` (before Next 16: `middleware.js`, with `runtime: "nodejs"`):
//
//   import { throughBaton } from "baton-kit/next";
//   export const proxy = throughBaton({ secret: process.env.ORIGIN_SECRET, hosts: ["tickets.example.com"] });
//
// Without a `matcher`, so that no path is left out, and with `skipProxyUrlNormalize: true` in next.config.js, so that the
// path is the one that arrived. No page sees headers that a client calls `Baton-…`: they go on only after a right proof,
// and `visitIn(await headers())` reads them.

import { NextResponse } from "next/server.js";
import { Checker, refusalOf, visitOf } from "./checker.js";

/** Next's proxy, or middleware. Takes the settings of a `Checker`, or one. */
export function throughBaton(settings) {
  let checker = settings instanceof Checker ? settings : undefined;
  return async (request) => {
    // With the first request and not before: a build loads this too, and has no secret.
    checker ??= new Checker(settings);
    const { pathname, search } = new URL(request.url);
    const verdict = await checker.check({ method: request.method, url: pathname + search, headers: Object.fromEntries(request.headers) });
    const response = verdict.refused ? refused(verdict) : NextResponse.next({ request: { headers: believed(request.headers, verdict.visit) } });
    response.headers.set("Baton-Checked", verdict.checked);
    return response;
  };
}

/** What Baton says of the visitor, or null, from the request's headers as a page or a route sees them behind `throughBaton`. */
export function visitIn(headers) {
  if (!headers.get("baton-proof")) return null;
  const found = Object.fromEntries(headers);
  return visitOf({
    host: found["x-forwarded-host"],
    room: found["baton-room"] ?? "",
    fence: found["baton-fence"] ?? "0",
    headers: found,
    isEnforced: found["baton-enforced"] !== "0",
  });
}

const refused = (verdict) =>
  new NextResponse(refusalOf(verdict), { status: 403, headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" } });

/** The headers that go on: without a right proof none of Baton's, with one the visitors' host. */
function believed(headers, visit) {
  const kept = new Headers(headers);
  if (visit) {
    kept.set("host", visit.host);
    kept.set("x-forwarded-host", visit.host);
    kept.set("baton-enforced", visit.isEnforced ? "1" : "0");
    return kept;
  }
  for (const name of [...kept.keys()]) if (name.startsWith("baton-")) kept.delete(name);
  return kept;
}
