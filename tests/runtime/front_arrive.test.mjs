// Who comes without a pass: walked in, claimed, joined, or shown the waiting answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, passTimes, raw, setCookies, startOrigin, startWorld } from "./support/world.mjs";

const VISITOR = "baton-visitor";
const TICKET = "baton-onsale-ticket";
const PASS = "baton-onsale-pass";
const PAGE = { accept: "text/html,*/*;q=0.8" };
const JSON_ONLY = { accept: "application/json" };

test("who comes first walks in, with all three cookies, and the lease is for real once the cookie came back", async (t) => {
  const world = await startWorld(t, { room: { claim_within_s: 20 } });
  const visitor = world.visitor();
  const before = Date.now();
  const first = await visitor.arrive("/buy/echo");
  assert.equal(first.state, "shop");
  const cookies = setCookies(first);
  assert.deepEqual(Object.keys(cookies).sort(), [PASS, TICKET, VISITOR]);
  for (const { attributes } of Object.values(cookies)) assert.ok(attributes.includes("HttpOnly") && attributes.includes("Path=/"));
  assert.match(first.headers["cache-control"], /no-store/);
  const provisional = Number(first.json.headers["baton-ends-at-ms"]) - before;
  assert.ok(provisional <= 20_500, `until then it lasts only claim_within_s, not ${provisional} ms`);
  await eventually(
    async () => {
      const { json } = await visitor.arrive("/buy/echo");
      assert.equal(json.headers["baton-fence"], first.json.headers["baton-fence"]);
      return Number(json.headers["baton-ends-at-ms"]) - before > 200_000;
    },
    { what: "the lease's confirmation" },
  );
});

for (const [what, speaks] of [
  ["asks how things are, as keep.js does", (visitor) => visitor.status()],
  ["opens a socket", (visitor) => visitor.openSocket()],
]) {
  test(`whoever walks in, ${what} and then reads for long still books, and the next gets in then`, async (t) => {
    const world = await startWorld(t, { room: { permits: 1, claim_within_s: 1, lease_idle_s: 60 } });
    const [reader, next] = [world.visitor(), world.visitor()];
    assert.equal((await reader.arrive()).state, "shop");
    const { provisional, leaseEnds } = passTimes(reader.cookie("pass"));
    assert.ok(provisional);
    await speaks(reader);
    const { json } = await reader.status();
    assert.equal(json.state, "admitted");
    assert.ok(json.ends_at_ms > leaseEnds + 20_000, "the lease is one like everybody's");
    await next.status();
    assert.equal((await next.arrive()).state, "waiting");
    await eventually(() => Date.now() > leaseEnds + 1_000, { what: "a walk-in's end without its cookie" });
    assert.equal((await next.arrive()).state, "waiting", "the permit is still the reader's");
    const { booking, status } = await reader.book();
    assert.ok(booking, `it books (${status})`);
    await eventually(async () => (await next.arrive()).state === "shop", { what: "the next one's turn" });
    reader.closeSocket();
  });
}

test("c55_six_requests_at_once: a client without cookies takes permits, but no ticket is left in the line", async (t) => {
  const world = await startWorld(t, { room: { permits: 2, claim_within_s: 1 } });
  const answers = await Promise.all(Array.from({ length: 6 }, () => raw(world.baton.port, "/buy/", { headers: PAGE })));
  const inside = answers.filter(({ headers }) => headers["baton-state"] === undefined);
  assert.ok(inside.length <= 2);
  const visitor = world.visitor();
  await eventually(async () => (await visitor.arrive()).state === "shop", { what: "a permit that came back after claim_within_s" });
});

test("c24_the_waiting_answer_is_whole: the page at that same URL, a visitor's name, and nobody is enrolled", async (t) => {
  const world = await startWorld(t, { room: { permits: 0 } });
  const page = await raw(world.baton.port, "/buy/seats?x=1", {
    headers: { ...PAGE, "if-none-match": "*", range: "bytes=0-1", "accept-language": "ja" },
  });
  assert.equal(page.status, 200);
  assert.deepEqual(Object.keys(setCookies(page)), [VISITOR]);
  assert.equal(page.headers["baton-state"], "waiting");
  assert.equal(page.headers["cache-control"], "private, no-store");
  assert.equal(page.headers["content-language"], "ja");
  assert.match(page.headers["content-type"], /^text\/html; charset=utf-8$/i);
  assert.match(page.headers["content-security-policy"], /default-src 'none'.*frame-ancestors 'self'/);
  assert.equal(page.headers["referrer-policy"], "same-origin");
  assert.match(page.headers.vary, /Cookie/);
  assert.equal(page.headers.etag, undefined);
  assert.match(page.body, /data-state="arriving"/);
  assert.match(page.body, /<\/html>\s*$/, "the whole page");
  assert.equal((await (await fetch(`${world.shop.url}/shop/stats`)).json()).admitted ?? 0, 0);
  const visitor = world.visitor();
  await visitor.arrive();
  assert.equal((await visitor.arrive()).number, 1, "the first number is the first who came back with the cookie");
});

test("without JavaScript: a refresh with the cookie joins, the next shows the same place, and the called one goes in", async (t) => {
  const world = await startWorld(t, { room: { permits: 1 } });
  const holder = world.visitor();
  await holder.arrive();
  await holder.arrive();
  const waiter = world.visitor();
  assert.equal((await waiter.arrive()).status_object.state, "none");
  const joined = await waiter.arrive();
  assert.deepEqual([joined.status_object.state, joined.number], ["waiting", 2]);
  assert.ok(setCookies(joined)[TICKET]);
  assert.match(joined.body, /data-state="waiting"/);
  assert.match(joined.body, /data-number="2"/);
  const again = await waiter.arrive();
  assert.equal(again.number, 2);
  assert.equal(setCookies(again)[TICKET], undefined, "the cookie it showed is still right");
  await holder.leave();
  const landed = await eventually(async () => {
    const answer = await waiter.arrive("/buy/echo");
    return answer.state === "shop" && answer;
  });
  assert.equal(landed.json.headers["baton-ticket"], "2");
  assert.ok(setCookies(landed)[PASS]);
});

test("c21_the_answer_suits_who_asks: HEAD, POST, a script's request, a prefetch", async (t) => {
  const world = await startWorld(t, { room: { permits: 0, waiting_status: 503 } });
  const visitor = world.visitor();
  await visitor.arrive();
  const { port } = world.baton;
  const known = { cookie: visitor.jar.header() };
  const head = await raw(port, "/buy/", { method: "HEAD", headers: { ...PAGE, ...known } });
  assert.deepEqual([head.status, head.body, head.headers["baton-state"]], [503, "", "waiting"]);
  assert.equal(setCookies(head)[TICKET], undefined, "HEAD takes no number");
  const post = await raw(port, "/buy/book", { method: "POST", headers: { ...PAGE, ...known, origin: "https://bank.example" }, body: "seats=1" });
  assert.equal(post.status, 429);
  assert.match(post.body, /data-notice="not_submitted"/);
  assert.equal(setCookies(post)[TICKET], undefined, "and POST neither");
  const script = await raw(port, "/buy/api", { headers: { ...JSON_ONLY, ...known } });
  assert.equal(script.status, 429);
  assert.ok(Number(script.headers["retry-after"]) > 0);
  const { retry_after_s, ...rest } = JSON.parse(script.body);
  assert.deepEqual(rest, { state: "waiting", room: "onsale", join: "/__baton/onsale/join", enter: "/__baton/onsale/enter" });
  assert.equal(String(retry_after_s), script.headers["retry-after"]);
  const prefetch = await raw(port, "/buy/", { headers: { ...PAGE, ...known, "sec-purpose": "prefetch" } });
  assert.deepEqual([prefetch.status, setCookies(prefetch)[TICKET]], [503, undefined]);
  assert.ok(Number(prefetch.headers["retry-after"]) > 0);
  const page = await raw(port, "/buy/", { headers: { ...PAGE, ...known } });
  assert.deepEqual([page.status, Boolean(setCookies(page)[TICKET])], [503, true], "a page joins");
});

test("c21_a_prefetch_gets_nothing: no permit, with or without cookies", async (t) => {
  const world = await startWorld(t);
  const visitor = world.visitor();
  const first = await visitor.arrive("/buy/", { headers: { "sec-purpose": "prefetch;prerender" } });
  assert.equal(first.state, "waiting");
  assert.equal((await visitor.arrive("/buy/", { headers: { purpose: "prefetch" } })).state, "waiting");
  assert.equal(visitor.cookie("ticket"), undefined);
  assert.equal((await visitor.arrive("/buy/")).number, 1);
});

test("c21_a_body_without_a_pass_is_not_read: a slow upload is answered before it ends", async (t) => {
  const world = await startWorld(t, { room: { permits: 0 } });
  const http = await import("node:http");
  const { once } = await import("node:events");
  const request = http.request(`${world.baton.url}/buy/book`, { method: "POST", headers: { ...PAGE, "content-length": 1_000_000 }, agent: false });
  request.on("error", () => {});
  request.write("x");
  const [response] = await once(request, "response");
  assert.equal(response.statusCode, 429);
  request.destroy();
});

test("after `no walk-in` first requests are not asked about for a tick; whoever shows the cookie is", async (t) => {
  const token = "operator-operator-operator-operator";
  const world = await startWorld(t, { room: { permits: 1, tick_ms: 60_000, claim_within_s: 60 }, vars: { BATON_ADMIN_TOKEN: token } });
  const holder = world.visitor();
  await holder.arrive();
  await holder.arrive();
  assert.equal((await world.visitor().arrive()).state, "waiting");
  // The operator frees the permit, so that the front does not hear of it: what a lobby says to anybody is remembered for all.
  const freed = await world.raw(`/__baton/admin/rooms/onsale/tickets/${holder.number}/release`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(freed.status, 204);
  const unasked = world.visitor();
  assert.equal((await unasked.arrive()).state, "waiting", "a permit is free again, but nobody was asked");
  assert.equal((await unasked.arrive()).state, "shop", "with the cookie it is asked");
});

test("walk_in = false: everybody takes a number first", async (t) => {
  const world = await startWorld(t, { room: { walk_in: false } });
  const visitor = world.visitor();
  assert.equal((await visitor.arrive()).state, "waiting");
  const joined = await visitor.arrive();
  assert.deepEqual([joined.state, joined.number], ["waiting", 1]);
  await eventually(async () => (await visitor.arrive()).state === "shop");
});

test("paused: nobody walks in, the line forms, and the page says the operator's text for it in the visitor's language", async (t) => {
  const page_texts = { any: { paused: "We go on at three." }, ja: { paused: "三時に再開します。" } };
  const world = await startWorld(t, { room: { mode: "paused", page_texts } });
  const visitor = world.visitor();
  await visitor.arrive();
  const joined = await visitor.arrive();
  assert.deepEqual([joined.status_object.state, joined.status_object.mode, joined.number], ["waiting", "paused", 1]);
  const japanese = await visitor.arrive("/buy/", { headers: { "accept-language": "ja" } });
  for (const [{ body }, text] of [
    [joined, "We go on at three."],
    [japanese, "三時に再開します。"],
  ]) {
    assert.match(body, /data-mode="paused" data-unsaid="paused"/);
    assert.ok(body.includes(`data-note="unsaid">${text}</p>`), text);
  }
});

test("bypass: everybody goes through without a permit, whatever they send", async (t) => {
  const world = await startWorld(t, { room: { mode: "bypass", permits: 0 } });
  const { port } = world.baton;
  for (let i = 0; i < 3; i += 1) {
    const answer = await raw(port, "/buy/echo", { method: i ? "POST" : "GET", headers: JSON_ONLY });
    assert.equal(answer.status, 200);
    const { headers } = JSON.parse(answer.body);
    assert.deepEqual(
      [headers["baton-fence"], headers["baton-ticket"], headers["baton-room"]],
      [undefined, undefined, "onsale"],
      "the shop learns that none is needed",
    );
    assert.ok(headers["baton-proof"]);
  }
});

test("a lease that ran out: the page says so once, the ticket is cleared, then it is a new visit", async (t) => {
  const world = await startWorld(t, { room: { permits: 1, lease_idle_s: 1, lease_max_s: 1, claim_within_s: 1, pass_ttl_s: 1 } });
  const visitor = world.visitor();
  await visitor.arrive();
  await visitor.arrive();
  const over = await eventually(async () => {
    const answer = await visitor.arrive();
    return answer.state === "waiting" && answer;
  });
  assert.deepEqual([over.status_object.state, over.status_object.reason], ["over", "expired"]);
  assert.match(over.body, /data-reason="expired"/);
  assert.deepEqual(visitor.jar.names(), [VISITOR], "ticket and pass are cleared");
  const anew = await visitor.arrive();
  assert.ok(anew.state === "shop" || anew.status_object.state === "waiting");
  assert.equal(anew.number, 2);
});

test("a token that was altered anywhere is worth nothing and is cleared", async (t) => {
  const world = await startWorld(t, { room: { permits: 1 } });
  const visitor = world.visitor();
  await visitor.arrive();
  const pass = visitor.cookie("pass");
  const { port } = world.baton;
  const ask = (cookie, headers = JSON_ONLY) => raw(port, "/buy/echo", { headers: { ...headers, cookie } });
  assert.equal((await ask(`${PASS}=${pass}`)).status, 200);
  const altered = Array.from(pass, (char, at) => pass.slice(0, at) + (char === "A" ? "B" : "A") + pass.slice(at + 1));
  const odd = [
    pass.slice(0, -1),
    `${pass}A`,
    `${pass}=`,
    "",
    "x",
    "A".repeat(30_000),
    visitor.cookie("ticket"),
    visitor.cookie("visitor"),
    "é\u0001",
  ];
  /** Characters 3 to 7 name the key: one that is not known here yet is nobody's fault. */
  const unknownKey = await ask(`${PASS}=${altered[5]}`);
  assert.deepEqual([unknownKey.status, unknownKey.headers["set-cookie"]], [429, undefined], "worth nothing, and left alone");
  for (const bad of [...altered.filter((_, at) => at % 5 === 0 && at !== 5), ...odd]) {
    const answer = await ask(Buffer.from(`${PASS}=${bad}`).toString("latin1").replace("\u0001", ""));
    assert.equal(answer.status, 429, bad.slice(0, 40));
    assert.equal(setCookies(answer)[PASS]?.value, "", "cleared");
  }
  const both = await ask(`${PASS}=${altered[9]}; ${PASS}=${pass}`);
  assert.equal(both.status, 200, "one planted in front of the good one does not shut its owner out");
  const wrong = await raw(port, "/buy/echo", { headers: { ...JSON_ONLY, cookie: `${PASS}=${pass}`, host: "localhost:1" } });
  assert.equal(wrong.status, 429, "bound to its host");
});

test("c23_cookies_of_32_kb: they are answered", async (t) => {
  const world = await startWorld(t, { room: { permits: 0 } });
  const cookie = Array.from({ length: 400 }, (_, i) => `c${i}=${"x".repeat(70)}`).join("; ");
  for (const headers of [
    { ...PAGE, cookie },
    { ...JSON_ONLY, cookie: `${PASS}=${"A".repeat(32_000)}` },
  ]) {
    const answer = await raw(world.baton.port, "/buy/", { headers });
    assert.ok([200, 429].includes(answer.status), String(answer.status));
  }
});

test("without assets there is still a page, never a 500", async (t) => {
  const world = await startWorld(t, { room: { permits: 0 }, runtime: { assetsDir: null } });
  const visitor = world.visitor();
  await visitor.arrive();
  const page = await visitor.arrive();
  assert.deepEqual([page.status, page.number, page.headers["baton-state"]], [200, 1, "waiting"]);
  assert.match(page.body, /http-equiv="refresh"/);
  assert.equal((await world.raw("/__baton/static/page.css")).status, 404);
});

test("a bad configuration shuts gated paths only, and says nothing of itself to visitors", async (t) => {
  const rooms = { onsale: { paths: ["/buy/*"], permits: -1, hosts: ["not a host"] }, other: { paths: ["/vip/*x/y"], permits: 1 } };
  const world = await startWorld(t, { rooms });
  const { port } = world.baton;
  for (const path of ["/buy/", "/BUY/x", "/vip/y", "/__baton/onsale/status", "/__baton/health"]) {
    const answer = await raw(port, path, { headers: PAGE });
    assert.equal(answer.status, 503, path);
    assert.equal(JSON.parse(answer.body).error.code, "bad_config");
    assert.doesNotMatch(answer.body, /permits|-1|onsale/);
  }
  assert.equal((await raw(port, "/healthz", { headers: { cookie: "baton-visitor=1" } })).status, 200);
  assert.match(world.logs(), /ROOMS\.onsale\.permits/, "the log names the key");
});

test("c14_without_a_good_secret: nothing is signed", async (t) => {
  const world = await startWorld(t, { vars: { BATON_SECRET: "short" } });
  const answer = await raw(world.baton.port, "/buy/", { headers: PAGE });
  assert.deepEqual([answer.status, answer.headers["set-cookie"]], [503, undefined]);
  assert.equal((await raw(world.baton.port, "/healthz")).status, 200);
});

test("c35_the_banks_post: on any host but localhost the cookies are __Host-, Secure; the pass comes along from a bank", async (t) => {
  const origin = await startOrigin(t, (_request, response) => response.end("in"));
  const world = await startWorld(t, { origin: origin.url });
  const answer = await raw(world.baton.port, "/buy/", { headers: { ...PAGE, host: "Tickets.Example.com" } });
  const cookies = setCookies(answer);
  assert.deepEqual(Object.keys(cookies).sort(), ["__Host-baton-onsale-pass", "__Host-baton-onsale-ticket", "__Host-baton-visitor"]);
  for (const { attributes } of Object.values(cookies)) assert.ok(attributes.includes("Secure"));
  const sameSite = (name) => cookies[name].attributes.find((attribute) => attribute.startsWith("SameSite="));
  assert.equal(sameSite("__Host-baton-onsale-pass"), "SameSite=None");
  assert.equal(sameSite("__Host-baton-visitor"), "SameSite=Lax");
  // The bank's cross-site POST brings the pass alone.
  const cookie = `__Host-baton-onsale-pass=${cookies["__Host-baton-onsale-pass"].value}`;
  const back = await raw(world.baton.port, "/buy/paid", {
    method: "POST",
    body: "ok=1",
    headers: { ...PAGE, host: "tickets.example.com", cookie, origin: "https://bank.example", "sec-fetch-site": "cross-site" },
  });
  assert.deepEqual([back.status, back.body], [200, "in"]);
});
