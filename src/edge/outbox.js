// The way out for webhooks: one POST, of which only the status of the answer is wanted. A redirect is an answer like any other and is not followed,
// so nobody sends Baton elsewhere. A self-hosted runtime has a binding that reaches public addresses only (OUTSIDE), and the POST goes by that;
// Cloudflare's own `fetch` reaches nothing else.

export const outside = {
  /** Returns the status of the answer, or throws if none came in time. `lines`: name and value of each header in turn, each a line. */
  async post(env, isStandIn, url, lines, body, timeoutMs) {
    const parts = lines.split("\n");
    const headers = {};
    for (let at = 0; at + 1 < parts.length; at += 2) headers[parts[at]] = parts[at + 1];
    const init = { method: "POST", headers, body, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) };
    const answer = await (env.OUTSIDE && !isStandIn ? env.OUTSIDE.fetch(url, init) : fetch(url, init));
    // Nobody reads the body, however long it is.
    answer.body?.cancel().catch(() => {});
    return answer.status;
  },
};
