// Baton's proof as the demo shop checks it: the very file that docs/origin/ offers to shops on Node.

import { macOf } from "../docs/origin/baton-proof.mjs";

export { PROOFS_REMEMBERED_MAX, PROOF_SKEW_MAX_MS, ProofChecker } from "../docs/origin/baton-proof.mjs";

let last = 0n;
/** Another number for each proof, as 16 hex digits. */
const nextNonce = () => ((last += 1n), last.toString(16).padStart(16, "0"));

/**
 * The text of the `Baton-Proof` header, as Baton would write it. `fence` is decimal, `"0"` where none was needed; `room` is
 * what stands in `Baton-Room`, empty where there is none.
 */
export function makeProof({ secret, atMs, method, host, path, room = "", fence = "0", nonce = nextNonce() }) {
  return `v1;t=${atMs};n=${nonce};mac=${macOf({ secret, t: String(atMs), nonce, method, host, path, room, fence })}`;
}
