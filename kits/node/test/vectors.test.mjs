// Every request of the shared table, by the checker alone and behind the middleware for Express and `http`.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { test } from "node:test";
import { stock } from "baton-kit";
import { throughBaton } from "baton-kit/express";
import { TABLE, checkerOf } from "./table.mjs";

const known = ({ host, scheme, room, edition, ticket, fence }) => ({ host, scheme, room, edition, ticket, fence });
const word = (said) => (said === "ok" ? "ok" : `no;${said}`);

for (const mode of ["enforce", "report"]) {
  for (const one of TABLE.requests) {
    test(`${mode}: ${one.name}`, async () => {
      const checker = checkerOf(one, { mode });
      for (const said of one.says) {
        const verdict = await checker.check(one);
        assert.deepEqual([verdict.checked, verdict.refused], [word(said), said !== "ok" && mode === "enforce"]);
        assert.deepEqual(verdict.visit && known(verdict.visit), said === "ok" ? one.visit : null);
      }
    });
  }
}

test("the table over HTTP", async (t) => {
  const state = {};
  const server = http.createServer((request, response) =>
    throughBaton(state.checker)(request, response, () => response.end(JSON.stringify(request.baton))),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  for (const one of TABLE.requests.filter(({ headers }) => /^[\x20-\x7e]*$/.test(Object.values(headers).join("")))) {
    state.checker = checkerOf(one);
    for (const said of one.says) {
      const { status, headers, body } = await send(server.address().port, one);
      assert.deepEqual([one.name, status, headers["baton-checked"]], [one.name, said === "ok" ? 200 : 403, word(said)]);
      if (said === "ok") assert.deepEqual(known(JSON.parse(body)), one.visit);
      else assert.deepEqual([headers["cache-control"], body], ["no-store", `Please come in by the front door. (${said})\n`]);
    }
  }
});

/** A request with exactly these bytes. */
async function send(port, { method, url, headers }) {
  const socket = net.connect(port, "127.0.0.1");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`${method} ${url} HTTP/1.1`, ...lines, "connection: close", "content-length: 0", "", ""].join("\r\n"));
  let text = "";
  for await (const chunk of socket) text += chunk;
  const [head, body] = text.split(/\r\n\r\n(.*)/s);
  const [first, ...rest] = head.split("\r\n");
  const plain = /transfer-encoding: chunked/i.test(head) ? body.replace(/^[0-9a-f]+\r\n/i, "").replace(/\r\n0\r\n\r\n$/, "") : body;
  return { status: Number(first.split(" ")[1]), headers: Object.fromEntries(rest.map((line) => line.toLowerCase().split(": "))), body: plain };
}

test("stock", () => {
  for (const { room, left, at_ms: now, header } of TABLE.stock) {
    assert.equal(stock(new Headers(), { secret: TABLE.secret, room, left, now }).get("baton-stock"), header);
  }
});
