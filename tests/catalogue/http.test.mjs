// Attacks with HTTP itself: headers that lie, caches that remember, addresses that mean something else to somebody.

import assert from "node:assert/strict";
import { eventually, setCookies } from "../runtime/support/world.mjs";
import { SharedCache } from "./cache.mjs";
import { JSON_ONLY, PAGE, PRIVATE, catalogue, each } from "./stage.mjs";

// Without the door, which would tidy paths before the worker sees them.
const row = catalogue({ runtime: { door: false } });
const EVIL = "evil.example";

/** All of an answer, to look for what must not be in it. */
const textOf = ({ rawHeaders, body }) => `${rawHeaders.join("\n")}\n${body}`;

row("c17_no_foreign_host_is_reflected: not in the page, not in a redirect, not in a cookie", { permits: 0 }, async (it) => {
  const lies = {
    "x-forwarded-host": EVIL,
    "x-host": EVIL,
    forwarded: `host=${EVIL}`,
    "x-original-host": EVIL,
    "x-forwarded-server": EVIL,
    referer: `https://${EVIL}/${it.room}/`,
    "x-original-url": `https://${EVIL}/`,
    "x-forwarded-prefix": `//${EVIL}`,
  };
  const visitor = it.visitor();
  await visitor.arrive();
  const cookie = visitor.jar.header();
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const asked = [
    it.raw("x", { headers: { ...PAGE, ...lies } }),
    it.raw("x", { headers: { ...JSON_ONLY, ...lies } }),
    it.raw("x", { headers: { ...PAGE, host: EVIL } }),
    it.raw("x", { headers: { ...PAGE, ...lies, cookie } }),
    it.rawAt(`/__baton/${it.room}/join`, { method: "POST", headers: { ...PAGE, ...form, ...lies, cookie } }),
    it.rawAt(`/__baton/${it.room}/status`, { headers: { ...lies, cookie } }),
    it.rawAt("/__baton/nothing", { headers: lies }),
  ];
  for (const answer of await Promise.all(asked)) assert.doesNotMatch(textOf(answer), /evil/i);
});

row("c18_a_shared_cache_keeps_no_waiting_answer_and_no_cookie: neither a place nor a pass is handed to anybody else", { permits: 2 }, async (it) => {
  it.origin((request, response) => {
    const control = new URL(request.url, "http://x").searchParams.get("control");
    response.writeHead(200, { "cache-control": control, "cdn-cache-control": "max-age=600", "content-type": "text/html" });
    response.end(`for ${request.headers["baton-ticket"]}`);
  });
  const cache = new SharedCache((path, options) => it.rawAt(path, options));
  const ask = (path, headers) => cache.get(it.base + path, { headers: { ...PAGE, host: it.host, ...headers } });
  const shop = "page?control=public,%20max-age=600";
  const walkedIn = await ask(shop);
  const cookies = Object.values(setCookies(walkedIn))
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ");
  assert.match(cookies, /-pass=/);
  assert.deepEqual(cache.kept, [], "the answer with the cookies is kept by no cache, whatever the origin said");
  const second = await ask(shop);
  assert.equal(second.body, "for 2", "the next one asks for herself");
  assert.notEqual(setCookies(second)[it.cookie("pass")]?.value, setCookies(walkedIn)[it.cookie("pass")].value);
  // Both permits are taken now. Waiting answers of every kind go by the cache.
  for (const headers of [PAGE, JSON_ONLY, { accept: "*/*" }]) {
    const waiting = await ask("deep/page", headers);
    assert.deepEqual([waiting.headers["cache-control"], waiting.fromCache], [PRIVATE, false]);
    for (const token of ["cookie", "accept"]) assert.match(waiting.headers.vary.toLowerCase(), new RegExp(token));
  }
  assert.deepEqual(cache.kept, []);
  const admitted = await ask("deep/page", { cookie: cookies });
  assert.equal(admitted.body, "for 1", "who is in sees the shop, not the page that others were shown");
  for (const path of ["join", "status", "claim", "leave"]) await cache.get(`/__baton/${it.room}/${path}`, { headers: { host: it.host } });
  await cache.get("/__baton/health", { headers: { host: it.host } });
  assert.deepEqual(
    cache.kept.filter((path) => path.startsWith("/__baton")),
    [],
  );
});

row("c22_what_cannot_be_read_is_open_to_nobody: malformed escapes, broken UTF-8, endless encoding", { permits: 0 }, async (it) => {
  const malformed = ["%", "%2", "%zz", "x%u12", `%${"25".repeat(40)}63`];
  const odd = [...malformed, "%ff%fe", "%c0%af", "%00", "%u0063", "%F0%9F%98", "\u00ff"];
  const tails = odd.flatMap((tail) => [
    `/${it.room}/${tail}`,
    `/${tail}/../${it.room}/x`,
    `/%63${it.room.slice(1)}/${tail}`,
    `/x/..%2f${it.room}/${tail}`,
  ]);
  // An escape that is none may be any character to a careless decoder; where no room can be meant it goes on (tests/gate/paths.rs).
  for (const path of [...tails, ...["%zz", "x%u"].map((odd) => `/${odd}${it.room.slice(1)}/x`), `/${malformed.at(-1)}`]) {
    const answer = await it.rawAt(Buffer.from(path).toString("latin1"), { headers: JSON_ONLY });
    assert.ok([400, 429].includes(answer.status), `${path}: ${answer.status}`);
  }
  assert.deepEqual(it.hits(), []);
});

row("c68_a_path_in_a_header_is_no_path: the origin is told of none but the one that was judged", {}, async (it) => {
  const names = ["X-Original-URL", "X-Rewrite-URL", "x_original_url", "X-Rewrite.URL", "X-ORIGINAL-URL"];
  const headers = Object.fromEntries(names.map((name) => [name, "/buy/seats"]));
  it.origin((request, response) => response.end(JSON.stringify(request.headers)), "free");
  for (const [path, cookie] of [
    ["/free/page", ""],
    [`${it.base}x`, (await it.holder()).jar.header()],
  ]) {
    const { status, body } = await it.rawAt(path, { headers: { ...JSON_ONLY, ...headers, cookie } });
    assert.equal(status, 200);
    assert.doesNotMatch(body, /seats/, path);
  }
});

row("c69_a_look_stays_a_look: no header makes a change of a GET, a HEAD or a preflight", { permits: 2 }, async (it) => {
  const overrides = { "X-HTTP-Method-Override": "POST", "x-http-method": "PUT", X_Method_Override: "DELETE" };
  const holder = await it.holder();
  const ask = (method, more) => it.raw("x", { method, headers: { ...JSON_ONLY, cookie: holder.jar.header(), ...overrides, ...more } });
  const methods = (hit) => Object.keys(hit.headers).filter((name) => /method.override|http.method/i.test(name));
  for (const method of ["GET", "HEAD", "PUT"]) {
    await ask(method);
    assert.deepEqual(methods(it.hits().at(-1)), [], method);
  }
  await it.raw("x", { method: "OPTIONS", headers: { origin: "https://pay.example", "access-control-request-method": "POST", ...overrides } });
  const preflight = it.hits().at(-1);
  assert.deepEqual([preflight.method, methods(preflight)], ["OPTIONS", []]);
  await ask("POST");
  assert.deepEqual(
    methods(it.hits().at(-1)).sort(),
    ["x-http-method", "x-http-method-override"],
    "with a POST they mean what they always did, but for a name in CGI's spelling",
  );
});

row("c70_batons_headers_in_any_spelling: what CGI reads as one name is one name", {}, async (it) => {
  const holder = await it.holder();
  const spellings = [
    "Baton-Fence",
    "Baton_Fence",
    "Baton.Fence",
    "Baton!Fence",
    "BATON~FENCE",
    "baton'room",
    "Baton+Ticket",
    "baton^proof",
    "baton|ends-at-ms",
  ];
  const lies = Object.fromEntries(spellings.map((name) => [name, "999"]));
  await it.raw("x", { headers: { ...JSON_ONLY, cookie: holder.jar.header(), ...lies, X_Forwarded_Host: EVIL, "X.Forwarded.Proto": "gopher" } });
  const { headers } = it.hits().at(-1);
  const ours = Object.keys(headers)
    .filter((name) => /^baton/.test(name))
    .sort();
  assert.deepEqual(ours, ["baton-edition", "baton-ends-at-ms", "baton-fence", "baton-proof", "baton-room", "baton-target", "baton-ticket"]);
  assert.doesNotMatch(JSON.stringify(headers), /999\b|gopher|evil/);
});

row("c71_connection_names_no_header_away: hop-by-hop is between two hops", {}, async (it) => {
  const holder = await it.holder();
  const named = "close, Baton-Proof, Baton-Fence, Baton-Room, Cookie, X-Forwarded-Host";
  const hop = { connection: named, "keep-alive": "timeout=9", "proxy-authorization": "Basic eA==", te: "trailers", "proxy-connection": named };
  const answer = await it.raw("x", { headers: { ...JSON_ONLY, cookie: `${holder.jar.header()}; shop=1`, ...hop } });
  assert.equal(answer.status, 200);
  const { headers } = it.hits().at(-1);
  for (const name of ["baton-proof", "baton-fence", "baton-room", "cookie", "x-forwarded-host"]) assert.ok(headers[name], `${name} arrived`);
  assert.doesNotMatch(headers.connection ?? "", /baton|cookie|forwarded/i, "nor is the origin asked to drop them");
});

row("c72_nothing_of_the_address_is_shown: no markup from path, query, cookie, language or room name", { permits: 0 }, async (it) => {
  const script = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{status}}";
  const visitor = it.visitor();
  await visitor.arrive();
  const headers = { ...PAGE, "accept-language": script, "user-agent": script, referer: script, cookie: `${visitor.jar.header()}; x=${script}` };
  for (const path of [`x?q=${encodeURIComponent(script)}`, "x?q='\"{{room}}", "%3Cscript%3Ealert(1)%3C/script%3E"]) {
    const { status, body, headers: sent } = await it.raw(path, { headers });
    if (status === 400) continue; // the runtime takes no such address
    assert.equal(status, 200, path);
    assert.doesNotMatch(body, /alert\(1|onerror|\{\{/);
    assert.match(sent["content-security-policy"], /default-src 'none'; script-src 'self'/);
  }
  for (const path of ["/__baton/<script>alert(1)</script>/status", "/__baton/%3Cscript%3E/join"]) {
    assert.doesNotMatch((await it.rawAt(path)).body, /<script/);
  }
});

row("c73_no_way_back_leads_elsewhere: a form's Referer is this room's page or nothing", { permits: 0 }, async (it) => {
  const visitor = it.visitor();
  await visitor.arrive();
  const origin = `http://${it.host}`;
  const inside = `${it.room}/x`;
  const tricks = [
    `${origin}//${EVIL}/${inside}`,
    `${origin}/\t/${EVIL}/..;/${inside}`,
    `${origin}/\\${EVIL}/..;/${inside}`,
    `${origin}@${EVIL}/${inside}`,
    `${origin}.${EVIL}/${inside}`,
    `https://${it.host}/${inside}`,
    `javascript:alert(1)//${inside}`,
    `${origin}/ /${EVIL}/..;/${inside}`,
    `//${EVIL}/${inside}`,
  ];
  for (const referer of tricks) {
    const answer = await it.rawAt(`/__baton/${it.room}/join`, {
      method: "POST",
      headers: { ...PAGE, "content-type": "application/x-www-form-urlencoded", cookie: visitor.jar.header(), referer },
    });
    assert.deepEqual([answer.status, answer.headers.location], [303, it.base], JSON.stringify(referer));
  }
});

row("c74_a_hostile_page_reads_nothing: no CORS, no frame, no sniffing, no referrer to others", { permits: 0 }, async (it) => {
  const headers = { origin: `https://${EVIL}`, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
  const paths = [
    `${it.base}x`,
    `/__baton/${it.room}/status`,
    `/__baton/${it.room}/join`,
    "/__baton/health",
    "/__baton/metrics",
    "/__baton/admin/rooms",
  ];
  for (const path of paths) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const preflight = method === "OPTIONS" ? { "access-control-request-method": "POST", "access-control-request-headers": "x-a" } : {};
      if (path.startsWith(it.base) && method === "OPTIONS") continue; // the origin's own affair, see c21
      const answer = await it.rawAt(path, { method, headers: { ...headers, ...preflight } });
      const allowed = Object.keys(answer.headers).filter((name) => name.startsWith("access-control"));
      assert.deepEqual(allowed, [], `${method} ${path}`);
      assert.equal(answer.headers["x-content-type-options"], "nosniff", `${method} ${path}`);
    }
  }
  const page = await it.raw("x", { headers: PAGE });
  assert.match(page.headers["content-security-policy"], /frame-ancestors 'self'/);
  assert.equal(page.headers["referrer-policy"], "same-origin");
});

row("c75_methods_with_tricks: lower case, TRACE, nonsense of any length", { permits: 0 }, async (it) => {
  for (const method of ["TRACE", "PATCH", "PURGE", "MKCOL", "REPORT", "LOCK", "SEARCH"]) {
    const answer = await it.raw("x", { method, headers: { ...JSON_ONLY, cookie: "secret=1" } });
    assert.ok([429, 405, 501].includes(answer.status), `${method}: ${answer.status}`);
    assert.doesNotMatch(textOf(answer), /secret=1/, `${method} echoes nothing`);
  }
  assert.deepEqual(it.hits(), []);
});

row("c76_prefetches_under_every_name: no number, no permit", { permits: 5 }, async (it) => {
  const names = [
    ["sec-purpose", "prefetch"],
    ["sec-purpose", "prefetch;prerender"],
    ["Purpose", "Prefetch"],
    ["x-purpose", "preview"],
    ["x-moz", "prefetch"],
    ["sec-purpose", "prerender"],
    ["x-sec-purpose", "prefetch"],
    ["vnd.prefetch", "true"],
    ["next-router-prefetch", "1"],
  ];
  for (const [name, value] of names) {
    const answer = await it.raw("x", { headers: { ...PAGE, [name]: value } });
    assert.equal(answer.headers["baton-state"], "waiting", `${name}: ${value}`);
  }
  const { hand, tray, next_number: next } = await it.report();
  assert.deepEqual([hand + tray, next], [5, 1]);
});

row("c77_huge_headers: a language, an accept, a referer, a user agent of 12 KB each", { permits: 0 }, async (it) => {
  const long = (text) => text.repeat(Math.ceil(12_000 / text.length));
  const visitor = it.visitor();
  await visitor.arrive();
  for (const [name, text] of [
    ["accept-language", "xx-YY;q=0.1,"],
    ["accept", "a/b;q=0.9,"],
    ["referer", "http://a/"],
    ["user-agent", "x"],
    ["sec-purpose", "a,"],
    ["x-any", "y"],
  ]) {
    const startedAt = Date.now();
    const answer = await it.raw("x", { headers: { ...PAGE, cookie: visitor.jar.header(), [name]: long(text) } });
    assert.ok([200, 429].includes(answer.status), `${name}: ${answer.status}`);
    assert.ok(Date.now() - startedAt < 3_000, name);
  }
});

row(
  "c78_an_origins_word_counts_once_and_for_its_own: release and extend in odd forms, on other paths, for others",
  { permits: 2, lease_max_s: 600, lease_extend_max_s: 60 },
  async (it) => {
    const holder = await it.holder();
    let says = {};
    it.origin((request, response) => response.writeHead(200, says).end("ok"));
    // On a path of no room `1`, or the room's name, would give this very lease back.
    it.origin((request, response) => response.writeHead(200, { "baton-release": "another-room" }).end("ok"), "free");
    const odd = [
      { "baton-release": "0" },
      { "baton-release": "true" },
      { "baton-release": "1, 0" },
      { "baton-extend": "99999999999999999999" },
      { "baton-extend": "-60" },
      { "baton-extend": "1e9" },
    ];
    for (says of odd) assert.equal((await holder.request(`${it.base}x`)).status, 200, JSON.stringify(says));
    const free = await holder.request("/free/page", { headers: { "baton-fence": "1" } });
    assert.deepEqual([free.status, free.headers["baton-release"], free.headers["set-cookie"]], [200, undefined, undefined]);
    assert.equal((await it.report()).inside, 1, "the lease is there");
    // The origin's own release goes by the lease of the request, whatever fence a client claims.
    const other = await it.holder();
    says = { "baton-release": "1" };
    await holder.request(`${it.base}x`, { headers: { "baton-fence": "2", "baton-ticket": "2" } });
    says = {};
    await eventually(async () => (await it.report()).inside === 1, { what: "one release" });
    assert.equal((await other.arrive()).status, 200);
    assert.equal((await other.status()).json.state, "admitted");
  },
);

row("c79_names_that_are_no_rooms: prototypes, neighbours, traversal", { permits: 0 }, async (it) => {
  for (const name of [
    "__proto__",
    "constructor",
    "toString",
    "..",
    ".",
    "%2e%2e",
    it.room.toUpperCase(),
    `${it.room}%00`,
    `${it.room}x`,
    "a".repeat(5_000),
    "admin",
    "static",
    "_",
  ]) {
    for (const call of ["status", "join", "socket"]) {
      const answer = await it.rawAt(`/__baton/${name}/${call}`, { method: call === "join" ? "POST" : "GET" });
      // What is sent as `/status` is a path of the site's own, and no call at all.
      const isAnother = ["..", ".", "%2e%2e"].includes(name);
      assert.ok(
        [404, 401, 405, 400].includes(answer.status) || (isAnother && it.hits(call).length > 0),
        `${name.slice(0, 20)}/${call}: ${answer.status}`,
      );
    }
  }
  for (const file of ["../../etc/passwd", "..%2f..%2fwrangler.toml", "%2e%2e/%2e%2e/index.js", ".hidden", "page.en.html/..", "\\..\\x"]) {
    const answer = await it.rawAt(`/__baton/static/${file}`);
    assert.ok([404, 400].includes(answer.status) || it.hits("etc").length > 0 || it.hits("index.js").length > 0, `${file}: ${answer.status}`);
    assert.doesNotMatch(answer.body, /root:|criticalError/);
  }
});

row("c80_numbers_in_the_query: a wait of any size is a number or a 400, the answer comes in time", { permits: 0 }, async (it) => {
  const waiter = await it.waiter();
  for (const wait of ["-1", "1.5", "1e3", "NaN", "0x10", "18446744073709551616", "٣", "5%00", "+5", ""]) {
    const answer = await waiter.call(`status?wait_s=${wait}`);
    assert.deepEqual([answer.status, answer.error], [400, "bad_request"], `wait_s=${wait}`);
  }
  const startedAt = Date.now();
  assert.equal((await waiter.call("status?wait_s=0&wait_s=25")).status, 200);
  assert.ok(Date.now() - startedAt < 5_000, "the first counts");
});

row("c81_upgrades_to_anything_else: no tunnel, and the origin sees no such wish without a pass", { permits: 0 }, async (it) => {
  for (const protocol of ["h2c", "TLS/1.0", "websocket, h2c", "connect-udp", "WebSocket"]) {
    const headers = {
      ...JSON_ONLY,
      connection: "Upgrade, HTTP2-Settings",
      upgrade: protocol,
      "http2-settings": "AAMAAABkAAQAAP__",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    const answer = await it.raw("x", { headers });
    assert.ok([400, 426, 429].includes(answer.status), `${protocol}: ${answer.status}`);
  }
  assert.deepEqual(it.hits(), []);
});

row("c82_the_gate_does_not_look_at_the_body: a form that says GET, a method field, multipart junk", { permits: 0 }, async (it) => {
  const types = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json", "text/plain", ""];
  await each(
    types,
    async (type) => {
      await it.refused("x", { method: "POST", body: `_method=GET&pass=1${"x".repeat(50_000)}`, headers: { "content-type": type } }, type);
    },
    3,
  );
});

row("c83_what_the_health_page_says: that it lives, and nothing of rooms, versions, secrets", {}, async (it) => {
  const health = await it.rawAt("/__baton/health");
  assert.deepEqual([health.status, JSON.parse(health.body)], [200, { status: "ok" }]);
  const answers = [health, await it.raw("x", { headers: PAGE }), await it.rawAt("/__baton/metrics"), await it.rawAt("/__baton/admin/rooms")];
  for (const { headers } of answers) {
    for (const name of ["server", "x-powered-by", "via", "baton-version"]) assert.equal(headers[name], undefined, name);
  }
});

row("c84_the_operators_token_only_in_its_place: not in the query, a cookie, another scheme or header", {}, async (it) => {
  const token = it.secrets.BATON_ADMIN_TOKEN;
  const ways = [
    ["?token=", {}],
    ["", { cookie: `baton-admin=${token}` }],
    ["", { authorization: token }],
    ["", { authorization: `Basic ${token}` }],
    ["", { "x-api-key": token }],
    ["", { authorization: `Bearer ${token}x` }],
    ["", { authorization: `Bearer ${token.toUpperCase()}` }],
    ["", { authorization: `Bearer ${token.slice(0, -1)}` }],
    ["", { authorization: "Bearer" }],
    ["", { authorization: `Bearer ${"x".repeat(10_000)}` }],
    ["", { authorization: `Bearer ${token}, Bearer ${token}` }],
  ];
  // Each way from an address of its own: guesses are slowed.
  for (const path of ["/__baton/metrics", "/__baton/admin/rooms", `/__baton/admin/rooms/${it.room}/journal`]) {
    for (const [at, [query, headers]] of ways.entries()) {
      const answer = await it.rawAt(`${path}${query && query + token}`, { headers: { ...headers, "cf-connecting-ip": `203.0.113.${at}` } });
      assert.equal(answer.status, 401, `${path} ${JSON.stringify(headers).slice(0, 60)}`);
    }
  }
});

row("c40_two_edits_at_once: one is made, the other is told that it came second; nonsense changes nothing", { permits: 3 }, async (it) => {
  const authorization = `Bearer ${it.secrets.BATON_ADMIN_TOKEN}`;
  const path = `/__baton/admin/rooms/${it.room}`;
  const edit = (body, headers) =>
    it.rawAt(path, { method: "PATCH", body, headers: { authorization, "content-type": "application/json", ...headers } });
  const before = await it.report();
  const { etag } = (await it.rawAt(path, { headers: { authorization } })).headers;
  assert.equal((await edit('{"permits":9}', { authorization: "Bearer x" })).status, 401);
  for (const permits of ["-1", "NaN", "18446744073709551616", '"ten"', "1.5", "[]", "{}"]) {
    assert.equal((await edit(`{"permits":${permits}}`, { "if-match": etag })).status, 400, permits);
  }
  assert.equal((await it.report()).permits, before.permits);
  const both = await Promise.all([4, 5].map((permits) => edit(`{"permits":${permits}}`, { "if-match": etag })));
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
  const winner = 4 + both.findIndex(({ status }) => status === 200);
  assert.equal((await it.report()).permits, winner);
});

row("c85_journal_pages_at_odd_places: 400, never another room's rows", { permits: 1 }, async (it) => {
  await it.holder();
  const ask = (after) =>
    it.rawAt(`/__baton/admin/rooms/${it.room}/journal?after=${after}`, { headers: { authorization: `Bearer ${it.secrets.BATON_ADMIN_TOKEN}` } });
  for (const after of ["-1", "1.5", "18446744073709551616", "x", "0%27%20OR%201=1", "99999999"]) {
    assert.equal((await ask(after)).status, 400, after);
  }
  const lines = (await ask(0)).body
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(lines[0].room, it.room);
});

row("c102_a_link_that_carries_a_place: guessed, altered, shown, looked at by a preview", { permits: 0, carry_within_s: 120 }, async (it) => {
  const owner = await it.waiter();
  const offered = await owner.call("carry", { method: "POST" });
  assert.equal(offered.status, 200, offered.body);
  const { url } = offered.json;
  const code = url.slice(url.lastIndexOf("/") + 1);
  assert.ok(Buffer.from(code, "base64url").length >= 16, "nobody guesses it");
  const thief = it.visitor();
  await thief.arrive();
  const cookie = thief.jar.header();
  const take = (at) => it.rawAt(at, { method: "POST", headers: { ...JSON_ONLY, cookie } });
  const altered = Array.from(code, (char, at) => `${code.slice(0, at)}${char === "A" ? "B" : "A"}${code.slice(at + 1)}`);
  for (const bad of [...altered, code.slice(0, -1), `${code}A`, `${code}=`, "", "x".repeat(5_000)]) {
    const answer = await take(`/__baton/${it.room}/carry/${bad}`);
    assert.ok([404, 405, 410].includes(answer.status), `${bad.slice(0, 60)}: ${answer.status}`);
  }
  assert.equal((await take(`/__baton/c40/carry/${code}`)).status, 410, "another room's");
  for (const [method, more] of [
    ["GET", PAGE],
    ["HEAD", PAGE],
    ["GET", { ...PAGE, "sec-purpose": "prefetch" }],
    ["OPTIONS", { origin: `https://${EVIL}`, "access-control-request-method": "POST" }],
  ]) {
    const answer = await it.rawAt(url, { method, headers: { ...more, cookie } });
    assert.equal(answer.headers["cache-control"], PRIVATE, method);
    assert.equal(answer.headers["access-control-allow-origin"], undefined, method);
    assert.equal(answer.status, "access-control-request-method" in more ? 405 : "sec-purpose" in more ? 503 : 200, method);
    if (method === "GET" && answer.status === 200) assert.match(answer.headers["referrer-policy"], /same-origin|no-referrer/);
  }
  const foreign = await it.rawAt(url, { method: "POST", headers: { ...JSON_ONLY, cookie, origin: `https://${EVIL}` } });
  assert.equal(foreign.status, 403);
  assert.deepEqual([(await owner.status()).json.state, (await owner.status()).json.number], ["waiting", owner.number], "the place is where it was");
  assert.ok(!it.rt.logs().includes(code), "the code is in no log");
});
