// Stands between the browser and Baton, and writes down every request that a browser sends: its service workers' and prerendered pages' too, which no
// browser's own tools show whole.

import { once } from "node:events";
import http from "node:http";
import net from "node:net";

/**
 * Starts it before a port. Resolves to `{ url, sent, stop }`; `sent` has `{ method, path, headers, status }` of each request. It takes away the
 * headers that are `stripped`, in lower case.
 */
export async function startWatcher(port, stripped = []) {
  const sent = [];
  const kept = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !stripped.includes(name)));
  const note = ({ method, url, headers }) => sent[sent.push({ method, path: url, headers, status: undefined }) - 1];
  const server = http.createServer((request, response) => {
    const noted = note(request);
    const onward = http.request({ port, host: "127.0.0.1", path: request.url, method: request.method, headers: kept(request.headers) }, (answer) => {
      noted.status = answer.statusCode;
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("upgrade", (request, socket, head) => {
    note(request);
    const onward = net.connect(port, "127.0.0.1", () => {
      const lines = [];
      for (let at = 0; at < request.rawHeaders.length; at += 2) lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
      onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    for (const [one, other] of [[socket, onward], [onward, socket]]) one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${server.address().port}`, sent,
    stop: () => { server.close(); server.closeAllConnections(); },
  };
}
