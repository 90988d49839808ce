/* Makes an operator's token in the browser, as `npm run operator-token` does. Baton is sent its hash and never sees the token. */

const BYTES = 32;

/** Returns whether this page can make a token. Browsers have what it takes only on https and on localhost. */
export const canMake = () => Boolean(globalThis.crypto?.subtle);

/** Resolves to `{ token, sha256 }`: 32 random bytes as base64url, and the hash of that text in hexadecimal digits. */
export async function makeToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  const token = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)));
  return { token, sha256: [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("") };
}
