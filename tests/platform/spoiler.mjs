// Stands in front of a Baton and spoils what comes through, one fault at a time: for the doctor to find.

import http from "node:http";
import net from "node:net";

/**
 * Starts one before `port`. The fault may have
 *
 *   answer(request, response)     true: it has answered by itself
 *   headers(headers, request)     changes the answer's headers
 *   body(text, request)           another body
 *   upgrade(head, request)        another head of the answer to an upgrade; null: 404
 */
export async function startSpoiler(t, port, fault = {}) {
  const server = http.createServer((request, response) => {
    if (fault.answer?.(request, response)) return;
    const onward = http.request(
      { host: "127.0.0.1", port, path: request.url, method: request.method, headers: request.headers, agent: false },
      async (answer) => {
        const chunks = [];
        for await (const chunk of answer) chunks.push(chunk);
        const headers = { ...answer.headers };
        delete headers["transfer-encoding"];
        fault.headers?.(headers, request);
        const text = Buffer.concat(chunks);
        const body = fault.body ? fault.body(text.toString(), request) : text;
        headers["content-length"] = Buffer.byteLength(body);
        response.writeHead(fault.status?.(answer.statusCode, request) ?? answer.statusCode, headers).end(body);
      },
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("upgrade", (request, socket) => {
    const lines = [`GET ${request.url} HTTP/1.1`, ...pairs(request.rawHeaders), "", ""];
    const onward = net.connect(port, "127.0.0.1", () => onward.write(lines.join("\r\n")));
    let head = "";
    onward.on("data", (chunk) => {
      if (head === null) return socket.write(chunk);
      head += chunk.toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const told = fault.upgrade ? fault.upgrade(head.slice(0, end), request) : head.slice(0, end);
      socket.write(
        told === null ? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" : Buffer.from(`${told}\r\n\r\n${head.slice(end + 4)}`, "latin1"),
      );
      head = null;
      if (told === null) socket.end();
      return undefined;
    });
    socket.on("data", (chunk) => onward.write(chunk));
    const end = () => {
      socket.destroy();
      onward.destroy();
    };
    for (const each of [socket, onward]) each.on("error", end).on("close", end);
    t.after(end);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

function pairs(raw) {
  const lines = [];
  for (let at = 0; at < raw.length; at += 2) lines.push(`${raw[at]}: ${raw[at + 1]}`);
  return lines;
}
