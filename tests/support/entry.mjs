// Entry tokens as a shop signs them, by node's own crypto.

import { createHmac, generateKeyPairSync, sign } from "node:crypto";

/** Keys of a shop: one that it shares with Baton, and one of which Baton has the public half. */
export function shopKeys() {
  const shared = { kid: "shared", alg: "HS256", key: "a key that the shop shares with Baton" };
  const pair = generateKeyPairSync("ed25519");
  const { x } = pair.publicKey.export({ format: "jwk" });
  return { shared, public: { kid: "public", alg: "EdDSA", key: x }, privateKey: pair.privateKey };
}

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token with this header and these claims. `by`: a text for HS256, a private key for EdDSA. */
export function token(header, claims, by) {
  const signed = `${part(header)}.${part(claims)}`;
  const signature = typeof by === "string" ? createHmac("sha256", by).update(signed).digest() : sign(null, Buffer.from(signed), by);
  return `${signed}.${signature.toString("base64url")}`;
}

/** A token of the shared key. */
export function entry(claims, { kid, alg, key } = shopKeys().shared) {
  return token({ alg, kid, typ: "JWT" }, claims, key);
}

/** Claims of somebody for a room at a host, from now on for ten minutes. */
export function claimsOf(sub, host, more = {}) {
  return { sub, aud: `onsale@${host}`, exp: Math.floor(Date.now() / 1000) + 600, ...more };
}
