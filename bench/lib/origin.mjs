// The least origin: a page of 1 KiB for everything, and `Baton-Release: 1` on what ends in /release. A process of its
// own, so that it does not share a thread with whoever measures. Prints its port; ends with its parent.

import http from "node:http";

const PAGE = Buffer.alloc(1024, "x");

const server = http.createServer((request, response) => {
  const headers = { "content-type": "text/html", "content-length": PAGE.length, "cache-control": "no-store" };
  if (request.url.endsWith("/release")) headers["baton-release"] = "1";
  response.writeHead(200, headers);
  response.end(PAGE);
});
server.keepAliveTimeout = 65_000;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit(0));
