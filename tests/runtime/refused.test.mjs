// What a person sees whom Baton refuses: a page with a way on in a window, the room's page after a form. Programs read the error as ever.

import assert from "node:assert/strict";
import { test } from "node:test";
import { raw, setCookies, startWorld } from "./support/world.mjs";

const WINDOW = { accept: "text/html,*/*;q=0.8", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-site": "none" };
const FORM = { ...WINDOW, "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
const TICKET = "baton-onsale-ticket";
const linkOf = ({ body }) => /<a class="button" href="([^"]*)">/.exec(body)?.[1];

test("a pasted address, or one of Baton's own that is no page: a page that links to what was meant", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const show = (path, headers = {}, method = "GET") => raw(world.baton.port, path, { method, headers: { ...WINDOW, ...headers } });
  for (const [path, status, to] of [
    ["/buy%20", 400, "/buy"],
    ["/bu%E2%80%8By/seat", 400, "/buy/seat"],
    ["/buy.?a=1&b=%22", 400, "/buy?a=1&amp;b=%22"],
    ["/buy%C2%A0", 400, "/buy"],
    ["/buy%", 400, "/buy"],
    ["/x/..%2fbuy", 400, "/"],
    ["/__baton/onsale/leave", 405, "/buy/"],
    ["/__baton/onsale/nothing", 404, "/buy/"],
    ["/__baton/none", 404, "/"],
  ]) {
    const answer = await show(path);
    assert.deepEqual([answer.status, linkOf(answer)], [status, to], path);
    assert.match(answer.headers["content-type"], /^text\/html/, path);
    assert.match(answer.body, /data-state="refused"/);
    assert.deepEqual([answer.headers["cache-control"], answer.headers["x-robots-tag"]], ["private, no-store", "noindex"]);
  }
  assert.equal((await show("/__baton/onsale/leave")).headers.allow, "POST");
  const ja = await show("/buy%20", { "accept-language": "ja" });
  assert.deepEqual([ja.headers["content-language"], /<html lang="ja"/.test(ja.body)], ["ja", true]);
  assert.equal((await show("/buy%20", {}, "HEAD")).body, "");
  for (const headers of [{ accept: "application/json" }, { accept: "*/*" }, { ...WINDOW, "sec-purpose": "prefetch" }]) {
    const { status, body } = await raw(world.baton.port, "/buy%20", { headers });
    assert.deepEqual([status, JSON.parse(body).error.code], [400, "bad_request"], JSON.stringify(headers));
  }
  const desk = await show("/__baton/admin/rooms");
  assert.equal(JSON.parse(desk.body).error.code, "not_found", "operators read the error as ever");
});

test("a session in the path is the room's, and a bare percent outside every room goes on", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { room: { permits: 1 } });
  const [holder, next] = [world.visitor(), world.visitor()];
  assert.equal((await holder.arrive("/buy/;jsessionid=1A2B")).state, "shop");
  assert.equal((await next.arrive("/buy;jsessionid=1A2B")).state, "waiting");
  const inside = await holder.request("/buy;jsessionid=1A2B", { headers: WINDOW });
  assert.notEqual(inside.status, 400, "with a pass it is forwarded");
  assert.equal(inside.headers["baton-state"], undefined);
  assert.equal((await raw(world.baton.port, "/search/100%", { headers: WINDOW })).status, 404, "the shop's own");
});

test("a form without scripts whose call fails leads back to the page", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { room: { permits: 1 } });
  const [holder, visitor] = [world.visitor(), world.visitor()];
  await holder.arrive();
  await visitor.join();
  const send = (call, headers = {}) =>
    visitor.call(call, {
      method: "POST",
      headers: { ...FORM, origin: world.baton.url.replace(/\/$/, ""), referer: `${new URL(world.baton.url).origin}/buy/seat`, ...headers },
    });
  for (const call of ["join", "leave", "take"]) {
    visitor.jar.set(TICKET, "no ticket");
    const answer = await send(call);
    assert.deepEqual([answer.status, answer.headers.location], [303, "/buy/seat"], call);
    assert.ok(setCookies(answer)[TICKET], "the bad ticket is taken away");
  }
  assert.deepEqual(await send("take").then(({ status, headers }) => [status, headers.location]), [303, "/buy/seat"], "no account");
  const foreign = await send("leave", { origin: "https://evil.example", "sec-fetch-site": "cross-site" });
  assert.deepEqual([foreign.status, linkOf(foreign)], [403, "/buy/"], "a page, which sends nothing by itself");
  visitor.jar.set(TICKET, "no ticket");
  const script = await visitor.call("join", { method: "POST", headers: { accept: "application/json", origin: new URL(world.baton.url).origin } });
  assert.deepEqual([script.status, script.error], [401, "bad_ticket"]);
});
