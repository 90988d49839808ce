// Tells whether a request really came through Baton: the check of `Baton-Proof` inside nginx, by its JavaScript module (njs).
// nginx-njs.conf shows where it goes. The secret is in the environment of nginx, in ORIGIN_SECRET.
//
// nginx keeps no list of proofs that were seen: that a proof counts once, for methods that change something, is `limit_req`'s
// part. It forgets after a minute, so here a proof may be half a minute off at most, in either direction.

import crypto from "crypto";

const SKEW_MAX_MS = 30000;
const SHAPE = /^v1;t=(0|[1-9]\d{0,14});n=([0-9a-f]{16});mac=([0-9a-f]{64})$/;

function sameMac(a, b) {
  let differs = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) differs |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return differs === 0;
}

/** Whether it is genuine: `null`, or why not. `$baton_hosts` names the visitors' hosts. */
function judge(asked) {
  const shape = SHAPE.exec(asked.http_baton_proof || "");
  const secret = process.env.ORIGIN_SECRET;
  if (!shape || !secret) return "missing or malformed";
  // Without destructuring, which njs before 0.8 does not know.
  const t = shape[1];
  const nonce = shape[2];
  const mac = shape[3];
  const fence = asked.http_baton_fence || "0";
  const room = asked.http_baton_room || "";
  const isGenuine = asked.baton_hosts.split(" ").some((host) => {
    const lines = ["baton-proof-v1", t, nonce, asked.request_method, host.toLowerCase(), asked.request_uri, room, fence];
    return sameMac(mac, crypto.createHmac("sha256", secret).update(lines.join("\n")).digest("hex"));
  });
  if (!isGenuine) return "wrong";
  return Math.abs(Date.now() - Number(t)) <= SKEW_MAX_MS ? null : "late";
}

/** 204 for what is genuine, 403 for the rest: the answer to `auth_request`. With `$baton_report_only` it only says so. */
function check(r) {
  const why = judge(r.variables);
  if (why === null) return r.return(204);
  if (r.variables.baton_report_only !== "on") return r.return(403);
  // As an error: nginx's log leaves warnings out unless it is told otherwise.
  r.error(`baton: would refuse ${r.variables.request_method} ${JSON.stringify(r.variables.request_uri)} (${why})`);
  return r.return(204);
}

export default { check };
