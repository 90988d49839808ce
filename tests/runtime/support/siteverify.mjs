// Stands in for Cloudflare's siteverify and speaks its protocol: an answer is good once, five minutes long, for the secret
// it was made for; the same question again, with its idempotency key, gets the same verdict.

import { randomBytes } from "node:crypto";
import { startOrigin } from "./world.mjs";

/**
 * `solve({ hostname, action, at_ms })` is what a widget gives to who solved it. `asked` are the questions; `failing`:
 * "hang", "500", "nonsense" or "secret" instead of verdicts.
 */
export async function startSiteverify(t, { secret, hostname }) {
  const answers = new Map();
  const stand = { asked: [], failing: null };
  const server = await startOrigin(t, async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const question = JSON.parse(Buffer.concat(chunks).toString());
    stand.asked.push({ method: request.method, url: request.url, ...question });
    if (stand.failing === "hang") return;
    if (stand.failing === "500") response.statusCode = 500;
    const text = { 500: "bad gateway", nonsense: "<html>" }[stand.failing] ?? JSON.stringify(verdict(answers, stand, question, secret));
    response.setHeader("Content-Type", "application/json");
    response.end(text);
  });
  stand.url = `${server.url}/turnstile/v0/siteverify`;
  stand.solve = (made = {}) => {
    const answer = `0.${randomBytes(24).toString("base64url")}`;
    answers.set(answer, { hostname, action: "baton-join", at_ms: Date.now(), ...made });
    return answer;
  };
  return stand;
}

function verdict(answers, stand, { secret: shown, response, idempotency_key: key }, secret) {
  const refuse = (...codes) => ({ success: false, "error-codes": codes });
  if (stand.failing === "secret" || shown !== secret) return refuse("invalid-input-secret");
  if (!response) return refuse("missing-input-response");
  const made = answers.get(response);
  if (!made) return refuse("invalid-input-response");
  const again = made.key !== undefined && made.key === key;
  if ((made.key !== undefined && !again) || Date.now() - made.at_ms > 300_000) return refuse("timeout-or-duplicate");
  made.key = key ?? "none";
  return {
    success: true,
    challenge_ts: new Date(made.at_ms).toISOString(),
    hostname: made.hostname,
    "error-codes": [],
    action: made.action,
    cdata: "",
  };
}
