// How the doctor asks: one request with nothing added, one socket's handshake, one certificate.

import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import tls from "node:tls";

const TIMEOUT_MS = 15_000;
const BODY_BYTES_MAX = 4 * 1024 * 1024;

const clientOf = ({ protocol }) => (protocol === "https:" ? https : http);

/** Resolves to `{ status, headers, body, cookies, tookMs }`; redirects are not followed. Rejects if there is no answer. */
export function ask(url, { method = "GET", headers = {} } = {}) {
  const since = performance.now();
  return new Promise((resolve, reject) => {
    const request = clientOf(url).request(url, { method, headers, agent: false }, (answer) => {
      const chunks = [];
      let bytes = 0;
      answer.on("data", (chunk) => {
        bytes += chunk.length;
        if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
      });
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({
          status: answer.statusCode,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
          cookies: answer.headers["set-cookie"] ?? [],
          tookMs: performance.now() - since,
        }),
      );
    });
    request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    request.on("error", reject);
    request.end();
  });
}

/** Opens a socket as a browser does, with compression offered. Resolves to `{ status, extensions, isAccepted }`; `status` is 101 if it opened. */
export function askSocket(url, headers) {
  const key = randomBytes(16).toString("base64");
  const sent = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": key,
    "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits",
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = clientOf(url).request(url, { headers: sent, agent: false }, (answer) => resolve({ status: answer.resume().statusCode }));
    request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    request.on("error", reject);
    request.on("upgrade", (answer, socket) => {
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      socket.on("error", () => {});
      socket.destroy();
      resolve({
        status: 101,
        extensions: answer.headers["sec-websocket-extensions"] ?? "",
        isAccepted: answer.headers["sec-websocket-accept"] === accept,
      });
    });
    request.end();
  });
}

/** Resolves to the certificate and the protocol of a host: `{ protocol, validTo }`. */
export function askTls({ hostname, port }) {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: hostname, port: Number(port) || 443, servername: hostname }, () => {
      resolve({ protocol: socket.getProtocol(), validTo: new Date(socket.getPeerCertificate().valid_to) });
      socket.destroy();
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no TLS handshake in time")));
    socket.on("error", reject);
  });
}
