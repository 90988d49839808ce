// Real origins, each answering with the path that it resolved. Those that are not installed are `undefined`:
//   nginx    Debian: nginx
//   Express  npm install --prefix tests/spellings/node
//   Django   python3 -m venv .baton/django && .baton/django/bin/pip install 'Django==5.2.*'
//   Node, `new URL`   always there
//   PHP, `parse_url`  Debian: php-cli
//   Tomcat   Java 17, and Debian's libtomcat10-embed-java and libtomcat10-java, installed or unpacked into .baton/tomcat/
// `node tests/spellings/install.mjs` sees to all but nginx and Java, without changing the machine.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { findProgram, inRoot, npmProgram } from "../../scripts/common.mjs";

const here = (...parts) => inRoot("tests", "spellings", ...parts);
const django = inRoot(".baton", "django", "bin", "python");
const jars = [inRoot(".baton", "tomcat", "usr", "share", "java"), "/usr/share/java"].find((dir) =>
  existsSync(path.join(dir, "tomcat10-embed-core.jar")),
);
const java = findProgram("java");
const php = findProgram("php");
const nginx = findProgram("nginx", ["/usr/sbin", "/usr/local/sbin"]);
const byText = (text) => text.split("/");
const byLine = (text) => text.split("\n");
const base64 = (body) => Buffer.from(body, "base64").toString();

/** What Tomcat reads depends on two settings: as it comes, and as wide as it can be set. */
const tomcat = (...how) =>
  java && jars && { start: (t) => startProgram(t, java, ["-cp", `${jars}/*`, here("Tomcat.java"), ...how]), read: (body) => byText(base64(body)) };

/**
 * By name: `start(t)` resolves to a port, `read(body)` makes segments of an answer's body (latin1). One that `takesHosts` reads the path behind the first
 * segment of a target of several slashes. Baton may ask for a pass where such a path is nobody's.
 */
export const ORIGINS = {
  nginx: nginx && { start: startNginx, read: (body) => byText(Buffer.from(body, "latin1").toString()) },
  Express: existsSync(here("node", "node_modules", "express")) && {
    start: (t) => startProgram(t, npmProgram("node"), [here("node", "express.mjs")]),
    read: (body) => byLine(base64(body)),
  },
  Django: existsSync(django) && { start: (t) => startProgram(t, django, [here("django_origin.py")]), read: (body) => byText(base64(body)) },
  "Node, new URL": {
    takesHosts: true,
    start: (t) => startProgram(t, npmProgram("node"), [here("url_origin.mjs")]),
    read: (body) => byText(base64(body)),
  },
  "PHP, parse_url": php && { takesHosts: true, start: startPhp, read: (body) => byText(base64(body)) },
  Tomcat: tomcat(),
  "Tomcat, wide": tomcat("decode"),
};

function startProgram(t, program, args) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  t.after(kill);
  return new Promise((resolve, reject) => {
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        said += chunk;
        const port = /listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
        if (port) resolve(Number(port));
      });
    }
    child.once("exit", (code) => reject(new Error(`${program} ended (${code}): ${said.slice(-2_000)}`)));
  });
}

async function startNginx(t) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-nginx-"));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 9, retryDelay: 100 }));
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${dir}/${name};`).join(" ");
  writeFileSync(
    path.join(dir, "nginx.conf"),
    `${process.getuid() === 0 ? "user root;" : ""} daemon off; pid ${dir}/pid; error_log /dev/null crit; events {}
http { access_log off; ${temporary} keepalive_requests 100000;
server { listen 127.0.0.1:${port}; location / { default_type text/plain; return 200 $uri; } } }`,
  );
  const child = spawn(nginx, ["-p", dir, "-c", path.join(dir, "nginx.conf"), "-e", "stderr"], { stdio: "ignore" });
  const kill = () => child.kill("SIGTERM");
  process.once("exit", kill);
  t.after(kill);
  return listening(port, "nginx");
}

function startPhp(t) {
  return freePort().then((port) => {
    const child = spawn(php, ["-S", `127.0.0.1:${port}`, here("url_origin.php")], { stdio: "ignore" });
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    t.after(kill);
    return listening(port, "php");
  });
}

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const free = server.address().port;
      server.close(() => resolve(free));
    });
  });

async function listening(port, name) {
  for (let tries = 0; tries < 200; tries += 1) {
    const answers = await new Promise((resolve) => {
      const socket = net.connect(port, "127.0.0.1", () => resolve(socket.destroy() && true));
      socket.on("error", () => resolve(false));
    });
    if (answers) return port;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${name} does not start`);
}
