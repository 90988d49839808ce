// The round trip front – lobby – room as the three measure it themselves, for `npm run doctor`: which version of the code each
// runs, what its clock says, where it lives. No wasm, no storage, no visitor: a probe disturbs nothing.

const TRACE = "https://www.cloudflare.com/cdn-cgi/trace";
const TRACE_MS_MAX = 2_000;
const TIMEOUT_MS = 5_000;

/** The path at which an object answers a probe. */
export const PROBE = "/probe";

/** The data centre in which this code runs, `null` where that cannot be had; `env.PROBE_TRACE` stands in for it in tests. */
async function livesIn({ PROBE_TRACE = TRACE }) {
  try {
    const answer = await fetch(PROBE_TRACE, { signal: AbortSignal.timeout(TRACE_MS_MAX) });
    return /^colo=(\w{1,8})$/m.exec(await answer.text())?.[1] ?? null;
  } catch {
    return null;
  }
}

const versionOf = ({ VERSION }) => VERSION?.id ?? null;

/** Asks an object, and says how long that took: the clock moves with I/O only, and this is nothing else. */
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

/** What an object answers. `find` makes a stub, as peers.js does. Only front and objects reach objects, so it is believed. */
export async function answerProbe(request, env, find) {
  const { beyond } = await request.json();
  const here = { version: versionOf(env), at_ms: Date.now() };
  const room = beyond && (await timed(find(env, beyond), {}));
  return Response.json({ ...here, lives_in: await livesIn(env), ...(room ? { room } : {}) });
}

/** From the front: to a lobby, and from there to the room. `lobby` and `room` say binding, name and place of each. */
export async function probe(env, find, lobby, room) {
  const front = { version: versionOf(env), at_ms: Date.now() };
  return JSON.stringify({ front, lobby: await timed(find(env, lobby), { beyond: room }) });
}
