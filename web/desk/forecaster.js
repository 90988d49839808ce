/* Makes forecasts in a worker of its own, so that the desk never waits. It takes `{ wasm }` once, and then answers each `{ id, question }`
 * with `{ id, forecast }` or `{ id, error }`. Questions and answers are the JSON of web/advice/. */

import init, { advise } from "baton-advice";

let ready;

addEventListener("message", async ({ data: { wasm, id, question } }) => {
  if (wasm) {
    ready = load(wasm);
    // The desk hears of a failure when it asks, and it has not asked yet.
    ready.catch(() => {});
    return;
  }
  try {
    await ready;
    const { error, ...forecast } = JSON.parse(advise(JSON.stringify(question)));
    postMessage(error ? { id, error } : { id, forecast });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
});

async function load(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return init({ module_or_path: await answer.arrayBuffer() });
}
