// What a sibling host plants in a real browser is never read as ours. Chromium visits blog.example.com, which sets cookies for the
// whole domain under names that look like ours, with values that are good: a pass, a name and a ticket of the attacker's own. Then
// it visits tickets.example.com; the very bytes of its Cookie header go to a Baton.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { send } from "../catalogue/wire.mjs";
import { raw, setCookies, startWorld } from "../runtime/support/world.mjs";
import { launch } from "./browser.mjs";

const [OURS, SIBLING] = ["tickets.example.com", "blog.example.com"];
const BLANKS = ["\u2000", "\u00a0", "\u3000", "\ufeff", "\u0085", "\u1680", "\u2028", "\u200b", "\v", "\f", "\t", " ", "\u00ad", "\x1f"];

/** Names that are nearly this one, as a server writes them (bytes) and as a script does (text). */
function nearly(name, value) {
  const lines = BLANKS.flatMap((blank) => [`${blank}${name}=${value}`, `${name}${blank}=${value}`, `x=1${blank};${name}=${value}`]);
  const host = name.slice("__Host-".length);
  return [
    ...lines,
    `${name}=${value}`,
    `=${name}=${value}`,
    `${name}`,
    `__host-${host}=${value}`,
    `__HOST-${host}=${value}`,
    `__Secure-${host}=${value}`,
    `__Host-${host.toUpperCase()}=${value}`,
    `cart=1,${name}=${value}`,
    `cart=1, ${name}=${value}`,
    `cart="${name}=${value}"`,
    `cart=1%3B${name}=${value}`,
    `"${name}"=${value}`,
    `${name},x=${value}`,
    `x,${name}=${value}`,
    `_${name}=${value}`,
    `${host}=${value}`,
  ];
}

function certificate(t) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-tls-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(dir, name));
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=example.com"], {
    stdio: "ignore",
  });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

/** Both hosts on one port. The sibling plants; ours notes the Cookie header as it came. */
async function startHosts(t, planted) {
  const seen = [];
  const server = https.createServer(certificate(t), (request, response) => {
    const at = Number(new URL(request.url, "https://x").searchParams.get("at"));
    if (request.headers.host.startsWith(SIBLING)) {
      const line = Buffer.from(`${planted[at]}; Domain=example.com; Path=/; Secure`).toString("latin1");
      // Node refuses bytes that HTTP forbids; what it refuses no server can send.
      try {
        response.setHeader("Set-Cookie", line);
      } catch {
        response.setHeader("X-Refused", "1");
      }
      response.setHeader("content-type", "text/html");
      return response.end(
        `<!doctype html><script>document.cookie = ${JSON.stringify(`${planted[at]}; domain=example.com; path=/; secure`)}</script>`,
      );
    }
    const found = request.rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "cookie");
    if (request.url.startsWith("/look")) seen.push({ at, cookie: found < 0 ? "" : request.rawHeaders[found + 1] });
    return response.end("ok");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, port: server.address().port };
}

test("c114_what_a_sibling_plants_in_chromium: nothing of it counts, whatever Chromium keeps and sends", { timeout: 180_000 }, async (t) => {
  const world = await startWorld(t, { room: { permits: 1, hosts: [OURS] }, origin: "http://127.0.0.1:1" });
  const walkedIn = setCookies(await raw(world.baton.port, "/buy/", { headers: { host: OURS, accept: "text/html" } }));
  const names = ["__Host-baton-visitor", "__Host-baton-onsale-pass"];
  const ticket = setCookies(
    await raw(world.baton.port, "/__baton/onsale/status", { headers: { host: OURS, cookie: `${names[0]}=${walkedIn[names[0]].value}` } }),
  );
  const values = { ...walkedIn, ...ticket };
  const ask = async (cookie) => {
    const text = (line) => `GET ${line} HTTP/1.1\r\nHost: ${OURS}\r\nAccept: application/json\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`;
    const [page, status] = [await send(world.baton.port, text("/buy/x")), await send(world.baton.port, text("/__baton/onsale/status"))];
    return [page.statuses[0], /"state":"(\w+)"/.exec(status.text)?.[1]];
  };
  assert.deepEqual(
    await ask(names.map((name) => `${name}=${values[name].value}`).join("; ")),
    [502, "admitted"],
    "these are good, where they are ours",
  );
  const planted = names.flatMap((name) => nearly(name, values[name].value));
  const hosts = await startHosts(t, planted);
  const browser = await launch(["--ignore-certificate-errors", `--host-resolver-rules=MAP *.example.com 127.0.0.1:${hosts.port}`]);
  t.after(() => browser.close());
  for (const at of planted.keys()) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`https://${SIBLING}/plant?at=${at}`);
    await page.goto(`https://${OURS}/look?at=${at}`);
    await context.close();
  }
  const kept = hosts.seen.filter(({ cookie }) => cookie !== "");
  t.diagnostic(`${planted.length} were planted, Chromium sent ${kept.length}`);
  assert.ok(kept.length >= 20, `only ${kept.length} were kept`);
  for (const { at, cookie } of kept)
    assert.deepEqual(await ask(cookie), [429, "none"], `${JSON.stringify(planted[at].slice(0, 40))} came as ${JSON.stringify(cookie.slice(0, 60))}`);
});
