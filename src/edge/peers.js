// How the front and the objects call each other. On this side, because from wasm such a call is forty crossings, and an
// answer that is read as a stream comes in three turns of the event loop instead of one.

import { watch } from "./watchdog.js";

export const peers = {
  /**
   * Posts to the object of this name and reads its answer to the end: `[status, body]`. A stub that threw is dead, so each
   * call makes its own. The calling handler's name goes with it, see watchdog.js.
   */
  post(env, binding, name, locationHint, path, room, lobby, origin, stock, body, timeoutMs) {
    const headers = { "Baton-Room": room };
    if (lobby !== undefined) headers["Baton-Lobby"] = String(lobby);
    if (origin !== undefined) headers["Baton-Origin"] = origin;
    if (stock !== undefined) headers["Baton-Stock"] = stock;
    const caller = watch.caller();
    if (caller !== null) headers["Baton-Caller"] = caller;
    // A copy: the bytes lie in wasm's memory, which goes on.
    const init = { method: "POST", headers, body: body.slice() };
    return new Promise((resolve, reject) => {
      const stub = env[binding].getByName(name, locationHint === undefined ? undefined : { locationHint });
      const late = () => reject(new DOMException(`${name} did not answer within ${timeoutMs} ms`, "TimeoutError"));
      const timer = setTimeout(late, timeoutMs);
      const read = async () => {
        const answer = await stub.fetch(`https://baton/${path}`, init);
        return [answer.status, await answer.arrayBuffer()];
      };
      read().then(resolve, reject).finally(() => clearTimeout(timer));
    });
  },
};
