// Tokens made from outside, by whoever holds the secret: an implementation of their form that shares nothing with
// Baton's own, so that attacks can say exactly what they please and the form itself is checked.

import { createHmac } from "node:crypto";

const LABELS = {
  1: "baton-visitor-v1",
  2: "baton-ticket-v1",
  3: "baton-pass-v1",
  4: "baton-farewell-v1",
  7: "baton-desk-v1",
  8: "baton-rehearsal-v1",
};
const HEADER = 6;
const MAC = 32;

const hmac = (key, data) => createHmac("sha256", key).update(data).digest();
const lengthed = (bytes) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** Signs header and payload as they are. */
export function seal(secret, { room, host }, signed) {
  const kind = signed[1];
  const key = hmac(secret, LABELS[kind] ?? `baton-${kind}-v1`);
  const scope = [kind === 1 ? "" : room, host].map((text) => lengthed(Buffer.from(text)));
  return Buffer.concat([signed, hmac(key, Buffer.concat([...scope, lengthed(signed)]))]).toString("base64url");
}

/** A token's parts. */
export function open(token) {
  const bytes = Buffer.from(token, "base64url");
  return { bytes, signed: bytes.subarray(0, -MAC), mac: bytes.subarray(-MAC), payload: bytes.subarray(HEADER, -MAC) };
}

export const keyIdOf = (secret) => hmac(secret, "baton-key-id-v1").subarray(0, 4);

const PASS_ENDS = { fresh: HEADER + 38, lease: HEADER + 46, hard: HEADER + 54 };
const FENCE_AT = HEADER + 12;

/** A pass with other ends (Unix ms, as numbers or BigInt) or another fence, signed anew. */
export function repass(secret, scope, token, { fence, ...ends }) {
  const signed = Buffer.from(open(token).signed);
  for (const [end, atMs] of Object.entries(ends)) signed.writeBigUInt64BE(BigInt.asUintN(64, BigInt(atMs)), PASS_ENDS[end]);
  if (fence !== undefined) signed.writeBigUInt64BE(BigInt(fence), FENCE_AT);
  return seal(secret, scope, signed);
}

/** The same token with one bit turned. */
export function flipped(token, bit) {
  const bytes = Buffer.from(open(token).bytes);
  bytes[bit >> 3] ^= 1 << (bit & 7);
  return bytes.toString("base64url");
}
