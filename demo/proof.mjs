// Baton's proof as the demo shop checks it: the very file that docs/origin/ offers to shops on Node.

import { macOf } from "../docs/origin/baton-proof.mjs";

export { PROOFS_REMEMBERED_MAX, PROOF_SKEW_MAX_MS, ProofChecker } from "../docs/origin/baton-proof.mjs";

/** The text of the `Baton-Proof` header, as Baton would write it. `fence` is decimal, `"0"` where none was needed. */
export function makeProof({ secret, atMs, method, host, path, fence = "0" }) {
  return `v1;t=${atMs};mac=${macOf({ secret, t: String(atMs), method, host, path, fence })}`;
}
