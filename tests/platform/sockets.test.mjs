// Sockets as browsers open them: each offers to compress. Compression would take three times the memory for a socket.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import WebSocket from "ws";
import { startPlatform } from "./platform.mjs";

const SOCKETS = 500;
const WARM = 200;
/** Measured on two cores: 165 KB without compression, 386 KB with it; workerd's whole process and what its sockets cost it. */
const BYTES_A_SOCKET_MAX = 260 * 1024;

const rssOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;

test(`${SOCKETS} sockets that offer compression: it is refused, and they take no more than without`, {
  timeout: 120_000,
  skip: process.platform !== "linux",
}, async (t) => {
  const it = await startPlatform(t, {
    room: { permits: 0, tickets_per_ip_max: 0, joins_per_ip_per_minute: 0 },
    runtime: { door: false, wrapper: undefined },
  });
  const visitor = it.visitor();
  await visitor.arrive();
  await visitor.openSocket();
  visitor.closeSocket();
  const open = async () => {
    const person = it.visitor();
    await person.arrive();
    const url = `${it.baton.url.replace("http", "ws")}/__baton/onsale/socket`;
    const socket = new WebSocket(url, { headers: { origin: it.baton.url, cookie: person.jar.header() }, perMessageDeflate: true });
    t.after(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once("message", resolve).once("error", reject));
    return socket;
  };
  const sockets = [];
  for (let at = 0; at < WARM; at += 1) sockets.push(await open());
  const before = rssOf(it.baton.pid);
  for (let at = 0; at < SOCKETS; at += 1) sockets.push(await open());
  const each = (rssOf(it.baton.pid) - before) / SOCKETS;
  assert.deepEqual([...new Set(sockets.map(({ extensions }) => extensions))], [""], "no extension is agreed on");
  console.log(`${SOCKETS} sockets: ${(each / 1024).toFixed(0)} KB each`);
  assert.ok(each < BYTES_A_SOCKET_MAX, `${each} bytes a socket`);
});
