// Baton's check in front of Express, or of any handler of `http`:
//
//   app.use(throughBaton({ secret: process.env.ORIGIN_SECRET, hosts: ["tickets.example.com"] }));
//
// Put it first. Routes find what Baton says of the visitor, or null, in `request.baton`. After the proof was found right,
// `Host`, `request.host` and `request.protocol` are the visitor's, so absolute URLs lead back through Baton; `trust proxy` is
// not needed and should stay off, for it believes everybody.

import { Checker, refusalOf } from "./checker.js";

/** Express's middleware. Takes the settings of a `Checker`, or one. With `http`: `throughBaton(settings)(request, response, next)`. */
export function throughBaton(settings) {
  const checker = settings instanceof Checker ? settings : new Checker(settings);
  return async (request, response, next) => {
    const { method, headers } = request;
    const verdict = await checker.check({ method, url: request.originalUrl ?? request.url, headers });
    response.setHeader("Baton-Checked", verdict.checked);
    if (verdict.refused) {
      response.writeHead(403, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
      return response.end(refusalOf(verdict));
    }
    request.baton = verdict.visit;
    if (verdict.visit) believe(request, verdict.visit);
    return next();
  };
}

/** From here on the request is one to the visitors' host. */
function believe(request, { host, scheme }) {
  request.headers.host = request.headers["x-forwarded-host"] = host;
  // Express reads it from the socket; `request.secure` and sessions follow from it.
  Object.defineProperty(request, "protocol", { value: scheme, configurable: true });
}
