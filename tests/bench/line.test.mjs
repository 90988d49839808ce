// The lean connection of the benchmarks, against a server that sends in every way workerd does.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { WebSocketServer } from "ws";
import { cookiesSet, Line, openSocket, requestText } from "../../bench/lib/line.mjs";

async function serve(t, answer) {
  const server = http.createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: server.address().port };
}

test("answers with a length, in chunks and without a body, one after the other", async (t) => {
  const { port } = await serve(t, (request, response) => {
    if (request.url === "/length") return response.end("all at once");
    if (request.url === "/nothing") return response.writeHead(204).end();
    response.writeHead(201, { "set-cookie": ["a=1; Path=/", "b=2"] });
    response.write("in ");
    return response.end("pieces");
  });
  const line = await Line.open(port);
  const get = (path) => line.send(requestText("GET", path, { host: "x" }));
  for (let i = 0; i < 3; i++) {
    assert.deepEqual([(await get("/length")).body, (await get("/nothing")).status], ["all at once", 204]);
    const { status, head, body } = await get("/chunks");
    assert.deepEqual([status, body, cookiesSet(head)], [201, "in pieces", ["a=1", "b=2"]]);
  }
  line.close();
});

test("a line that the server closed while it was idle is opened anew", { timeout: 10_000 }, async (t) => {
  const { server, port } = await serve(t, (_, response) => response.end("here"));
  const line = await Line.open(port);
  const get = () => line.send(requestText("GET", "/", { host: "x" }));
  assert.equal((await get()).body, "here");
  server.closeAllConnections();
  while (!line.isClosed) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await get()).body, "here");
  line.close();
});

test("a socket hears texts and bytes of every length, however they are cut", async (t) => {
  const { server, port } = await serve(t, () => {});
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const sent = ["first", Buffer.alloc(125, 1), "x".repeat(126), Buffer.alloc(70_000, 2), "last"];
  const pinged = new Promise((resolve) =>
    sockets.on("connection", (socket) => {
      sent.forEach((message) => socket.send(message));
      socket.on("message", (data) => resolve(data.toString()));
    }),
  );
  const heard = [];
  const all = new Promise((resolve) => {
    openSocket(port, "/", {
      onMessage: (message) => {
        if (heard.push(message) === sent.length) resolve();
      },
    }).then((socket) => {
      socket.ping();
      t.after(socket.close);
    });
  });
  await all;
  assert.deepEqual(
    heard.map((message) => (typeof message === "string" ? message : Buffer.from(message))),
    sent,
  );
  assert.equal(await pinged, "ping");
});

test("a refused socket says how it was refused", async (t) => {
  const { server, port } = await serve(t, () => {});
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 503 Service Unavailable\r\n\r\n"));
  await assert.rejects(openSocket(port, "/there", { onMessage: () => {} }), /\/there: HTTP\/1.1 503/);
});
