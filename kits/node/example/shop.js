// A checkout of two pages on Express (docs/stacks/express.md).

import { DatabaseSync } from "node:sqlite";
import express from "express";
import { FenceGuard, release, StaleFence } from "baton-kit";
import { throughBaton } from "baton-kit/express";

const { ORIGIN_SECRET, BATON_HOSTS, BATON_MODE = "report", PORT = "9000" } = process.env;
const app = express();
app.use(throughBaton({ secret: ORIGIN_SECRET, hosts: BATON_HOSTS?.split(","), mode: BATON_MODE }));
app.use(express.urlencoded({ extended: false }));

const db = new DatabaseSync("shop.sqlite3");
db.exec(FenceGuard.SCHEMA);
const guard = new FenceGuard();
const run = (sql, values) => db.prepare(sql).run(...values).changes;

app.get("/buy/", (request, response) => {
  response.send('<form method="post"><button name="seat" value="4-12">Seat 4-12</button></form>');
});

app.post("/buy/", async (request, response) => {
  db.exec("BEGIN IMMEDIATE");
  try {
    await guard.hold(run, request.baton, `seat:${request.body.seat}`);
    // your own reservation, in the same transaction
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    if (!(error instanceof StaleFence)) throw error;
    return response.status(409).send("This tab is out of date. Please look at your seats anew.");
  }
  response.redirect(`${request.protocol}://${request.get("host")}/buy/done`);
});

app.get("/buy/done", (request, response) => release(response).send("Thank you."));

app.listen(Number(PORT), () => console.log(`the shop listens on port ${PORT}`));
