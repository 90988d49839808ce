// The clients that a framework builds: each has an app in apps/, which shows the same pages, and a server of its own.

import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { spawn } from "node:child_process";
import path from "node:path";
import { inRoot } from "../../../scripts/common.mjs";
import { eventually } from "../../runtime/harness.mjs";
import { withNode } from "../install.mjs";
import { KEEP } from "./shop.mjs";

const app = (name) => ({ app: inRoot("tests", "world", "routers", "apps", name) });

export const FRAMEWORKS = {
  "next-app": {
    ...app("next"),
    packages: { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1" },
    build: ["next", "build"],
    serve: (port) => [["node_modules/.bin/next", "start", "-p", port, "-H", "127.0.0.1"]],
  },
  "next-pages": {
    ...app("next-pages"),
    packages: { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1" },
    build: ["next", "build"],
    paths: ["/_next/data/*/buy*", "/_next/data/*/buy/*"],
    serve: (port) => [["node_modules/.bin/next", "start", "-p", port, "-H", "127.0.0.1"]],
  },
  "react-router": {
    ...app("react-router"),
    keep: true,
    build: ["react-router", "build"],
    paths: ["/buy.data"],
    packages: {
      "react-router": "8.4.0",
      "@react-router/dev": "8.4.0",
      "@react-router/node": "8.4.0",
      "@react-router/serve": "8.4.0",
      react: "19.3.1",
      "react-dom": "19.3.1",
      isbot: "5.2.3",
      vite: "8.3.8",
    },
    serve: (port) => [["node_modules/.bin/react-router-serve", "build/server/index.js"], { PORT: port, HOST: "127.0.0.1" }],
  },
  sveltekit: {
    ...app("sveltekit"),
    keep: true,
    build: ["vite", "build"],
    packages: {
      "@sveltejs/kit": "3.2.0",
      "@sveltejs/adapter-node": "6.0.1",
      "@sveltejs/vite-plugin-svelte": "7.3.1",
      svelte: "5.57.3",
      vite: "8.3.8",
    },
    serve: (port) => [["build/index.js"], { PORT: port, HOST: "127.0.0.1" }],
  },
  astro: {
    ...app("astro"),
    packages: { astro: "7.3.5", "@astrojs/node": "11.1.6" },
    build: ["astro", "build"],
    serve: (port) => [["dist/server/entry.mjs"], { PORT: port, HOST: "127.0.0.1" }],
  },
  nuxt: {
    ...app("nuxt"),
    keep: true,
    packages: { nuxt: "4.5.2" },
    build: ["nuxt", "build"],
    serve: (port) => [[".output/server/index.mjs"], { PORT: port, HOST: "127.0.0.1" }],
  },
};

/** The thank-you page, and what a router fetches for it. */
const DONE = /^(\/_next\/data\/[^/]+)?\/buy\/done\b/;

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/**
 * Starts the framework's own server once, and returns how a shop before it starts: it hands everything on, writes down what comes in, and releases with
 * the thank-you page, whatever address of it is asked.
 */
export async function serving(client, folder) {
  const port = await freePort();
  const [command, env = {}] = client.serve(port);
  const child = spawn(path.join(inRoot("node_modules", ".bin"), "node"), command, {
    cwd: folder,
    env: { ...withNode, NODE_ENV: "production", ...env },
    stdio: "ignore",
  });
  process.once("exit", () => child.kill("SIGKILL"));
  await eventually(
    () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { everyMs: 100, what: `${command[0]} on port ${port}` },
  );
  return { start: () => startShop(port, client.keep), stop: () => child.kill("SIGKILL") };
}

async function startShop(port, keeps) {
  const came = [];
  const server = http.createServer((request, response) => {
    came.push({ method: request.method, path: request.url, inside: request.headers["baton-fence"] !== undefined });
    // As a shop does that believes its proxy: React Router refuses a form whose Origin is another host's.
    const headers = { ...request.headers, host: request.headers["x-forwarded-host"] ?? request.headers.host };
    const onward = http.request(
      {
        port,
        host: "127.0.0.1",
        path: request.url,
        method: request.method,
        headers: { ...headers, ...(keeps && { "accept-encoding": "identity" }) },
      },
      (answer) => {
        const isPage = keeps && /^text\/html/.test(answer.headers["content-type"]);
        const { "content-length": length, ...others } = answer.headers;
        response.writeHead(answer.statusCode, {
          ...others,
          ...(length && !isPage && { "content-length": length }),
          ...(DONE.test(request.url) && { "baton-release": "1" }),
        });
        if (!isPage) return answer.pipe(response);
        // As if it stood in the app's own template.
        answer
          .setEncoding("utf8")
          .toArray()
          .then(
            (chunks) => response.end(chunks.join("").replace("<head>", `<head>${KEEP}`)),
            () => response.destroy(),
          );
      },
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    came,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
