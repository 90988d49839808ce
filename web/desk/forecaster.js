/* Makes forecasts, in a worker of its own so that the desk never waits: `{ wasm }` once, then `{ id, question }` for each answer
 * `{ id, forecast }`. Questions and answers are the JSON of web/advice/. */

import init, { advise } from "baton-advice";

let ready;

addEventListener("message", async ({ data: { wasm, id, question } }) => {
  if (wasm) {
    ready = load(wasm);
    // The desk is told when it asks; it has not asked yet.
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
