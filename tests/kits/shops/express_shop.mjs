// The test's shop on Express with Baton's kit. Its routes are those of tests/kits/support/story.mjs.
//
// PORT, ORIGIN_SECRET, BATON_HOSTS and BATON_MODE come from the environment, the database file from SHOP_DATABASE.

import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import busboy from "busboy";
import express from "express";
import { extend, FenceGuard, NoLease, release, StaleFence, stock } from "../../../kits/node/src/index.js";
import { throughBaton } from "../../../kits/node/src/express.js";

const { PORT, ORIGIN_SECRET, BATON_HOSTS, BATON_MODE, SHOP_DATABASE } = process.env;
const db = new DatabaseSync(SHOP_DATABASE);
db.exec(FenceGuard.SCHEMA);
const guard = new FenceGuard();
const run = (sql, values) => db.prepare(sql).run(...values).changes;
const here = (request) => `${request.protocol}://${request.get("host")}`;

/** What stands in for a CSRF library: a form comes from the shop's own pages. */
function fromOwnPages(request, response, next) {
  if (request.method !== "POST" || request.path === "/buy/paid" || request.get("origin") === here(request)) return next();
  return response.status(403).send("not from this shop");
}

async function seat(request, response) {
  db.exec("BEGIN IMMEDIATE");
  try {
    await guard.hold(run, request.baton, `seat:${request.body.seat}`);
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    if (!(error instanceof StaleFence || error instanceof NoLease)) throw error;
    return response.status(409).json({ refused: error.constructor.name });
  }
  return response.json({ seat: request.body.seat });
}

function upload(request, response) {
  const reader = busboy({ headers: request.headers });
  reader.on("file", (_name, stream) => {
    const hash = createHash("sha256");
    let bytes = 0;
    stream.on("data", (chunk) => {
      hash.update(chunk);
      bytes += chunk.length;
    });
    stream.on("end", () => response.json({ bytes, sha256: hash.digest("hex") }));
  });
  request.pipe(reader);
}

const app = express();
app.use(throughBaton({ secret: ORIGIN_SECRET, hosts: BATON_HOSTS.split(","), mode: BATON_MODE }));
app.use(fromOwnPages, express.urlencoded({ extended: false }));
app.post("/buy/login", (request, response) => response.cookie("name", request.body.name).redirect(`${here(request)}/buy/`));
app.post("/buy/seat", seat);
app.post("/buy/upload", upload);
app.get("/buy/more", (request, response) => extend(stock(response, { secret: ORIGIN_SECRET, room: "onsale", left: 1_200 }), 60).json({ more: true }));
app.post("/buy/paid", (_request, response) => response.redirect(303, "/buy/thanks"));
app.post("/buy/done", (_request, response) => release(response).json({ done: true }));
app.get("/{*any}", (request, response) => {
  const { room, ticket, fence } = request.baton ?? {};
  const name = /(?:^|; )name=(\w+)/.exec(request.get("cookie") ?? "")?.[1] ?? null;
  response.json({ csrf: "", absolute: `${here(request)}/buy/seat`, name, path: request.path, visit: request.baton && { room, ticket, fence } });
});
app.listen(Number(PORT), "127.0.0.1");
