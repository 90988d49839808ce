// Tells whether a request really came through Baton: the check of `Baton-Proof` inside nginx, by its JavaScript module (njs).
// nginx-njs.conf shows where it goes. The secret is in the environment of nginx, in ORIGIN_SECRET.
//
// nginx keeps no list of proofs that were seen: that a proof counts once, for methods that change something, is `limit_req`'s
// part. It forgets after a minute, so here a proof may be half a minute off at most, in either direction.

import crypto from "crypto";

const SKEW_MAX_MS = 30000;
const SHAPE = /^v1;t=(0|[1-9]\d{0,14});mac=([0-9a-f]{64})$/;

function sameMac(a, b) {
  let differs = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) differs |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return differs === 0;
}

/** 204 for what is genuine, 403 for the rest: the answer to `auth_request`. `$baton_hosts` names the visitors' hosts. */
function check(r) {
  const asked = r.variables;
  const shape = SHAPE.exec(asked.http_baton_proof || "");
  const secret = process.env.ORIGIN_SECRET;
  if (!shape || !secret) return r.return(403);
  const fence = asked.http_baton_fence || "0";
  const isGenuine = asked.baton_hosts.split(" ").some((host) => {
    const lines = ["baton-proof-v1", shape[1], asked.request_method, host.toLowerCase(), asked.request_uri, fence];
    return sameMac(shape[2], crypto.createHmac("sha256", secret).update(lines.join("\n")).digest("hex"));
  });
  const isFresh = Math.abs(Date.now() - Number(shape[1])) <= SKEW_MAX_MS;
  return r.return(isGenuine && isFresh ? 204 : 403);
}

export default { check };
