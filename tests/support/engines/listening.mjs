// A listener between a browser and Baton, for an engine whose console nobody can hear from outside: each page gets one more script, before all
// others, which notes errors and violations of the policy in the tab. Everything else goes through as it is, sockets too.

import { once } from "node:events";
import http from "node:http";
import net from "node:net";

const SCRIPT = "/listening.js";

/** Runs in the page. A tab's storage outlives its pages. */
function listen() {
  const note = (text) =>
    sessionStorage.setItem("complaints", JSON.stringify([...JSON.parse(sessionStorage.getItem("complaints") ?? "[]"), String(text)]));
  addEventListener("error", ({ message }) => message && note(message));
  addEventListener("unhandledrejection", ({ reason }) => note(reason));
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => note(`policy: ${violatedDirective} ${blockedURI}`));
  for (const level of ["error", "warn"]) console[level] = (...words) => note(words.join(" "));
}

/** Listens before `target`: `{ origin, close() }`. The name of the host stays, and so do the cookies. */
export async function startListening(target) {
  const { hostname, port } = new URL(target);
  const host = hostname === "localhost" ? "127.0.0.1" : hostname;
  const server = http.createServer((request, response) => {
    if (request.url === SCRIPT) return response.writeHead(200, { "Content-Type": "text/javascript" }).end(`(${listen})()`);
    const { "accept-language": language, ...others } = request.headers;
    // A system without locales makes WebKit ask for the language "C".
    const headers = { ...others, "accept-encoding": "identity", "accept-language": language === "C" ? "en-GB" : language };
    const onward = http.request({ host, port, method: request.method, path: request.url, headers }, (answer) =>
      pass(answer, response).catch(() => response.destroy()),
    );
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("upgrade", (request, socket, head) => {
    const onward = net.connect(Number(port), host, () => {
      onward.write(
        `${request.method} ${request.url} HTTP/1.1\r\n${pairs(request.rawHeaders)
          .map((pair) => pair.join(": "))
          .join("\r\n")}\r\n\r\n`,
      );
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
    origin: `http://${hostname}:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const pairs = (raw) => Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at], raw[2 * at + 1]]);

async function pass(answer, response) {
  if (!answer.headers["content-type"]?.startsWith("text/html")) {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    answer.pipe(response);
    return;
  }
  const chunks = await answer.toArray();
  const html = Buffer.concat(chunks)
    .toString()
    .replace(/<head>|(?=<meta|<title|<link|<script)/i, (head) => `${head}<script src="${SCRIPT}"></script>`);
  const headers = pairs(answer.rawHeaders).filter(([name]) => !/^(content-length|transfer-encoding)$/i.test(name));
  response.writeHead(answer.statusCode, headers.flat()).end(html);
}
