// One request over HTTP and its answer, whole. The connections are shared by all who ask.

import http from "node:http";
import https from "node:https";

/** Shared by all visitors: a thousand of them must not mean a thousand idle connections. */
const AGENTS = {
  "http:": new http.Agent({ keepAlive: true, maxFreeSockets: 64 }),
  "https:": new https.Agent({ keepAlive: true, maxFreeSockets: 64 }),
};

/** Returns what JSON text says, or null if it is none. */
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns what a stream brings, whole and as text. */
export async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/**
 * Sends one request, and returns `{ status, headers, body, json, error }`. One retry when a kept connection turns out to be closed already: the server never saw that request. */
export async function exchange(url, options) {
  try {
    return await exchangeOnce(url, options);
  } catch (error) {
    if (!error.stale) throw error;
    return exchangeOnce(url, options);
  }
}

function exchangeOnce(url, { method, headers, body, timeoutMs }) {
  return new Promise((resolve, reject) => {
    const client = url.protocol === "https:" ? https : http;
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const request = client.request(url, { method, headers: { ...headers, ...length }, agent: AGENTS[url.protocol] });
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`${method} ${url.pathname}: silent for ${timeoutMs} ms`)));
    request.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      const stale = request.reusedSocket && ["ECONNRESET", "EPIPE"].includes(error.code);
      reject(Object.assign(error, { stale }));
    });
    request.on("response", async (response) => {
      try {
        const text = await textOf(response);
        const json = response.headers["content-type"]?.includes("json") ? parse(text) : null;
        resolve({ status: response.statusCode, headers: response.headers, body: text, json, error: json?.error?.code });
      } catch (error) {
        reject(error);
      }
    });
    request.end(body);
  });
}
