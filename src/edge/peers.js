// How the front and the objects call each other. On this side, because from wasm such a call is forty crossings, and an
// answer that is read as a stream comes in three turns of the event loop instead of one.
//
// Cloudflare lets a chain of calls be 16 deep, and a stub is as deep as the event that its maker began last. Were each call to make
// its own, two objects that answer each other's calls with calls would go down one step a call until one fails. So an object
// keeps one stub for each peer, made in the shallowest event that it has had since the stub before failed: one that threw is
// dead. The front makes one a call, for it is never deep.
//
// Headers come as lines, name and value in turn: which there are is peers.rs's to know.

import { watch } from "./watchdog.js";

/** Work beside an answer lives for 30 s after it; no try of a delivery goes on for longer than this. */
const DELIVERY_MS_MAX = 25_000;

/** `place`: location hint and jurisdiction, a space between them, each may be empty. Only the first call of all decides by the hint. */
function stub(env, binding, name, place) {
  const [locationHint, jurisdiction] = place.split(" ");
  const objects = jurisdiction === "" ? env[binding] : env[binding].jurisdiction(jurisdiction);
  return objects.getByName(name, locationHint === "" ? undefined : { locationHint });
}

const find = (env, { binding, name, place }) => stub(env, binding, name, place);

/** How deep the event is that a call begins: which place in its chain that call has. */
const DEPTH = "Baton-Depth";
/** A front is the first in every chain. */
const FRONT_DEPTH = 1;

/** For each object in this isolate, by its context: how deep its newest event is, the deepest of its calls, its stubs by peer. */
const objects = new WeakMap();

function known(object) {
  let of = objects.get(object);
  if (of === undefined) objects.set(object, (of = { depth: 0, deepest: 0, stubs: new Map() }));
  return of;
}

/** entry.js says so of each event of an object. An alarm and a socket begin a chain; a request goes on with one. */
watch.began = (object, request) => {
  const of = known(object);
  of.depth = Number(request?.headers.get(DEPTH) ?? 0);
  of.deepest = Math.max(of.deepest, of.depth);
};

/** The way to a peer: `{ stub, depth, drop }`. `object`: whose; undefined: a front's, for this one call. */
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
 * A short message goes in this header, and so does its answer: a body is a stream, and costs as much again as the call. Empty: the
 * message is in the body, and the answer may stand here. call.rs is the other end.
 */
const SAID = "Baton-Said";
const SAID_BYTES_MAX = 8_192;
/** Who has answered in that header, by namespace, name and path, and so reads it too. An object of an older build does neither. */
const readers = new Set();

/** Posts to a peer: `{ answer, text }`, `text` being what stands in the header. Asks in it where it is known to be read. */
async function said(to, reader, path, headers, body) {
  if (readers.has(reader) && body.length > 0 && body.length <= SAID_BYTES_MAX) {
    // Taken before the first await: the bytes lie in wasm's memory, which goes on.
    const kept = body.slice();
    const answer = await to.stub.fetch(url(path), { method: "POST", headers: { ...headers, [SAID]: body.toBase64() } });
    const text = answer.headers.get(SAID);
    if (text !== null || answer.status !== 400) return { answer, text };
    // An older build came back, and saw an empty body, which means nothing to anybody.
    readers.delete(reader);
    body = kept;
  }
  const answer = await to.stub.fetch(url(path), { method: "POST", headers: { ...headers, [SAID]: "" }, body: body.slice() });
  const text = answer.headers.get(SAID);
  if (text !== null) readers.add(reader);
  return { answer, text };
}

/** entry.js needs it too, for what it answers itself. */
watch.find = find;

const url = (path) => `https://baton/${path}`;

function headersOf(lines) {
  const parts = lines.split("\n");
  const headers = {};
  for (let at = 0; at + 1 < parts.length; at += 2) headers[parts[at]] = parts[at + 1];
  return headers;
}

/** The calling handler's name goes with what it waits for, see watchdog.js. */
function signed(lines) {
  const headers = headersOf(lines);
  const caller = watch.caller();
  if (caller !== null) headers["Baton-Caller"] = caller;
  return headers;
}

/** What `asked` resolves to, or an error of the name that the platform gives such. */
function inTime(name, timeoutMs, asked) {
  return watch.wanted(new Promise((resolve, reject) => {
    const late = () => reject(new DOMException(`${name} did not answer within ${timeoutMs} ms`, "TimeoutError"));
    const timer = setTimeout(late, timeoutMs);
    const ends = (end) => (how) => {
      clearTimeout(timer);
      end(how);
    };
    asked().then(ends(resolve), ends(reject));
  }));
}

export const peers = {
  /** The way to a lobby and from there to the room, as they measure it: JSON. */
  probe(env, place, lobby, room) {
    return watch.wanted(watch.probe(env, find, { binding: "LOBBY", name: lobby, place }, { binding: "ROOM", name: room, place }));
  },

  /** Name and value of each header of a request in turn, each a line. */
  headers(request) {
    let lines = "";
    request.headers.forEach((value, name) => (lines += `${name}\n${value}\n`));
    return lines;
  },

  /** How deep the deepest chain was of an object's calls and events, since its memory began. */
  deepest: (object) => known(object).deepest,

  /**
   * Posts to the object of this name and reads its answer to the end: `[status, body, again, load]`. `again` says that nothing was
   * done and that another try is worth it: the object was just dying, or is of another build. `object` posts; undefined: a front.
   */
  post(object, env, binding, name, place, path, lines, body, timeoutMs) {
    let drop;
    // An error in here, the platform's word that there is no such object too, is how the call ends.
    const answered = inTime(name, timeoutMs, async () => {
      const to = way(object, env, binding, name, place);
      drop = to.drop;
      const { answer, text } = await said(to, `${binding} ${name} ${path}`, path, { ...signed(lines), [DEPTH]: String(to.depth + 1) }, body);
      const load = answer.headers.get("Baton-Load");
      return [answer.status, text === null ? await answer.arrayBuffer() : Uint8Array.fromBase64(text), answer.headers.has("Retry-After"), load];
    });
    // One that was only too late may have lost its way too: the next is new in any case.
    answered.catch(() => drop?.());
    return answered;
  },

  /** What the house says of its rooms: the answer as it comes, with its version in a header. */
  table(env, name, place, timeoutMs) {
    const init = { method: "POST", headers: { ...signed(""), [DEPTH]: String(FRONT_DEPTH + 1) } };
    return inTime(name, timeoutMs, async () => {
      const answer = await stub(env, "HOUSE", name, place).fetch(url("table"), init);
      if (answer.status !== 200) throw new Error(`the house answered ${answer.status}`);
      return answer;
    });
  },

  /** A picture that the house keeps, by name: its answer. */
  picture(env, name, place, picture, timeoutMs) {
    const init = { method: "POST", headers: { ...signed(""), [DEPTH]: String(FRONT_DEPTH + 1) }, body: picture };
    return inTime(name, timeoutMs, () => stub(env, "HOUSE", name, place).fetch(url("picture"), init));
  },

  /** Hands a visitor's upgrade on. The answer is the object's own, with the socket in it if there is one. */
  upgrade(env, binding, name, place, path, lines, timeoutMs) {
    const init = { headers: { ...signed(lines), Upgrade: "websocket", [DEPTH]: String(FRONT_DEPTH + 1) } };
    return inTime(name, timeoutMs, async () => stub(env, binding, name, place).fetch(url(path), init));
  },

  /**
   * Posts until it is answered well, trying after each pause, for as long as the platform lets it. It must arrive even if the wasm instance that promised it
   * dies meanwhile, so it is nobody's: unsigned.
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
        // Unreachable, overloaded or dying: that is what the next try is for.
      }
    }
    console.error(lost);
  },
};
