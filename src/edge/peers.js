// How the front and the objects call each other. It is in JavaScript because such a call takes forty crossings from wasm, and an answer that is read
// as a stream comes in three turns of the event loop instead of one.
//
// Cloudflare lets a chain of calls be 16 deep, and a stub is as deep as the event that its maker began last. If each call made
// its own stub, two objects that answer each other's calls with calls would go one step deeper with each call, until one fails.
// So an object keeps one stub for each peer, made in the shallowest event since the stub before failed; a stub that threw is
// dead. The front makes one stub a call, since it is never deep.
//
// Headers come as lines, name and value in turn. Only peers.rs knows which there are.

import { watch } from "./watchdog.js";

/** The platform ends work beside an answer 30 s after that answer, so no delivery is tried for longer than this. */
const DELIVERY_MS_MAX = 25_000;

/** Makes a stub. `place`: location hint and jurisdiction with a space between them; each may be empty. Only the very first call uses the hint. */
function stub(env, binding, name, place) {
  const [locationHint, jurisdiction] = place.split(" ");
  const objects = jurisdiction === "" ? env[binding] : env[binding].jurisdiction(jurisdiction);
  return objects.getByName(name, locationHint === "" ? undefined : { locationHint });
}

const find = (env, { binding, name, place }) => stub(env, binding, name, place);

/** The depth of the event that a call begins, which is the call's place in its chain. */
const DEPTH = "Baton-Depth";
/** A front is the first in every chain. */
const FRONT_DEPTH = 1;

/** For each object in this isolate, by its context: the depth of its newest event, the greatest depth of its calls, its stubs by peer. */
const objects = new WeakMap();

function known(object) {
  let of = objects.get(object);
  if (of === undefined) objects.set(object, (of = { depth: 0, deepest: 0, stubs: new Map() }));
  return of;
}

/** entry.js calls this for each event of an object. An alarm and a socket event begin a chain; a request goes on with one. */
watch.began = (object, request) => {
  const of = known(object);
  of.depth = Number(request?.headers.get(DEPTH) ?? 0);
  of.deepest = Math.max(of.deepest, of.depth);
};

/** Returns the way to a peer: `{ stub, depth, drop }`. `object` is the one that calls; undefined means a front, and a stub for one call. */
function way(object, env, binding, name, place) {
  if (object === undefined) return { stub: stub(env, binding, name, place), depth: FRONT_DEPTH, drop: () => {} };
  const of = known(object);
  const peer = `${binding} ${name}`;
  let kept = of.stubs.get(peer);
  if (kept === undefined || of.depth < kept.depth) {
    const made = { stub: stub(env, binding, name, place), depth: of.depth, drop: () => of.stubs.get(peer) === made && of.stubs.delete(peer) };
    of.stubs.set(peer, (kept = made));
  }
  of.deepest = Math.max(of.deepest, kept.depth + 1);
  return kept;
}

/**
 * A short message goes in this header, and so does its answer: a body is a stream, and costs as much again as the call. If the header is empty, the
 * message is in the body, and the answer may come in the header. call.rs is the other end.
 */
const SAID = "Baton-Said";
const SAID_BYTES_MAX = 8_192;
/** Who has answered in that header, by namespace, name and path, and so can read it too. An object of an older build does neither. */
const readers = new Set();

/** Posts to a peer and returns `{ answer, text }`; `text` is what the header holds. Asks in the header if the peer is known to read it. */
async function said(to, reader, path, headers, body) {
  if (readers.has(reader) && body.length > 0 && body.length <= SAID_BYTES_MAX) {
    // Copied before the first await: the bytes lie in wasm's memory, which changes meanwhile.
    const kept = body.slice();
    const answer = await to.stub.fetch(url(path), { method: "POST", headers: { ...headers, [SAID]: body.toBase64() } });
    const text = answer.headers.get(SAID);
    if (text !== null || answer.status !== 400) return { answer, text };
    // An older build is back. It saw an empty body, which is no message, so it did nothing.
    readers.delete(reader);
    body = kept;
  }
  const answer = await to.stub.fetch(url(path), { method: "POST", headers: { ...headers, [SAID]: "" }, body: body.slice() });
  const text = answer.headers.get(SAID);
  if (text !== null) readers.add(reader);
  return { answer, text };
}

/** entry.js needs it too, for the probes that it answers itself. */
watch.find = find;

const url = (path) => `https://baton/${path}`;

function headersOf(lines) {
  const parts = lines.split("\n");
  const headers = {};
  for (let at = 0; at + 1 < parts.length; at += 2) headers[parts[at]] = parts[at + 1];
  return headers;
}

/** Adds the name of the calling handler to the headers; watchdog.js says why. */
function signed(lines) {
  const headers = headersOf(lines);
  const caller = watch.caller();
  if (caller !== null) headers["Baton-Caller"] = caller;
  return headers;
}

/** Resolves to what `asked` resolves to, or rejects after `timeoutMs` with an error of the name that the platform gives to timeouts. */
function inTime(name, timeoutMs, asked) {
  return watch.wanted(
    new Promise((resolve, reject) => {
      const late = () => reject(new DOMException(`${name} did not answer within ${timeoutMs} ms`, "TimeoutError"));
      const timer = setTimeout(late, timeoutMs);
      const ends = (end) => (how) => {
        clearTimeout(timer);
        end(how);
      };
      asked().then(ends(resolve), ends(reject));
    }),
  );
}

export const peers = {
  /** Measures the way to a lobby and from there to the room. Resolves to JSON. */
  probe(env, place, lobby, room) {
    return watch.wanted(watch.probe(env, find, { binding: "LOBBY", name: lobby, place }, { binding: "ROOM", name: room, place }));
  },

  /** Returns name and value of each header of a request in turn, each a line. */
  headers(request) {
    let lines = "";
    request.headers.forEach((value, name) => (lines += `${name}\n${value}\n`));
    return lines;
  },

  /** Returns the greatest depth of an object's calls and events since its memory began. */
  deepest: (object) => known(object).deepest,

  /**
   * Posts to the object of this name and reads its answer to the end: `[status, body, again, load]`. `again` says that nothing was done and that
   * another try is worth it: the object was just dying, or is of another build. `object` is the one that calls; undefined means a front.
   */
  post(object, env, binding, name, place, path, lines, body, timeoutMs) {
    let drop;
    // An error in here is how the call ends, also the platform's own that there is no such object.
    const answered = inTime(name, timeoutMs, async () => {
      const to = way(object, env, binding, name, place);
      drop = to.drop;
      const { answer, text } = await said(to, `${binding} ${name} ${path}`, path, { ...signed(lines), [DEPTH]: String(to.depth + 1) }, body);
      const load = answer.headers.get("Baton-Load");
      return [answer.status, text === null ? await answer.arrayBuffer() : Uint8Array.fromBase64(text), answer.headers.has("Retry-After"), load];
    });
    // A call that was only late may have lost its stub too, so the next call makes a new one in any case.
    answered.catch(() => drop?.());
    return answered;
  },

  /** Asks the house for its table of rooms. Resolves to the unread answer, which has the version in a header. */
  table(env, name, place, timeoutMs) {
    const init = { method: "POST", headers: { ...signed(""), [DEPTH]: String(FRONT_DEPTH + 1) } };
    return inTime(name, timeoutMs, async () => {
      const answer = await stub(env, "HOUSE", name, place).fetch(url("table"), init);
      if (answer.status !== 200) throw new Error(`the house answered ${answer.status}`);
      return answer;
    });
  },

  /** Asks the house for a picture. Resolves to the answer. */
  picture(env, name, place, path, body, timeoutMs) {
    const init = { method: "POST", headers: { ...signed(""), [DEPTH]: String(FRONT_DEPTH + 1) }, body };
    return inTime(name, timeoutMs, () => stub(env, "HOUSE", name, place).fetch(url(path), init));
  },

  /** Hands a visitor's upgrade to an object. Resolves to the object's own answer, with the socket in it if there is one. */
  upgrade(env, binding, name, place, path, lines, timeoutMs) {
    const init = { headers: { ...signed(lines), Upgrade: "websocket", [DEPTH]: String(FRONT_DEPTH + 1) } };
    return inTime(name, timeoutMs, async () => stub(env, binding, name, place).fetch(url(path), init));
  },

  /**
   * Posts until the answer is good, once after each pause, for as long as the platform lets it. It must arrive even if the wasm instance that
   * promised it dies meanwhile, so it belongs to no handler and is unsigned.
   */
  async deliver(env, binding, name, place, path, lines, text, pausesMs, timeoutMs, lost) {
    const init = { method: "POST", headers: { ...headersOf(lines), [DEPTH]: String(FRONT_DEPTH + 1) }, body: text };
    const endsAtMs = Date.now() + DELIVERY_MS_MAX;
    for (const pauseMs of pausesMs) {
      const leftMs = endsAtMs - Date.now() - pauseMs;
      if (leftMs <= 0) break;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      try {
        const answer = await stub(env, binding, name, place).fetch(url(path), { ...init, signal: AbortSignal.timeout(Math.min(timeoutMs, leftMs)) });
        await answer.arrayBuffer();
        if (answer.ok) return;
      } catch {
        // The object is unreachable, overloaded or dying: the next try is for that.
      }
    }
    console.error(lost);
  },
};
