// An origin on Express: answers each request with the path that it resolved, as base64. Segments are decoded one by one, as
// its routes decode their parameters; they are joined by line feeds, for a decoded slash separates nothing.

import express from "express";

const app = express();
app.use((request, response) => {
  const segments = request.path.split("/").map((segment) => decodeURIComponent(segment));
  response.type("text/plain").send(Buffer.from(segments.join("\n")).toString("base64"));
});
app.use((_error, _request, response, _next) => response.status(400).end());
const server = app.listen(0, "127.0.0.1", () => console.log(`listening on 127.0.0.1:${server.address().port}`));
