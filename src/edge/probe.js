// Measures the round trip from the front to a lobby and on to the room, for `npm run doctor`: each says which version of the code it runs, what its
// clock says and where it lives. A probe uses no wasm, no storage and no visitor, so it disturbs nothing.

const TRACE = "https://www.cloudflare.com/cdn-cgi/trace";
const TRACE_MS_MAX = 2_000;
const TIMEOUT_MS = 5_000;

/** The path at which an object answers a probe. */
export const PROBE = "/probe";

/** Returns the data centre in which this code runs, or `null` if nobody says it. In tests `env.PROBE_TRACE` replaces who is asked. */
async function livesIn({ PROBE_TRACE = TRACE }) {
  try {
    const answer = await fetch(PROBE_TRACE, { signal: AbortSignal.timeout(TRACE_MS_MAX) });
    return /^colo=(\w{1,8})$/m.exec(await answer.text())?.[1] ?? null;
  } catch {
    return null;
  }
}

const versionOf = ({ VERSION }) => VERSION?.id ?? null;

/** Asks an object and measures how long that takes. The clock moves with I/O only, and this does nothing else. */
async function timed(stub, to) {
  const since = Date.now();
  try {
    const answer = await stub.fetch(`https://baton${PROBE}`, { method: "POST", body: JSON.stringify(to), signal: AbortSignal.timeout(TIMEOUT_MS) });
    const told = answer.ok ? await answer.json() : { error: `it answered ${answer.status}` };
    return { ...told, round_ms: Date.now() - since };
  } catch (error) {
    return { error: String(error?.message ?? error), round_ms: Date.now() - since };
  }
}

/** Answers a probe for an object. `find` makes a stub, as in peers.js. Only the front and objects reach objects, so the request is believed. */
export async function answerProbe(request, env, find) {
  const { beyond } = await request.json();
  const here = { version: versionOf(env), at_ms: Date.now() };
  const room = beyond && (await timed(find(env, beyond), {}));
  return Response.json({ ...here, lives_in: await livesIn(env), ...(room ? { room } : {}) });
}

/** Probes a lobby from the front, and the room from there. `lobby` and `room` say binding, name and place of each. */
export async function probe(env, find, lobby, room) {
  const front = { version: versionOf(env), at_ms: Date.now() };
  return JSON.stringify({ front, lobby: await timed(find(env, lobby), { beyond: room }) });
}
