// A receiver of webhooks. It stands in for every webhook's host: `https://hooks.example.net/x` comes as `/hooks.example.net/x`.

import { createHmac } from "node:crypto";
import { once } from "node:events";
import http from "node:http";

export const KEY = Buffer.alloc(32, 7);
export const SECRET = `whsec_${KEY.toString("base64")}`;

/**
 * `answer(message, response)` answers; left out: 204. `messages`: what came, in its order, with `path`, `id`, `at_s`, `signatures`,
 * `text`, `json`.
 */
export async function startReceiver(t, answer = (_message, response) => response.writeHead(204).end()) {
  const messages = [];
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures } = request.headers;
    const message = {
      path: request.url,
      method: request.method,
      headers: request.headers,
      id,
      at_s: Number(at),
      signatures: String(signatures ?? "")
        .split(" ")
        .filter(Boolean),
      text,
      json: text.startsWith("{") ? JSON.parse(text) : undefined,
    };
    messages.push(message);
    answer(message, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, messages, of: (type) => messages.filter(({ json }) => json?.type === type) };
}

/** What the form says a signature is, worked out here without Baton's code. */
export const signatureOf = ({ id, at_s: at, text }, key = KEY) => `v1,${createHmac("sha256", key).update(`${id}.${at}.${text}`).digest("base64")}`;
