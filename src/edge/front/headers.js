// Requests and their headers in one step, and the way out for requests. Each call between wasm and JavaScript costs about as much as ten lines here, and
// a request has a dozen headers: so they cross all at once, as lines. No header holds a line break. `forEach` because an
// iterator makes an object and an array of each header: it takes half as long again, or twice.

import { watch } from "../watchdog.js";

/** The answer, unless it takes longer to begin. One that comes later is not read; `end` is called then. */
function inTime(answer, timeoutMs, end) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${timeoutMs} ms`));
      end();
      answer.then(({ body }) => body?.cancel()).catch(() => {});
    }, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** `set-cookie`, and those of `ADDRESS_HEADERS` in gate/relocate.rs. */
const TELLING = new Set(["set-cookie", "location", "refresh", "content-location"]);

export const headers = {
  /**
   * Sends a request to a binding, or outside. Given up when the handler is whose request it is, or when no answer has begun
   * in time; without `timeoutMs` it is waited for. `endsThen`: the request ends then too, so that an origin is not held by somebody who never stops sending. It costs a
   * copy of the request, so what sends nothing goes without.
   */
  send(fetcher, request, timeoutMs, endsThen) {
    const ending = endsThen ? new AbortController() : undefined;
    const more = ending === undefined ? [] : [{ signal: ending.signal }];
    const answer = fetcher === undefined ? fetch(request, ...more) : fetcher.fetch(request, ...more);
    return watch.wanted(timeoutMs === undefined ? answer : inTime(answer, timeoutMs, () => ending?.abort()));
  },

  /** A request's whole body, likewise. */
  text(request) {
    return watch.wanted(request.text());
  },

  /** The same as bytes. */
  async bytes(request) {
    return new Uint8Array(await watch.wanted(request.arrayBuffer()));
  },

  /** Method, address, then name and value of every header, each a line. */
  read(request) {
    let text = `${request.method}\n${request.url}`;
    request.headers.forEach((value, name) => (text += `\n${name}\n${value}`));
    return text;
  },

  /**
   * Those names of an answer's headers that could be Baton's in some spelling, hold an address or are `set-cookie`; lower case,
   * each a line.
   */
  names(response) {
    let text = "";
    response.headers.forEach((_, name) => {
      if (name.startsWith("b") || TELLING.has(name)) text += `${name}\n`;
    });
    return text;
  },

  /**
   * The same request for an address outside: method, headers, body (as the stream it is), redirects not followed. Not what
   * the platform knows of the visitor (`cf`), which nobody outside sees and which costs as much as all headers to copy.
   * `foundBy`: the machine is that of another host name, which on Cloudflare must be in the zone.
   */
  outward(request, url, foundBy) {
    const { method, headers, body } = request;
    const cf = foundBy === undefined ? {} : { cf: { resolveOverride: foundBy } };
    // A GET with a body is made of another request only.
    if (body !== null && (method === "GET" || method === "HEAD")) return new Request(new Request(url, request), cf);
    return new Request(url, { method, headers, body, redirect: "manual", ...cf });
  },

  /** Changes a request's headers: name and value in turn, each a line. An empty value takes the header away. */
  change(request, lines) {
    const { headers } = request;
    const parts = lines.split("\n");
    for (let at = 0; at + 1 < parts.length; at += 2) {
      if (parts[at + 1] === "") headers.delete(parts[at]);
      else headers.set(parts[at], parts[at + 1]);
    }
  },
};
