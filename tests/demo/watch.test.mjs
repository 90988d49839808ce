// The page on which one watches a sale: it hands everything on, and lets only itself frame what Baton lets nobody frame.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { framed, startWatch, WATCH } from "../../demo/watch.mjs";

/** A stand-in for Baton, and the page in front of it. */
async function stage(t, answer, more = {}) {
  const baton = http.createServer(answer);
  const sockets = new WebSocketServer({ server: baton });
  baton.listen(0, "127.0.0.1");
  await once(baton, "listening");
  const watch = await startWatch({ port: baton.address().port, gate: "/buy/", token: 'a&b"c', report: async () => "<p>report</p>", ...more });
  t.after(() => {
    watch.stop();
    sockets.close();
    baton.closeAllConnections();
    baton.close();
  });
  return { ...watch, sockets, origin: `http://${watch.host}` };
}

test("everything is handed on: method, path, host, body, status and headers, but for who may frame it", async (t) => {
  const { origin, host } = await stage(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    response.writeHead(418, {
      "x-frame-options": "DENY",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "set-cookie": ["a=1", "b=2"],
    });
    response.end(JSON.stringify({ method: request.method, url: request.url, host: request.headers.host, body }));
  });
  const answer = await fetch(`${origin}/buy/?a=1`, { method: "POST", body: "hello" });
  assert.equal(answer.status, 418);
  assert.deepEqual(await answer.json(), { method: "POST", url: "/buy/?a=1", host, body: "hello" });
  assert.equal(answer.headers.get("x-frame-options"), null);
  assert.equal(answer.headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'self'");
  assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
});

test("a socket goes through", async (t) => {
  const { host, sockets } = await stage(t, (_, response) => response.end());
  sockets.on("connection", (socket, { url }) => socket.send(`hello from ${url}`));
  const socket = new WebSocket(`ws://${host}/__baton/onsale/socket`);
  t.after(() => socket.terminate());
  const [said] = await once(socket, "message");
  assert.equal(said.toString(), "hello from /__baton/onsale/socket");
});

test("its own page has three panes, and a token cannot write into it", async (t) => {
  const { url } = await stage(t, (_, response) => response.end());
  const page = await (await fetch(url)).text();
  assert.equal(page.match(/<iframe /g).length, 3);
  assert.ok(page.includes('src="/__baton/admin/#token=a%26b%22c"'), page);
  assert.ok(page.includes('src="/buy/"'));
  assert.equal((await fetch(`${url}nothing`)).status, 404);
});

test("another name that leads here reads nothing, the token least of all", async (t) => {
  const { url, host } = await stage(t, (_, response) => response.end("reached"));
  for (const path of [WATCH, "/buy/"]) {
    const request = http.get(new URL(path, url), { headers: { host: `evil.example:${host.split(":")[1]}` } });
    const [answer] = await once(request, "response");
    assert.deepEqual([answer.statusCode, /token|reached/.test(Buffer.concat(await answer.toArray()).toString())], [421, false]);
  }
});

test("a report is made once for all who ask within a while; a failure is told", async (t) => {
  let made = 0;
  const { url } = await stage(t, (_, response) => response.end(), { report: async () => `<p>${(made += 1)}</p>` });
  const texts = await Promise.all([1, 2, 3].map(async () => (await fetch(`${url}report`)).text()));
  assert.deepEqual(texts, Array(3).fill("<p>1</p>"));
  const broken = await stage(t, (_, response) => response.end(), { report: () => Promise.reject(new Error("no journal yet")) });
  const answer = await fetch(`${broken.url}report`);
  assert.deepEqual([answer.status, await answer.text()], [503, "no journal yet"]);
});

test("Baton that is down is a 502 and not the end", async (t) => {
  const { origin } = await stage(t, (request) => request.socket.destroy());
  assert.equal((await fetch(`${origin}/buy/`)).status, 502);
  assert.deepEqual(framed({ "content-type": "text/html", "x-frame-options": "DENY" }), { "content-type": "text/html" });
  assert.equal(WATCH, "/__watch/");
});
