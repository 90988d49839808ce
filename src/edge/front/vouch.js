// Fetches an issuer's documents, bounded in time and size, and has the platform verify signatures.

import { within } from "./headers.js";

/** The statuses with which a provider refuses a code, or whoever shows it. */
const REFUSED = [400, 401, 403];

/** Returns the body of a 200 as text, at most `bytesMax`; nothing if the status is in `refused`. Throws on any other status, a redirect included. */
async function bounded(url, init, bytesMax, timeoutMs, refused = []) {
  const answer = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    if (refused.includes(answer.status)) return "";
    throw new Error(`${new URL(url).host} answered ${answer.status}`);
  }
  const bytes = await within(answer.body, bytesMax);
  if (bytes === undefined) throw new Error(`${new URL(url).host} answered more than ${bytesMax} bytes`);
  return new TextDecoder().decode(bytes);
}

const ALGORITHMS = {
  RS256: [{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, { name: "RSASSA-PKCS1-v1_5" }],
  ES256: [
    { name: "ECDSA", namedCurve: "P-256" },
    { name: "ECDSA", hash: "SHA-256" },
  ],
};

export const vouchers = {
  get: (url, bytesMax, timeoutMs) => bounded(url, { headers: { accept: "application/json" } }, bytesMax, timeoutMs),

  /** Sends a form; `authorization` may be empty. Returns nothing if the provider refuses it. */
  post(url, body, authorization, bytesMax, timeoutMs) {
    const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded", ...(authorization && { authorization }) };
    return bounded(url, { method: "POST", headers, body }, bytesMax, timeoutMs, REFUSED);
  },

  /** Whether the key `jwk` made `signature` of `signed`. A key that the platform does not accept has signed nothing. */
  async verify(algorithm, jwk, signature, signed) {
    try {
      const [imported, verified] = ALGORITHMS[algorithm];
      const key = await crypto.subtle.importKey("jwk", JSON.parse(jwk), imported, false, ["verify"]);
      return await crypto.subtle.verify(verified, key, signature, signed);
    } catch {
      return false;
    }
  },
};
