// How a front learns which rooms the house has: by way of the data centre's cache, so that each data centre asks the house at most about once a
// second, however many isolates it has. This is JavaScript because a table that is known already need not cross into wasm.

import { peers } from "../peers.js";

const KEY = "https://house.baton.invalid/table/";
const PICTURES = "https://house.baton.invalid/picture/";
/** A picture is named by its bytes, so it never changes. */
const FOR_EVER = "public, max-age=31536000, immutable";
/** The version of the table, as the house says it. */
const VERSION = "Baton-Version";
/** When somebody asked the house for the table, Unix ms. */
const AS_OF = "Baton-As-Of";

/** Does something with the cache of this data centre. Returns `undefined` if there is no cache: local runtimes have none. */
const cached = async (act) => {
  try {
    return await act(caches.default);
  } catch {
    return undefined;
  }
};

export const house = {
  /**
   * Returns `[asOfMs, text]`: when the house was asked for the table, and the table as JSON, or null if its version is not higher than `known`. A
   * cached table of a lower version than `least` does not count. Throws if the house does not answer in time.
   */
  async table(env, name, place, known, least, cachedS, timeoutMs) {
    const key = KEY + encodeURIComponent(`${name} ${place}`);
    const kept = await cached((cache) => cache.match(key));
    if (kept && Number(kept.headers.get(VERSION)) >= least) return news(kept, known);
    const asOf = String(Date.now());
    const answer = await peers.table(env, name, place, timeoutMs);
    const headers = { "Cache-Control": `max-age=${cachedS}`, [VERSION]: answer.headers.get(VERSION), [AS_OF]: asOf };
    const copy = new Response(answer.body, { headers });
    const [own, shared] = [copy, copy.clone()];
    await cached((cache) => cache.put(key, shared));
    return news(own, known);
  },

  /**
   * Returns a picture that a page shows from the data centre's cache or from the house. Returns null if there is no such picture, or if it is not in the
   * cache and `mayAsk` is false. Throws if the house does not answer in time.
   */
  async picture(env, name, place, picture, mayAsk, timeoutMs) {
    const key = PICTURES + encodeURIComponent(`${name} ${place} ${picture}`);
    const kept = await cached((cache) => cache.match(key));
    if (kept) return kept;
    if (!mayAsk) return null;
    const answer = await found(peers.picture(env, name, place, "picture", picture, timeoutMs));
    if (answer === null) return null;
    const copy = new Response(answer.body, { headers: { "Cache-Control": FOR_EVER } });
    const [own, shared] = [copy, copy.clone()];
    await cached((cache) => cache.put(key, shared));
    return own;
  },

  /**
   * Returns the picture of an operator's order, or null if the operator has no such picture. It never lies in the cache, where strangers would find it.
   * Throws if the house does not answer in time.
   */
  ownPicture: (env, name, place, order, timeoutMs) => found(peers.picture(env, name, place, "own-picture", order, timeoutMs)),
};

async function found(asked) {
  const answer = await asked;
  if (answer.status === 200) return answer;
  await answer.body?.cancel();
  if (answer.status === 404) return null;
  throw new Error(`the house answered ${answer.status}`);
}

async function news(answer, known) {
  const asOf = Number(answer.headers.get(AS_OF));
  if (Number(answer.headers.get(VERSION)) > known) return [asOf, await answer.text()];
  await answer.body?.cancel();
  return [asOf, null];
}
