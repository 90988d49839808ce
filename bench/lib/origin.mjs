// The smallest origin: it answers everything with a page of 1 KiB, and adds `Baton-Release: 1` to paths that end in /release. It is a process of its
// own, so that it shares no thread with the measuring one. It prints its port, and ends with its parent.

import http from "node:http";

const PAGE = Buffer.alloc(1024, "x");

const server = http.createServer((request, response) => {
  const headers = { "content-type": "text/html", "content-length": PAGE.length, "cache-control": "no-store" };
  if (request.url.endsWith("/release")) headers["baton-release"] = "1";
  response.writeHead(200, headers);
  response.end(PAGE);
});
server.keepAliveTimeout = 65_000;
server.listen(0, "127.0.0.1", () => console.log(/** @type {import("node:net").AddressInfo} */ (server.address()).port));
process.stdin.resume().on("end", () => process.exit(0));
