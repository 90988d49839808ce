// One Baton with many rooms, each for one play: one permit, and a path of its own. A watcher stands before it by http, and another by https, whose
// certificate an authority made for this run has signed.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { must } from "../../scripts/common.mjs";
import { startRuntime } from "../../scripts/runtime.mjs";
import { eventually } from "../runtime/harness.mjs";
import { Visitor } from "../support/visitor.mjs";
import { startWatcher } from "./watcher.mjs";

const ROOM = { permits: 1, tick_ms: 200, claim_within_s: 60, linger_s: 30, grace_s: 600, lease_idle_s: 600, lease_max_s: 1_800 };
const SECRET = "c2VjcmV0cy1vZi10aGUtd29ybGQtYW5kLW9mLW5vYm9keS1lbHNlLWF0LWFsbC1pbi1pdA==";

/** Makes an authority, `ca.pem`, and a certificate for a host that it has signed. */
export async function certificates(folder, host = "localhost") {
  const openssl = (...args) => must("openssl", args, { cwd: folder, quiet: true });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await openssl("req", "-x509", ...key, "-days", "5", "-subj", "/CN=an authority for this run", "-keyout", "ca.key", "-out", "ca.pem");
  await openssl("req", ...key, "-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`, "-keyout", "key.pem", "-out", "asked.pem");
  await openssl(
    "x509",
    "-req",
    "-in",
    "asked.pem",
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-days",
    "5",
    "-copy_extensions",
    "copy",
    "-out",
    "cert.pem",
  );
  return Object.fromEntries(["key", "cert"].map((name) => [name, readFileSync(path.join(folder, `${name}.pem`))]));
}

async function startShop() {
  const server = http
    .createServer((request, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<h1>Inside</h1>"))
    .listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Opens rooms of these names. Resolves to `{ folder, ca, page, call, sent, holder, stop }`: `folder` is for the run's own files, `ca` the authority's
 * certificate; `page(scheme, room)` and `call(scheme, room, name)` are addresses, `sent(room)` what was sent to a room's, `holder(room)` is somebody
 * who has the permit.
 */
export async function openRooms(names) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-world-"));
  const tls = await certificates(folder);
  const shop = await startShop();
  const rooms = Object.fromEntries(names.map((name) => [name, { ...ROOM, paths: [`/${name}/*`] }]));
  const runtime = await startRuntime({ behindProxy: true, vars: { ROOMS: rooms, BATON_SECRET: SECRET, ORIGIN: shop.url } });
  const watchers = { http: await startWatcher(runtime.port, { sockets: false }), https: await startWatcher(runtime.port, { tls, sockets: false }) };
  return {
    folder,
    ca: path.join(folder, "ca.pem"),
    page: (scheme, room) => `${watchers[scheme].url}/${room}/`,
    call: (scheme, room, name) => `${watchers[scheme].url}/__baton/${room}/${name}`,
    sent: (room) =>
      Object.values(watchers)
        .flatMap(({ sent }) => sent)
        .filter(({ path: at }) => at.startsWith(`/${room}/`) || at.startsWith(`/__baton/${room}/`)),
    holder: async (room) => {
      const holder = new Visitor({ url: `${runtime.url}/${room}/`, room, headers: { "x-forwarded-proto": "http" } });
      await eventually(async () => (await holder.arrive()).state === "shop", { what: "the holder's way in" });
      await holder.arrive();
      return holder;
    },
    stop: async () => {
      for (const watcher of Object.values(watchers)) watcher.stop();
      await runtime.stop();
      await shop.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
