// The way out for webhooks: one POST, of whose answer only the status is wanted. A redirect is an answer like any other, so nobody
// sends Baton elsewhere. Where the runtime has a way that leads to public addresses only (OUTSIDE, on a machine of one's own), it goes
// by that; Cloudflare's own leads nowhere else.

export const outside = {
  /** The status of the answer. Throws when none came in time. `lines`: headers, name and value in turn, each a line. */
  async post(env, isStandIn, url, lines, body, timeoutMs) {
    const parts = lines.split("\n");
    const headers = {};
    for (let at = 0; at + 1 < parts.length; at += 2) headers[parts[at]] = parts[at + 1];
    const init = { method: "POST", headers, body, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) };
    const answer = await (env.OUTSIDE && !isStandIn ? env.OUTSIDE.fetch(url, init) : fetch(url, init));
    // However long it is, nobody reads it.
    answer.body?.cancel().catch(() => {});
    return answer.status;
  },
};
