// Stands between a client and Baton, and writes down every request that the client sends: a browser's service workers' and prerendered pages' too,
// which no browser's own tools show whole.

import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net from "node:net";

/**
 * Starts it before a port; by https with `tls`, `{ key, cert }`. Without `sockets` it writes down all requests of a connection whose first one offers
 * HTTP/2, as Java's does. It takes away the headers that are `stripped`, in lower case. Resolves to `{ url, sent, stop }`; `sent` has
 * `{ method, path, headers, atMs }` of each request, `status` once it is answered, and once it is answered whole the headers in `answer`, the
 * text in `body` and the time in `answeredAtMs`.
 */
export async function startWatcher(port, { tls, sockets = true, stripped = [] } = {}) {
  const sent = [];
  const note = ({ method, url, headers }) => sent[sent.push({ method, path: url, headers, atMs: Date.now(), status: undefined }) - 1];
  const scheme = tls ? "https" : "http";
  const serve = (request, response) => {
    const noted = note(request);
    const kept = Object.entries(request.headers).filter(([name]) => !stripped.includes(name));
    const headers = { ...Object.fromEntries(kept), "x-forwarded-proto": scheme };
    const onward = http.request({ port, host: "127.0.0.1", path: request.url, method: request.method, headers }, (answer) => {
      noted.status = answer.statusCode;
      const chunks = [];
      answer
        .on("data", (chunk) => chunks.push(chunk))
        .on("end", () => Object.assign(noted, { answer: answer.headers, answeredAtMs: Date.now(), body: Buffer.concat(chunks).toString() }));
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  };
  const server = tls ? https.createServer(tls, serve) : http.createServer(serve);
  if (sockets)
    server.on("upgrade", (request, socket, head) => {
      note(request);
      const onward = net.connect(port, "127.0.0.1", () => {
        const lines = [];
        for (let at = 0; at < request.rawHeaders.length; at += 2) lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
        onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
        onward.write(head);
        socket.pipe(onward).pipe(socket);
      });
      for (const [one, other] of [
        [socket, onward],
        [onward, socket],
      ])
        one.on("error", () => other.destroy()).on("close", () => other.destroy());
    });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `${scheme}://localhost:${server.address().port}`,
    sent,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
