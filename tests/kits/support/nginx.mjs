// nginx in front of a shop, and PHP's FPM behind it: what most machines of one's own look like.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { folder, fpm, nginx, serve, shopFile } from "./programs.mjs";

/** Starts nginx on `port` with these lines in its `server`. */
export async function startNginx(t, { port, lines }) {
  const dir = folder(t);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${dir}/${name};`).join(" ");
  const config = path.join(dir, "nginx.conf");
  writeFileSync(
    config,
    `${process.getuid() === 0 ? "user root;" : ""} daemon off; worker_processes 1; pid ${dir}/pid; error_log stderr;
events {}
http { access_log off; client_max_body_size 4m; ${temporary}
server { listen 127.0.0.1:${port}; ${lines} } }`,
  );
  return serve(t, nginx, ["-p", dir, "-c", config, "-e", "stderr"], { port });
}

/** What a proxy does by itself: it asks under a host of its own, and leaves X-Forwarded-Host alone. */
export const proxyTo = (port) => `location / { proxy_pass http://127.0.0.1:${port}; }`;

/** What hands every request to one PHP file. */
export const fastcgiTo = (port, file) => {
  const params = {
    QUERY_STRING: "$query_string",
    REQUEST_METHOD: "$request_method",
    CONTENT_TYPE: "$content_type",
    CONTENT_LENGTH: "$content_length",
    REQUEST_URI: "$request_uri",
    SERVER_PROTOCOL: "$server_protocol",
    REMOTE_ADDR: "$remote_addr",
    SERVER_NAME: "$server_name",
    SERVER_PORT: "$server_port",
    SCRIPT_NAME: "/index.php",
    SCRIPT_FILENAME: file,
  };
  const lines = Object.entries(params).map(([name, value]) => `fastcgi_param ${name} ${value};`);
  return `location / { fastcgi_pass 127.0.0.1:${port}; ${lines.join(" ")} }`;
};

/** Starts FPM on `port`. A page's log goes to nginx. */
export async function startFpm(t, { port, env }) {
  const dir = folder(t);
  const config = path.join(dir, "fpm.conf");
  writeFileSync(
    config,
    `[global]
error_log = ${dir}/fpm.log
[shop]
listen = 127.0.0.1:${port}
pm = static
pm.max_children = 2
clear_env = no
php_admin_value[session.save_path] = ${dir}
php_admin_flag[log_errors] = on
${process.getuid() === 0 ? "user = root\ngroup = root" : ""}
`,
  );
  return serve(t, fpm, ["--nodaemonize", "--fpm-config", config, ...(process.getuid() === 0 ? ["--allow-to-run-as-root"] : [])], {
    port,
    env,
    cwd: shopFile(),
  });
}
