// Origins with a check of `Baton-Proof`: the kits for Node and Python on bare servers, and nginx by the files of docs/origin/, with
// other ports. Each answers what it got as JSON, to who came through Baton.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { throughBaton } from "../../kits/node/src/express.js";
import { findProgram, inRoot } from "../../scripts/common.mjs";
import { eventually } from "../runtime/support/world.mjs";

const SBIN = ["/usr/sbin", "/usr/local/sbin"];
const MODULES = ["/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/etc/nginx/modules"].map((dir) => path.join(dir, "ngx_http_js_module.so"));
const docs = (name) => readFileSync(inRoot("docs", "origin", name), "utf8");

export const python = findProgram("python3");
export const nginx = findProgram("nginx", SBIN);
export const njs = nginx && MODULES.find((file) => existsSync(file));

async function echo(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.setHeader("content-type", "application/json");
  response.setHeader("shop-host", request.headers.host);
  response.end(JSON.stringify({ method: request.method, url: request.url, body: Buffer.concat(chunks).toString() }));
}

async function listen(t, handler) {
  const server = http.createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return server.address().port;
}

/** Node, by the kit. Resolves to its port, as all of these do. */
export function startNode(t, { secret, host, store, reportOnly, said = [] }) {
  const gate = throughBaton({ secret, hosts: [host], store, mode: reportOnly ? "report" : "enforce", log: (line) => said.push(line) });
  return listen(t, (request, response) => gate(request, response, () => echo(request, response)));
}

/** Python, by the kit's WSGI wrapper. */
export function startPython(t, { secret, host, more = "", reportOnly = false, said }) {
  const program = `
import json, logging, os, sys
from wsgiref.simple_server import WSGIRequestHandler, make_server
from baton_kit import Checker
from baton_kit.wsgi import ThroughBaton
class Raw(WSGIRequestHandler):
    def get_environ(self):
        return {**super().get_environ(), "RAW_URI": self.requestline.split()[1]}  # for the echo alone
    def log_message(self, *_): pass
def shop(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Shop-Host", environ["HTTP_HOST"])])
    return [json.dumps({"method": environ["REQUEST_METHOD"], "url": environ["RAW_URI"], "body": body}).encode()]
${more}
checker = Checker(os.environ["ORIGIN_SECRET"], [${JSON.stringify(host)}], mode="${reportOnly ? "report" : "enforce"}"${more && ", store=Store()"})
server = make_server("127.0.0.1", 0, ThroughBaton(shop, checker), handler_class=Raw)
print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
`;
  return portOf(run(t, python, ["-c", program], secret, said));
}

/** nginx with njs, by nginx-njs.conf. */
export async function startNjs(t, { secret, host, reportOnly = false, said }) {
  const config = docs("nginx-njs.conf")
    .replace('report_only "off"', `report_only "${reportOnly ? "on" : "off"}"`)
    .replace("/etc/nginx/baton", inRoot("docs", "origin"))
    .replace('"tickets.example.com"', `"${host}"`);
  return startNginx(t, { secret, config, modules: [njs], ports: { 9001: await listen(t, echo) }, said });
}

/** Any nginx, by nginx-auth-request.conf, which `change` may change, and the verifier of the Python kit. */
export async function startAuthRequest(t, { secret, host, reportOnly = false, said, change = (config) => config }) {
  const verifier = run(
    t,
    python,
    ["-m", "baton_kit.verifier", "--listen", "127.0.0.1:0", "--host", host, ...(reportOnly ? ["--report-only"] : [])],
    secret,
    said,
  );
  return startNginx(t, {
    secret,
    config: change(docs("nginx-auth-request.conf")),
    ports: { 9001: await listen(t, echo), 9101: await portOf(verifier) },
  });
}

async function startNginx(t, { secret, config, modules = [], ports, said }) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-nginx-"));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const port = await freePort();
  const http = Object.entries({ 9000: port, ...ports }).reduce((text, [from, to]) => text.replaceAll(`127.0.0.1:${from}`, `127.0.0.1:${to}`), config);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${dir}/${name};`).join("\n");
  const user = process.getuid() === 0 ? "user root;" : "";
  writeFileSync(
    path.join(dir, "nginx.conf"),
    `${modules.map((file) => `load_module ${file};`).join("\n")}
${user} daemon off; worker_processes 1; env ORIGIN_SECRET; pid ${dir}/pid; error_log stderr;
events {}
http {
access_log off;
${temporary}
${http}
}
`,
  );
  const child = run(t, nginx, ["-p", dir, "-c", path.join(dir, "nginx.conf"), "-e", "stderr"], secret, said);
  await eventually(async () => (await answers(port)) || (child.exitCode !== null && Promise.reject(new Error(`nginx ended: ${child.said}`))), {
    what: "nginx",
  });
  return port;
}

const freePort = async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
};

const answers = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });

function run(t, program, args, secret, said = []) {
  const child = spawn(program, args, {
    env: { ...process.env, ORIGIN_SECRET: secret, PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: inRoot("kits", "python", "src") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      child.said += chunk;
      said.push(String(chunk));
    });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  t.after(async () => {
    process.removeListener("exit", kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  return child;
}

/** The port that a program says it listens on. */
async function portOf(child) {
  const listening = () => /listening on 127\.0\.0\.1:(\d+)/.exec(child.said)?.[1];
  return Number(await eventually(() => listening() || (child.exitCode !== null && Promise.reject(new Error(child.said))), { what: "its port" }));
}
