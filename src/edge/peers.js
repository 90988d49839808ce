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
/** As the platform spells it. */
const DEPTH_READ = DEPTH.toLowerCase();
/** The name of the handler that calls; watchdog.js says why. */
const CALLER = "Baton-Caller";
/**
 * Each header costs as much as a hundred lines here: so those that every call has, the depth first, come in this one, with a tab after each name and each
 * value. An object says in it that it reads it, when it answers a call that came without.
 */
const IN_ONE = "baton-call";
/** A front is the first in every chain. */
const FRONT_DEPTH = 1;

/** For each object in this isolate, by its context: the depth of its newest event, the greatest depth of its calls, its stubs by peer. */
const objects = new WeakMap();

function known(object) {
  let of = objects.get(object);
  if (of === undefined) objects.set(object, (of = { depth: 0, deepest: 0, stubs: new Map() }));
  return of;
}

/**
 * entry.js calls this for each event of an object. An alarm and a socket event begin a chain; a request goes on with one. Returns name and value of each
 * header of the request in turn, each a line.
 */
watch.began = (object, request) => {
  const of = known(object);
  let lines = "";
  of.depth = 0;
  request?.headers.forEach((value, name) => {
    if (name === IN_ONE) {
      lines += `${value.replaceAll("\t", "\n")}\n`;
      of.depth = Number(value.split("\t", 2)[1]);
    } else {
      lines += `${name}\n${value}\n`;
      if (name === DEPTH_READ) of.depth = Number(value);
    }
  });
  of.deepest = Math.max(of.deepest, of.depth);
  return lines;
};

/** Returns the name of the handler that sent a request, for entry.js. */
watch.callerOf = ({ headers }) => headersOf((headers.get(IN_ONE) ?? "").split("\t"))[CALLER] ?? headers.get(CALLER);

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
/** Who has said that it reads `IN_ONE`, and so this too, by namespace, name and path. An object of an older build does not. */
const readers = new Set();

/**
 * Posts to a peer, the way to which `find` returns, and reads its answer to the end, as `peers.post` returns it. `own` are the headers that every call has,
 * as they stand in one, and `beside` the others by name. `message` is base64; one that is too long for a header comes as bytes.
 */
async function posted(find, reader, path, own, beside, message) {
  const { stub, depth } = find();
  const all = `${DEPTH}\t${depth + 1}\t${CALLER}\t${watch.caller() ?? ""}\t${own}`;
  const isShort = typeof message === "string";
  if (isShort && message !== "" && readers.has(reader)) {
    const answer = await stub.fetch(url(path), { method: "POST", headers: { ...beside, [IN_ONE]: all, [SAID]: message } });
    const text = answer.headers.get(SAID);
    if (text !== null) return headOf(answer) + text;
    // Perhaps an older build is back. One that answers 400 saw an empty body, which is no message, so it did nothing.
    if (answer.status !== 200) readers.delete(reader);
    if (answer.status !== 400) return [headOf(answer), new Uint8Array(await answer.arrayBuffer())];
  }
  const headers = { ...headersOf(all.split("\t")), ...beside, [SAID]: "" };
  const answer = await stub.fetch(url(path), { method: "POST", headers, body: isShort ? Uint8Array.fromBase64(message) : message });
  if (answer.headers.has(IN_ONE)) readers.add(reader);
  const text = answer.headers.get(SAID);
  return text === null ? [headOf(answer), new Uint8Array(await answer.arrayBuffer())] : headOf(answer) + text;
}

/** Returns what stands before an answer's message: status, whether another try is worth it, its load, a line each. */
function headOf({ status, headers }) {
  const again = status !== 200 && headers.has("Retry-After") ? "again" : "";
  return `${status}\n${again}\n${headers.get("Baton-Load") ?? ""}\n`;
}

/** entry.js needs it too, for the probes that it answers itself. */
watch.find = find;

const url = (path) => `https://baton/${path}`;

/** Returns headers by name. `parts` are name and value of each in turn. */
function headersOf(parts) {
  const headers = {};
  for (let at = 0; at + 1 < parts.length; at += 2) headers[parts[at]] = parts[at + 1];
  return headers;
}

/** Adds the name of the calling handler to the headers; watchdog.js says why. */
function signed(parts) {
  const headers = headersOf(parts);
  const caller = watch.caller();
  if (caller !== null) headers[CALLER] = caller;
  return headers;
}

/** Resolves to what `asked` resolves to, or rejects after `timeoutMs` with an error of the name that the platform gives to timeouts. */
function inTime(name, timeoutMs, asked) {
  const late = () => new DOMException(`${name} did not answer within ${timeoutMs} ms`, "TimeoutError");
  return watch.wanted(asked(), timeoutMs, undefined, late);
}

/** entry.js makes the calls for which the front's work waits. */
watch.post = (env, call) => peers.post(undefined, env, call);

export const peers = {
  /** Measures the way to a lobby and from there to the room. Resolves to JSON. */
  probe(env, place, lobby, room) {
    return watch.wanted(watch.probe(env, find, { binding: "LOBBY", name: lobby, place }, { binding: "ROOM", name: room, place }));
  },

  /** Makes an object's answer of a message in the header. `isFirst`: the caller does not know yet which headers this build reads. */
  said: (message, isFirst) => new Response(null, { headers: isFirst ? { [SAID]: message, [IN_ONE]: "1" } : { [SAID]: message } }),

  /** Returns the greatest depth of an object's calls and events since its memory began. */
  deepest: (object) => known(object).deepest,

  /**
   * Posts what `call` describes (peers.rs): binding, name, place, path, timeout, the headers that every call has, names and values of others, and the
   * message as base64, a line each. A long message is `long`. `object` is the one that calls; undefined means a front.
   *
   * Resolves to a text: the status, whether nothing was done and another try is worth it, since the object was just dying or is of another build, its
   * load, and its message as base64. If the message came in the body: to the text without it, and the body.
   */
  post(object, env, call, long) {
    const [binding, name, place, path, timeoutMs, own, ...more] = call.split("\n");
    const message = more.pop();
    let to;
    // An error in here is how the call ends, also the platform's own that there is no such object.
    const find = () => (to = way(object, env, binding, name, place));
    const answer = inTime(name, Number(timeoutMs), () => posted(find, `${binding} ${name} ${path}`, path, own, headersOf(more), long ?? message));
    // A call that was only late may have lost its stub too, so the next call makes a new one in any case.
    if (object !== undefined) answer.catch(() => to?.drop());
    return answer;
  },

  /** Asks the house for its table of rooms. Resolves to the unread answer, which has the version in a header. */
  table(env, name, place, timeoutMs) {
    const init = { method: "POST", headers: { ...signed([]), [DEPTH]: String(FRONT_DEPTH + 1) } };
    return inTime(name, timeoutMs, async () => {
      const answer = await stub(env, "HOUSE", name, place).fetch(url("table"), init);
      if (answer.status !== 200) throw new Error(`the house answered ${answer.status}`);
      return answer;
    });
  },

  /** Asks the house for a picture. Resolves to the answer. */
  picture(env, name, place, path, body, timeoutMs) {
    const init = { method: "POST", headers: { ...signed([]), [DEPTH]: String(FRONT_DEPTH + 1) }, body };
    return inTime(name, timeoutMs, () => stub(env, "HOUSE", name, place).fetch(url(path), init));
  },

  /** Hands a visitor's upgrade to an object. Resolves to the object's own answer, with the socket in it if there is one. */
  upgrade(env, binding, name, place, path, lines, timeoutMs) {
    const init = { headers: { ...signed(lines.split("\n")), Upgrade: "websocket", [DEPTH]: String(FRONT_DEPTH + 1) } };
    return inTime(name, timeoutMs, async () => stub(env, binding, name, place).fetch(url(path), init));
  },

  /**
   * Posts until the answer is good, once after each pause, for as long as the platform lets it. It must arrive even if the wasm instance that
   * promised it dies meanwhile, so it belongs to no handler and is unsigned.
   */
  async deliver(env, binding, name, place, path, lines, text, pausesMs, timeoutMs, lost) {
    const init = { method: "POST", headers: { ...headersOf(lines.split("\n")), [DEPTH]: String(FRONT_DEPTH + 1) }, body: text };
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
