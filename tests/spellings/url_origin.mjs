// A server of Node's own that reads its target as `new URL(target, base)` does: after several slashes it takes the first segment for a host.

import http from "node:http";

const server = http.createServer((request, response) => {
  try {
    const { pathname } = new URL(request.url, "http://shop.internal");
    response.end(Buffer.from(decodeURIComponent(pathname)).toString("base64"));
  } catch {
    response.writeHead(400).end();
  }
});
server.listen(0, "127.0.0.1", () => console.log(`listening on 127.0.0.1:${server.address().port}`));
