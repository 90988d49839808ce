// Requests and their headers in one step, and the way out for requests. Each call between wasm and JavaScript costs about as much as ten lines here, and
// a request has a dozen headers: so they cross all at once, as lines. No header holds a line break. `forEach` because an
// iterator makes an object and an array of each header: it takes half as long again, or twice.

import { watch } from "../watchdog.js";

/** `set-cookie`, and those of `ADDRESS_HEADERS` in gate/relocate.rs. */
const TELLING = new Set(["set-cookie", "location", "refresh", "content-location"]);

function outward(request, url, foundBy) {
  const { method, headers, body } = request;
  const cf = foundBy === undefined ? {} : { cf: { resolveOverride: foundBy } };
  // A GET with a body is made of another request only.
  if (body !== null && (method === "GET" || method === "HEAD")) return new Request(new Request(url, request), cf);
  return new Request(url, { method, headers, body, redirect: "manual", ...cf });
}

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
    return watch.wanted(answer, timeoutMs, () => {
      ending?.abort();
      answer.then(({ body }) => body?.cancel()).catch(() => {});
    });
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
   * An answer of our own. `lines`: name and value of each header in turn, each a line; of one name there may be several. `body`: bytes in
   * wasm's memory, which goes on.
   */
  answer(status, lines, body) {
    const headers = new Headers();
    const parts = lines.split("\n");
    for (let at = 0; at + 1 < parts.length; at += 2) headers.append(parts[at], parts[at + 1]);
    return new Response(body?.slice() ?? null, { status, headers });
  },

  /**
   * What is to be seen of an answer at a glance, each a line: the status, the time, whether a socket came with it, and those names of its
   * headers that could be Baton's in some spelling, hold an address or are `set-cookie`; lower case.
   */
  seen(response) {
    let text = `${response.status}\n${Date.now()}\n${response.webSocket ? "open" : ""}`;
    response.headers.forEach((_, name) => {
      if (name.startsWith("b") || TELLING.has(name)) text += `\n${name}`;
    });
    return text;
  },

  /**
   * Sends the same request to another address: method, headers, body (as the stream it is), redirects not followed. `lines` are its
   * changes: name and value of headers in turn, each a line, where an empty value takes the header away. To a binding, or the zone's own
   * origin (`isWithin`), goes what the platform knows of the visitor too (`cf`), which nobody outside sees and which costs as much as all
   * headers to copy. `foundBy`: the machine is that of another host name, which on Cloudflare must be in the zone.
   *
   * Yields the promise of `send`; or, where the platform makes another address of `url`, that address, and nothing was sent.
   */
  goOn(request, url, isWithin, foundBy, lines, fetcher, timeoutMs, endsThen) {
    const made = isWithin ? new Request(url, request) : outward(request, url, foundBy);
    if (made.url !== url) return made.url;
    const { headers } = made;
    const parts = lines.split("\n");
    for (let at = 0; at + 1 < parts.length; at += 2) {
      if (parts[at + 1] === "") headers.delete(parts[at]);
      else headers.set(parts[at], parts[at + 1]);
    }
    return this.send(fetcher, made, timeoutMs, endsThen);
  },
};

/** Of a text that `answer_front` yields: how many lines stand before the headers that change. */
const SENDING_LINES = 5;

/**
 * The straight way (straight.rs): sends what `text` says, and answers with what comes back. `back.isPlain(id, seen)` says whether the
 * visitor gets an answer as it is; else, and without one, `back.finish(id, answer, why)` answers.
 */
watch.goStraight = (request, env, text, back) => {
  const first = text.split("\n", SENDING_LINES);
  const lines = text.slice(first.reduce((sum, line) => sum + line.length + 1, 0));
  const [name, url, foundBy, how, timeoutMs] = first;
  const fetcher = how.includes("s") ? env.ORIGIN : undefined;
  const id = Number(name);
  let sent;
  try {
    sent = headers.goOn(request, url, how.includes("w"), foundBy || undefined, lines, fetcher, Number(timeoutMs), how.includes("e"));
  } catch {
    sent = url;
  }
  // Not sent. The long way says why, or finds another.
  if (typeof sent === "string") return back.finish(id);
  return sent.then(
    (answer) => (back.isPlain(id, headers.seen(answer)) ? answer : back.finish(id, answer)),
    (error) => back.finish(id, undefined, error instanceof Error ? error.message : String(error)),
  );
};
