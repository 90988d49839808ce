// The folder that `npm run self-host` writes, run as its unit would run it: killed, restarted, stopped, behind nginx as
// docs/fronts.md has it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { filesUnder, findProgram, inRoot } from "../../scripts/common.mjs";
import { writeFolder } from "../../scripts/self-host.mjs";
import { send } from "../catalogue/wire.mjs";
import { Visitor } from "../support/visitor.mjs";
import { ROOM, folder, freePort, secretsOf, serve, socketsHeld } from "./support/self_hosted.mjs";
import { eventually, raw, startOrigin } from "./support/world.mjs";

const nginx = findProgram("nginx", ["/usr/sbin", "/usr/local/sbin"]);

/** Whether a new connection gets no answer soon. */
const isShut = (port) =>
  new Promise((resolve) => {
    const request = http.get({ port, path: "/__baton/health", agent: false, timeout: 500 }, (response) => resolve(response.destroy() && false));
    request.on("timeout", () => request.destroy(new Error("no answer")));
    request.on("error", () => resolve(true));
  });

test("a place outlives kill -9 and a graceful stop; requests under way are answered first", async (t) => {
  const slow = [];
  const origin = await startOrigin(t, (request, response) => (request.url === "/slow" ? slow.push(response) : response.end("site")));
  const made = await folder(t, origin.url);
  let process = await serve(t, made);
  const visitor = new Visitor({ url: `http://127.0.0.1:${made.port}/buy/` });
  assert.equal((await visitor.arrive()).state, "waiting");
  await visitor.openSocket();
  const { number } = visitor;
  assert.ok(number > 0);
  assert.equal(await process.end("SIGKILL"), "SIGKILL");
  process = await serve(t, made);
  assert.equal((await visitor.status()).json.number, number, "after kill -9");
  assert.equal((await new Visitor({ url: visitor.url }).arrive()).state, "waiting");
  const answer = raw(made.port, "/slow");
  await eventually(() => slow.length === 1, { what: "the slow request at the origin" });
  const ended = process.end("SIGTERM");
  await eventually(() => isShut(made.port), { what: "no new connections" });
  slow[0].end("done");
  assert.equal((await answer).body, "done");
  assert.equal(await ended, 0, "stopped without force");
  process = await serve(t, made);
  assert.equal((await visitor.join()).status, 200);
  assert.equal(visitor.number, number, "after a graceful stop");
});

test("start raises the limit of open files as far as the system lets it", async (t) => {
  const made = await folder(t, "http://127.0.0.1:1");
  const { pid, said } = await serve(t, { ...made, shell: "ulimit -S -n 300 && ulimit -H -n 700" });
  assert.match(readFileSync(`/proc/${pid}/limits`, "utf8"), /^Max open files +700 +700 /m);
  assert.match(said(), /^baton: up to \d+ visitors can wait at once: 700 files may be open\./m);
});

test("at its limit of open files it answers 503 and stays up, however many come at once", async (t) => {
  const { people, held, refused, isUp, made } = await socketsHeld(t, { files: 300, coming: 400, atOnce: 400 });
  t.after(() => {
    for (const visitor of people) visitor.closeSocket({ abrupt: true });
  });
  assert.ok(isUp, "the process has ended");
  // Requests under way take files too, and how many there are just then is chance: 30 to 56 were seen.
  assert.ok(held.length >= 20 && held.length < 130, `${held.length} sockets are held: ${JSON.stringify([...refused])}`);
  assert.ok(
    [...refused.keys()].some((why) => why.includes("503 Too many people")),
    JSON.stringify([...refused]),
  );
  for (const visitor of held) visitor.closeSocket({ abrupt: true });
  const next = new Visitor({ url: `http://127.0.0.1:${made.port}/buy/` });
  await eventually(
    async () =>
      (await next.arrive()).state === "waiting" &&
      next.openSocket().then(
        () => true,
        () => false,
      ),
    { what: "room for somebody new" },
  );
  next.closeSocket({ abrupt: true });
});

/** What `start` says of a folder from which it does not serve. */
const refusal = (made, data) => {
  const { status, stderr } = spawnSync(path.join(made.out, "start"), [], {
    encoding: "utf8",
    timeout: 10_000,
    env: { PATH: process.env.PATH, ...secretsOf(made.out), BATON_ADDRESS: "127.0.0.1:0", BATON_DATA: data },
  });
  return status === 1 ? stderr.split("\n").find((line) => line.startsWith("baton: ")) : undefined;
};

test("start names a data folder that cannot serve, with its cure", async (t) => {
  const made = await folder(t, "http://127.0.0.1:1");
  const file = path.join(made.out, "file");
  writeFileSync(file, "");
  for (const data of ["/sys", path.join(file, "data")]) {
    const said = refusal(made, data);
    assert.ok(said?.includes(data) && /Cure: /.test(said), said);
  }
  await serve(t, made);
  const said = refusal(made, made.data);
  assert.ok(said?.includes(made.data) && /another process.*Cure: /.test(said), said);
});

test("start puts a damaged metadata.sqlite aside, and goes on with a full disk; it says both", async (t) => {
  const made = await folder(t, "http://127.0.0.1:1");
  const first = await serve(t, made);
  const visitor = new Visitor({ url: `http://127.0.0.1:${made.port}/buy/` });
  await visitor.arrive();
  await visitor.openSocket();
  await first.end("SIGKILL");
  const metadata = path.join(made.data, "baton-RoomObject", "metadata.sqlite");
  writeFileSync(metadata, "no database");
  rmSync(path.join(made.data, "in-use"));
  symlinkSync("/dev/full", path.join(made.data, "in-use"));
  const second = await serve(t, made);
  assert.ok(second.said().includes(`${metadata} was damaged`), second.said());
  assert.match(second.said(), /is full.*Cure: /);
  assert.equal((await visitor.status()).json.number, visitor.number);
});

test("written anew: secrets stay, files of the version before stay, no secret is in any other file", async (t) => {
  const made = await folder(t, "http://127.0.0.1:1");
  const secrets = readFileSync(path.join(made.out, "secrets.env"), "utf8");
  writeFileSync(path.join(made.out, "assets", "old-page.js"), "old");
  await writeFolder({ ...made, vars: { ...made.vars, ROOMS: { onsale: { ...ROOM, permits: 7 } } } });
  assert.equal(readFileSync(path.join(made.out, "secrets.env"), "utf8"), secrets);
  assert.equal(statSync(path.join(made.out, "secrets.env")).mode & 0o077, 0, "its owner's only");
  assert.ok(existsSync(path.join(made.out, "assets", "old-page.js")));
  const config = readFileSync(path.join(made.out, "config.capnp"), "utf8");
  assert.match(config, /permits\\":7/);
  for (const value of Object.values(secretsOf(made.out))) {
    const found = filesUnder(made.out).filter((file) => !file.endsWith("workerd") && readFileSync(file).includes(value));
    assert.deepEqual(
      found.map((file) => path.basename(file)),
      ["secrets.env"],
    );
  }
  assert.match(
    readFileSync(path.join(made.out, "baton.service"), "utf8"),
    new RegExp(`ExecStart=${made.out}/start\n[^]*ReadWritePaths=${made.data}\n`),
  );
});

/** nginx with its blocks in docs/fronts.md, listening in the clear as if TLS were done. */
async function behindNginx(t, { port }) {
  const [server, map] = [...readFileSync(inRoot("docs", "fronts.md"), "utf8").matchAll(/```nginx\n([^]*?)```/g)].map(([, block]) => block);
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-nginx-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const own = await freePort();
  // What `$scheme` is where the certificate is.
  const location = server.replace("127.0.0.1:8787", `127.0.0.1:${port}`).replace("$scheme", "https");
  writeFileSync(
    path.join(dir, "nginx.conf"),
    `daemon off; pid ${dir}/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
${map} server { listen 127.0.0.1:${own}; ${location} } }`,
  );
  const child = spawn(nginx, ["-p", dir, "-c", path.join(dir, "nginx.conf"), "-e", "stderr"], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await eventually(
    () =>
      raw(own, "/__baton/health").then(
        ({ status }) => status === 200,
        () => false,
      ),
    { what: "nginx" },
  );
  return own;
}

test("behind nginx as documented: https for the page and its calls, sockets, the visitor's own address", {
  skip: !nginx && "nginx is not installed",
}, async (t) => {
  const made = await folder(t, "http://127.0.0.1:1");
  await serve(t, made);
  const port = await behindNginx(t, made);
  const headers = { host: "tickets.example.com", "x-forwarded-proto": "http", "cf-connecting-ip": "192.0.2.9" };
  const visitor = new Visitor({ url: `http://127.0.0.1:${port}/buy/`, headers });
  assert.equal((await visitor.arrive()).state, "waiting");
  assert.deepEqual(visitor.jar.names(), ["__Host-baton-visitor"]);
  const own = { origin: "https://tickets.example.com" };
  assert.equal((await visitor.call("join", { method: "POST", headers: own })).status, 201);
  assert.equal((await visitor.call("join", { method: "POST", headers: { origin: "http://tickets.example.com" } })).status, 403, "not https");
  const told = await visitor.openSocket({ headers: own });
  assert.equal(told.state, "waiting");
  visitor.closeSocket();
  const statics = /src="(\/__baton\/static\/[^"]+)"/.exec((await visitor.arrive()).body)[1];
  assert.equal((await raw(port, statics)).status, 200);
});

test("c113_behind_nginx: the host that nginx went by is judged, not the one in a header", { skip: !nginx && "nginx is not installed" }, async (t) => {
  const origin = await startOrigin(t, (_request, response) => response.end("in"));
  const made = await folder(t, origin.url, { hosts: ["tickets.example.com"] });
  await serve(t, made);
  const port = await behindNginx(t, made);
  const ask = async (line, host) => {
    const { statuses, text } = await send(port, `${line} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nConnection: close\r\n\r\n`);
    return [statuses[0], /"state":"waiting"|"code":"misdirected"/.exec(text)?.[0]];
  };
  const waits = [429, '"state":"waiting"'];
  const refused = [421, '"code":"misdirected"'];
  assert.deepEqual(await ask("GET /buy/x", "tickets.example.com"), waits);
  assert.deepEqual(await ask("GET http://tickets.example.com/buy/x", "evil.example"), waits);
  for (const [line, host] of [
    ["GET /buy/x", "evil.example"],
    ["GET http://evil.example/buy/x", "tickets.example.com"],
    ["GET /about", "evil.example"],
  ])
    assert.deepEqual(await ask(line, host), refused, line);
  assert.ok([400, 405].includes((await send(port, "CONNECT tickets.example.com:443 HTTP/1.1\r\nHost: tickets.example.com\r\n\r\n")).statuses[0]));
  assert.deepEqual(
    origin.requests.map(({ url }) => url),
    [],
  );
});

test("the unit is one that systemd understands", { skip: !findProgram("systemd-analyze") && "systemd is not installed" }, async (t) => {
  const made = await folder(t, "http://127.0.0.1:1");
  const checked = spawnSync("systemd-analyze", ["verify", path.join(made.out, "baton.service")], { encoding: "utf8" });
  const ours = checked.stderr.split("\n").filter((line) => line.includes("baton.service"));
  assert.deepEqual(ours, []);
});
