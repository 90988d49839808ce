// Counts how often a request crosses between wasm and JavaScript, both ways. Front and objects run in one isolate, so the count is of all that the
// request asks, and of what the objects do by themselves meanwhile.

import { inRoot } from "../../scripts/common.mjs";
import { ask } from "./stage.mjs";

/** The wrapper with which a Baton counts. */
export const BORDER = ["border.js", "border_counts.js"].map((name) => inRoot("bench", "lib", name));
/** How many requests are counted. One more goes before them, so that everything has begun. */
export const CROSSING = 50;

/** Sends one request after the other with `send`. Resolves to the calls for each. Throws at an answer that is not good. */
export async function crossings(baton, send) {
  const sent = async () => {
    const answer = await send();
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${answer.url}: answered ${answer.status}`);
  };
  await sent();
  await ask(baton.port, "/bench/border");
  for (let at = 0; at < CROSSING; at++) await sent();
  const counts = JSON.parse(await ask(baton.port, "/bench/border"));
  return Object.values(counts).reduce((sum, count) => sum + count, 0) / CROSSING;
}
