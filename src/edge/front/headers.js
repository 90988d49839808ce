// Carries requests and their headers between wasm and JavaScript in one step, and sends requests out. Each call between the two costs about as much
// as ten lines here, and a request has a dozen headers: so they cross all at once, as lines. No header holds a line break. `forEach`, because an
// iterator makes an object and an array of each header and takes 1.5 times as long, or twice.

import { watch } from "../watchdog.js";

const TO_CACHES = ["surrogate-control", "edge-control", "x-accel-expires"];
/** `set-cookie`, `clear-site-data`, the `ADDRESS_HEADERS` of gate/relocate.rs, and those. */
const TELLING = new Set(["set-cookie", "clear-site-data", "location", "refresh", "content-location", ...TO_CACHES]);
/** Whether a header speaks to shared caches alone: the `is_for_shared_caches` of gate/cache.rs. */
const isToCaches = (name) => name.endsWith("-cache-control") || TO_CACHES.includes(name);

function outward(request, url, foundBy) {
  const { method, headers, body } = request;
  const cf = foundBy === undefined ? {} : { cf: { resolveOverride: foundBy } };
  // The platform makes a GET with a body only from another request.
  if (body !== null && (method === "GET" || method === "HEAD")) return new Request(new Request(url, request), cf);
  return new Request(url, { method, headers, body, redirect: "manual", ...cf });
}

/**
 * Reads a body of at most `bytesMax` bytes. Gives nothing if there are more, and does not read them: all that people send without end would have to
 * fit into one isolate. Nothing else reads a body.
 */
export async function within(body, bytesMax) {
  const parts = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (bytes > bytesMax) return undefined;
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export const headers = {
  /**
   * Sends a request to a binding, or outside. Fails when its handler is given up, or when no answer has begun within `timeoutMs`; without `timeoutMs`
   * it waits on. With `endsThen` the request ends then too, so that nobody can hold an origin by sending without end. That costs a copy of the
   * request, so requests that send nothing go without it.
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

  /** Reads the body of a request or an answer as text, or nothing if it has more than `bytesMax` bytes. Fails when its handler is given up. */
  async text(message, bytesMax) {
    const bytes = await this.bytes(message, bytesMax);
    return bytes && new TextDecoder().decode(bytes);
  },

  /** Reads the body as bytes, likewise. */
  async bytes({ headers, body }, bytesMax) {
    if (Number(headers.get("content-length")) > bytesMax) return undefined;
    return watch.wanted(within(body, bytesMax));
  },

  /** Returns method, address, then name and value of every header, one a line. */
  read(request) {
    let text = `${request.method}\n${request.url}`;
    request.headers.forEach((value, name) => (text += `\n${name}\n${value}`));
    return text;
  },

  /** Returns name and value of every header of an answer, one a line, and reads no more of it. */
  only({ headers, body }) {
    body?.cancel().catch(() => {});
    let text = "";
    headers.forEach((value, name) => (text += `${name}\n${value}\n`));
    return text;
  },

  /** Returns name and value of every header that speaks to shared caches alone, one a line. */
  toCaches(headers) {
    let text = "";
    headers.forEach((value, name) => {
      if (isToCaches(name)) text += `${name}\n${value}\n`;
    });
    return text;
  },

  /** Lets no shared cache keep the answer with these headers, by this `Cache-Control`. */
  makePrivate(headers, cacheControl) {
    for (const name of [...headers.keys()].filter(isToCaches)) headers.delete(name);
    headers.set("Cache-Control", cacheControl);
  },

  /**
   * Makes an answer of Baton's own. `lines` are name and value of each header in turn, one a line; a name may come several times. `body` lies in
   * wasm's memory, which changes afterwards, so it is copied.
   */
  answer(status, lines, body) {
    const headers = new Headers();
    const parts = lines.split("\n");
    for (let at = 0; at + 1 < parts.length; at += 2) headers.append(parts[at], parts[at + 1]);
    return new Response(body?.slice() ?? null, { status, headers });
  },

  /**
   * Returns what a glance at an answer shows, one a line: the status, the time, whether a socket came with it, its `Cache-Control`, and the lower-case
   * names of the headers that could be Baton's in some spelling, and of those in `TELLING`.
   */
  seen(response) {
    let [names, cacheControl] = ["", ""];
    response.headers.forEach((value, name) => {
      if (name === "cache-control") cacheControl = value;
      else if (name.startsWith("b") || TELLING.has(name) || name.endsWith("-cache-control")) names += `\n${name}`;
    });
    return `${response.status}\n${Date.now()}\n${response.webSocket ? "open" : ""}\n${cacheControl}${names}`;
  },

  /** Returns the same answer with this `Cache-Control`. */
  keptBy(answer, cacheControl) {
    const changed = new Response(answer.body, answer);
    changed.headers.set("Cache-Control", cacheControl);
    return changed;
  },

  /**
   * Sends the same request to another address: method, headers, body (as the stream it is), redirects not followed. `lines` are the changes: name and
   * value of headers in turn, one a line; an empty value removes the header. A binding, or the zone's own origin (`isWithin`), also gets what the
   * platform knows of the visitor (`cf`): nobody outside sees that, and copying it costs as much as copying all headers. `foundBy` is another host
   * name by whose machine the address is reached; on Cloudflare it must be in the zone.
   *
   * Returns the promise of `send`. If the platform makes another address of `url`, it returns that address and sends nothing.
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
    const sent = this.send(fetcher, made, timeoutMs, endsThen);
    const waits = watch.waits.get(request);
    if (waits !== undefined) waits.sent = { answer: sent, atMs: Date.now() };
    return sent;
  },
};

/** How many lines of a text from `answer_front` stand before the headers that change. */
const SENDING_LINES = 5;

/**
 * The straight way (straight.rs): sends what `text` says, and answers with what comes back. `back.asPlain(id, seen)` gives the `Cache-Control` with which
 * the visitor gets an answer, empty if as it is; if it gives nothing, or there is no answer, `back.finish(id, answer, why)` answers.
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
  // Nothing was sent. The long way says why, or finds another way.
  if (typeof sent === "string") return back.finish(id);
  return sent.then(
    (answer) => {
      const cacheControl = back.asPlain(id, headers.seen(answer));
      if (cacheControl === undefined) return back.finish(id, answer);
      return cacheControl === "" ? answer : headers.keptBy(answer, cacheControl);
    },
    (error) => back.finish(id, undefined, error instanceof Error ? error.message : String(error)),
  );
};
