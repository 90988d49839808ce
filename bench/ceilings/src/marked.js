// The headers that Baton's contract requires, as constants: those of a forwarded request (docs/protocol.md) and those of a waiting page, set in as
// few calls as Baton makes. Nothing is read, checked or signed.

const FORWARDED = [
  ["Cookie", "shop=1"],
  ["X-Forwarded-Host", "127.0.0.1:8787"],
  ["X-Forwarded-Proto", "http"],
  ["Baton-Room", "in"],
  ["Baton-Ticket", "1234"],
  ["Baton-Edition", "1"],
  ["Baton-Fence", "1234"],
  ["Baton-Ends-At-Ms", "1795246000000"],
  ["Baton-Proof", `v1;t=1795246000000;n=0123456789abcdef;mac=${"0".repeat(64)}`],
  ["Baton-Target", "/in/page"],
];

const PAGE = [
  ["Baton-State", "waiting"],
  ["Cache-Control", "private, no-store"],
  ["Content-Language", "en"],
  [
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
  ],
  ["Content-Type", "text/html; charset=utf-8"],
  ["Referrer-Policy", "same-origin"],
  ["Set-Cookie", `baton-visitor=${"A".repeat(86)}; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax`],
  ["Vary", "Accept, Accept-Language, Baton-Credentials, Cookie, Sec-Fetch-Dest"],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "SAMEORIGIN"],
  ["X-Robots-Tag", "noindex"],
];

export function forwardMarked(request, url) {
  const marked = new Request(url, request);
  const { headers } = marked;
  for (const [name, value] of FORWARDED) headers.set(name, value);
  return fetch(marked);
}

export function constantPage(bytes) {
  const headers = new Headers();
  for (const [name, value] of PAGE) headers.append(name, value);
  return new Response(bytes.slice(), { headers });
}
