// Somebody who vouches for people: keys of its own, an OpenID provider by the code flow, and the keys of Access. It counts what it is asked.

import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { startOrigin } from "./world.mjs";

const encoded = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const pair = (kid, /** @type {import("node:crypto").KeyPairKeyObjectResult} */ { privateKey, publicKey }, more = {}) => ({
  kid,
  privateKey,
  publicKey,
  jwk: { ...publicKey.export({ format: "jwk" }), kid, ...more },
});
const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

/**
 * Starts one: `{ url, asked, keys, token(claims, how), say(claims), … }`. `claims` are laid over good ones for Access; `say` sets what its
 * next ID token says besides. `asked` counts calls by path.
 */
export async function startIssuer(
  t,
  /** @type {{ clientId?: string, secret?: string, audience?: string }} */ { clientId = "baton", secret, audience = "the-application" } = {},
) {
  const asked = {};
  const keys = [pair("r1", rsa(), { alg: "RS256", use: "sig" }), pair("e1", ec(), { use: "sig" })];
  const codes = new Map();
  const used = new Set();
  let said = {};
  let broken;
  const { url } = await startOrigin(t, async (request, response) => {
    const { pathname } = new URL(request.url, "http://issuer");
    asked[pathname] = (asked[pathname] ?? 0) + 1;
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = (status, value) => {
      response.statusCode = status;
      response.setHeader("content-type", "application/json");
      response.end(typeof value === "string" ? value : JSON.stringify(value));
    };
    if (broken?.[pathname]) return broken[pathname](response, request);
    if (pathname === "/.well-known/openid-configuration")
      return answer(200, { issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys` });
    if (["/keys", "/cdn-cgi/access/certs"].includes(pathname)) return answer(200, { keys: keys.map(({ jwk }) => jwk) });
    if (pathname !== "/token" || request.method !== "POST") return answer(404, {});
    const form = Object.fromEntries(new URLSearchParams(body));
    const known = codes.get(form.code);
    const basic = secret && `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`;
    const challenge = createHash("sha256")
      .update(form.code_verifier ?? "")
      .digest("base64url");
    const is =
      known && !used.has(form.code) && form.client_id === clientId && form.redirect_uri === known.redirect_uri && challenge === known.code_challenge;
    if (!is || (basic && request.headers.authorization !== basic)) return answer(400, { error: "invalid_grant" });
    used.add(form.code);
    answer(200, {
      token_type: "Bearer",
      access_token: "opaque",
      id_token: issuer.token({ aud: clientId, nonce: known.nonce, email_verified: true, ...said.claims }, said.how),
    });
  });
  const good = () => {
    const s = Math.floor(Date.now() / 1_000);
    return { iss: url, aud: audience, iat: s, nbf: s, exp: s + 300, email: "mika@example.com", sub: "1" };
  };
  const issuer = {
    url,
    asked,
    keys,
    clientId,
    audience,
    access: { issuer: url, audience },
    oidc: { issuer: url, client_id: clientId },
    /** A signed token, by one of `keys`, or by a function of its text. */
    token(
      claims = {},
      /** @type {{ key?: typeof keys[0], alg?: string, kid?: string, by?: (text: string) => Buffer }} */ {
        key = keys[0],
        alg = key === keys[1] ? "ES256" : "RS256",
        kid = key.kid,
        by,
      } = {},
    ) {
      const text = `${encoded({ alg, kid, typ: "JWT" })}.${encoded({ ...good(), ...claims })}`;
      const signature = by ? by(text) : sign("sha256", Buffer.from(text), { key: key.privateKey, dsaEncoding: "ieee-p1363" });
      return `${text}.${Buffer.from(signature).toString("base64url")}`;
    },
    /** A stranger's key of the same name. */
    forged: () => pair("r1", rsa()),
    /** An HMAC with the public key as its secret: what a verifier that lets the token choose would take. */
    hmac: (text) =>
      createHmac("sha256", keys[0].publicKey.export({ type: "spki", format: "pem" }))
        .update(text)
        .digest(),
    /** What ID tokens say from now on, and how they are signed. */
    say(claims, how) {
      said = { claims, how };
    },
    /** By path, what answers in place of the usual. */
    breaks(paths) {
      broken = paths;
    },
    /** Somebody signs in and is sent back: the address of the callback, as the browser would ask for it. */
    allow(question) {
      const { searchParams } = new URL(question);
      const code = randomUUID();
      codes.set(code, Object.fromEntries(searchParams));
      return `${new URL(searchParams.get("redirect_uri")).pathname}?${new URLSearchParams({ code, state: searchParams.get("state") })}`;
    },
  };
  return issuer;
}
