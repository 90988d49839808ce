// How the front and the objects call each other. On this side, because from wasm such a call is forty crossings, and an
// answer that is read as a stream comes in three turns of the event loop instead of one.
//
// A stub that threw is dead, so each call makes its own. Headers come as lines, name and value in turn: which there are
// is peers.rs's to know.

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

  /**
   * Posts to the object of this name and reads its answer to the end: `[status, body, again]`. `again` says that nothing was
   * done and that another try is worth it: the object was just dying, or is of another build.
   */
  post(env, binding, name, place, path, lines, body, timeoutMs) {
    // A copy: the bytes lie in wasm's memory, which goes on.
    const init = { method: "POST", headers: signed(lines), body: body.slice() };
    return inTime(name, timeoutMs, async () => {
      const answer = await stub(env, binding, name, place).fetch(url(path), init);
      return [answer.status, await answer.arrayBuffer(), answer.headers.has("Retry-After")];
    });
  },

  /** Hands a visitor's upgrade on. The answer is the object's own, with the socket in it if there is one. */
  upgrade(env, binding, name, place, path, lines, timeoutMs) {
    const init = { headers: { ...signed(lines), Upgrade: "websocket" } };
    return inTime(name, timeoutMs, async () => stub(env, binding, name, place).fetch(url(path), init));
  },

  /**
   * Posts until it is answered well, trying after each pause, for as long as the platform lets it. It must arrive even if the wasm instance that promised it
   * dies meanwhile, so it is nobody's: unsigned.
   */
  async deliver(env, binding, name, place, path, lines, text, pausesMs, timeoutMs, lost) {
    const init = { method: "POST", headers: headersOf(lines), body: text };
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
