// `npm start -- --show sale`: the waiting page, the desk and the report so far, side by side. Only for a sale on this machine.
//
// Baton lets nobody put its desk into a frame, and that stays so. This server stands in front of a local Baton under a name of its own
// (127.0.0.1 where Baton is localhost, so that their cookies stay apart). It forwards everything, and lets one page frame Baton: its own.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";

/** The path below which this server has its own files. Baton and the shop have nothing there. */
export const WATCH = "/__watch/";
const HOST = "127.0.0.1";
const REPORT_MAX_AGE_MS = 5_000;
const FILES = { [`${WATCH}watch.js`]: ["watch.js", "text/javascript"], [`${WATCH}watch.css`]: ["watch.css", "text/css"] };
const OWN = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'; base-uri 'none'",
};

const inDemo = (name) => readFileSync(new URL(name, import.meta.url), "utf8");

/**
 * Starts the server. `port` is Baton's on this machine, `gate` the path behind the gate, `token` an operator's token. `report()` resolves
 * to the report so far, as HTML. Resolves to `{ url, host, stop }`.
 */
export async function startWatch({ port, gate, token, report, listen = 0 }) {
  const page = inDemo("watch.html")
    .replaceAll("{{gate}}", encodeURI(gate))
    .replaceAll("{{token}}", encodeURIComponent(token ?? ""));
  const latest = aged(report);
  const server = http.createServer(async (request, response) => {
    // The page contains a token. Refuse every other name that leads here, or DNS rebinding could read it.
    if (request.headers.host !== host) return response.writeHead(421).end("Ask under the address that was printed.");
    const { pathname } = new URL(request.url, "http://watch");
    if (!pathname.startsWith(WATCH)) return void forward(request, response, port);
    const send = (status, type, body) => response.writeHead(status, { ...OWN, "content-type": `${type}; charset=utf-8` }).end(body);
    if (pathname === WATCH) return send(200, "text/html", page);
    if (Object.hasOwn(FILES, pathname)) return send(200, FILES[pathname][1], inDemo(FILES[pathname][0]));
    if (pathname === `${WATCH}report`)
      return latest().then(
        (text) => send(200, "text/html", text),
        (error) => send(503, "text/plain", error.message),
      );
    return send(404, "text/plain", "Nothing is here.");
  });
  server.on("upgrade", (request, socket, head) => (request.headers.host === host ? join(request, socket, head, port) : socket.destroy()));
  server.listen(listen, HOST);
  await once(server, "listening");
  const own = /** @type {import("node:net").AddressInfo} */ (server.address());
  const host = `${HOST}:${own.port}`;
  return {
    host,
    url: `http://${host}${WATCH}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns a function that calls `make` at most once in `REPORT_MAX_AGE_MS`, because each report reads the whole journal. */
function aged(make) {
  let last,
    madeMs = -Infinity;
  return () => {
    if (performance.now() - madeMs < REPORT_MAX_AGE_MS) return last;
    madeMs = performance.now();
    last = make();
    return last;
  };
}

/** Returns the headers of an answer, changed so that only this server's own page may frame it. */
export function framed(headers) {
  const { "x-frame-options": _, "content-security-policy": policy, ...rest } = headers;
  return policy === undefined ? rest : { ...rest, "content-security-policy": policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'") };
}

function forward(request, response, port) {
  const { method, url, headers } = request;
  const onward = http.request({ host: HOST, port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode, framed(answer.headers));
    answer.pipe(response);
  });
  onward.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end("Baton does not answer.")));
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}

/** Forwards a WebSocket: ties both ends together, byte for byte. */
function join(request, socket, head, port) {
  const onward = net.connect(port, HOST, () => {
    const lines = request.rawHeaders.flatMap((value, at, all) => (at % 2 === 0 ? [`${value}: ${all[at + 1]}`] : []));
    onward.write([`${request.method} ${request.url} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  for (const [one, other] of [
    [socket, onward],
    [onward, socket],
  ]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}

/** Makes reports of a room with the program that the desk's browser uses. Keeps the journal in a folder that `stop` removes. */
export async function reporter({ url, room, token, built }) {
  const [{ exportJournal }, { pageOf }, { initSync, Journal }] = await Promise.all([
    import("../scripts/export.mjs"),
    import("../web/report/page.js"),
    import(path.join(built, "report.js")),
  ]);
  initSync({ module: readFileSync(path.join(built, "report_bg.wasm")) });
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-watch-"));
  const journal = path.join(folder, "journal.ndjson");
  const make = async () => {
    await exportJournal({ url, room, token, out: journal });
    const reading = new Journal();
    reading.take(readFileSync(journal, "utf8"));
    const report = JSON.parse(reading.report());
    if (report.error) throw new Error(report.error);
    return pageOf(report, { lang: "en" });
  };
  return { make, stop: () => rmSync(folder, { recursive: true, force: true }) };
}
