// The HTTP front before every peer, a program: `node front.mjs PEER PORT ENV`. It tells its parent the port once it listens.
//
//   GET  /socket?id=…   a WebSocket: takes the person in, says `waiting`, and `called` once the peer has given a permit
//   POST /join?id=…     the same for those who poll: `GET /status?id=…` then says `waiting` or `called`
//   POST /leave?id=…    gives permit or place back
//
// Somebody who is called has left the waiting page for the shop, so nobody inside has a socket, as with Baton.

import http from "node:http";
import { WebSocketServer } from "ws";
import { peers } from "./index.mjs";

const [, , name, port, env] = process.argv;
const peer = peers.find((each) => each.name === name);
/** @type {import("./index.mjs").Recipe} */
const recipe = await peer.open(JSON.parse(env));
const idOf = (request) => new URL(request.url, "http://front").searchParams.get("id");
const say = (state) => JSON.stringify({ state });

/** Resolves to status and body. @returns {Promise<[number, string]>} */
async function answer(request) {
  const id = idOf(request);
  const path = request.url.split("?")[0];
  if (path === "/join") await recipe.join(id);
  else if (path === "/leave") await recipe.leave(id);
  else if (path !== "/status") return [404, ""];
  return [200, path === "/leave" ? "{}" : say((await recipe.poll(id)) ? "called" : "waiting")];
}

const server = http.createServer((request, response) => {
  answer(request)
    .catch((error) => /** @type {[number, string]} */ ([503, String(error)]))
    .then(([status, body]) => {
      response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
    });
});

const sockets = new WebSocketServer({ noServer: true });
server.on("upgrade", (request, raw, head) => sockets.handleUpgrade(request, raw, head, (socket) => wait(socket, idOf(request))));

/** Takes somebody in on a socket. A permit for somebody whose socket is closed by then goes back at once. */
function wait(socket, id) {
  let isCalled = false;
  socket.on("message", () => socket.send("pong"));
  socket.on("error", () => {});
  socket.on("close", () => isCalled || recipe.gone(id));
  const called = () => {
    if (socket.readyState !== socket.OPEN) return void recipe.leave(id);
    isCalled = true;
    socket.send(say("called"));
  };
  recipe
    .join(id, called)
    .then(() => socket.send(say("waiting")))
    .catch(() => socket.terminate());
}

// A connection to a server that was killed fails in many places; the front of a peer that loses it is killed with it.
process.on("uncaughtException", () => {});
process.on("unhandledRejection", () => {});
process.on("disconnect", () => process.exit());
server.listen(Number(port), "127.0.0.1", 4_096, () => process.send({ port: /** @type {import("node:net").AddressInfo} */ (server.address()).port }));
