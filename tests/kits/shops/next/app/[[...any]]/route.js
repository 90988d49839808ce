// The test's shop on Next.js with Baton's kit. Its routes are those of tests/kits/support/story.mjs.

import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { extend, FenceGuard, NoLease, release, StaleFence, stock } from "baton-kit";
import { visitIn } from "baton-kit/next";

export const dynamic = "force-dynamic";

let database;
function open() {
  if (database) return database;
  database = new DatabaseSync(process.env.SHOP_DATABASE);
  database.exec(FenceGuard.SCHEMA);
  return database;
}

const here = ({ headers }) => `${headers.get("x-forwarded-proto")}://${headers.get("host")}`;

/** Next itself checks forms of server actions alone; what stands in for them here looks at the Origin. */
const isForeign = (request, path) => path !== "/buy/paid" && request.headers.get("origin") !== here(request);

async function seat(request, form) {
  const db = open();
  const run = (sql, values) => db.prepare(sql).run(...values).changes;
  db.exec("BEGIN IMMEDIATE");
  try {
    await new FenceGuard().hold(run, visitIn(request.headers), `seat:${form.get("seat")}`);
    db.exec("COMMIT");
    return Response.json({ seat: form.get("seat") });
  } catch (error) {
    db.exec("ROLLBACK");
    if (!(error instanceof StaleFence || error instanceof NoLease)) throw error;
    return Response.json({ refused: error.constructor.name }, { status: 409 });
  }
}

async function upload(form) {
  const bytes = Buffer.from(await form.get("ticket").arrayBuffer());
  return Response.json({ bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
}

export async function GET(request) {
  const path = new URL(request.url).pathname;
  if (path === "/buy/more")
    return extend(stock(Response.json({ more: true }), { secret: process.env.ORIGIN_SECRET, room: "onsale", left: 1_200 }), 60);
  const visit = visitIn(request.headers);
  const name = /(?:^|; )name=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? null;
  return Response.json({
    csrf: "",
    absolute: `${here(request)}/buy/seat`,
    name,
    path,
    visit: visit && { room: visit.room, ticket: visit.ticket, fence: visit.fence },
  });
}

export async function POST(request) {
  const path = new URL(request.url).pathname;
  if (isForeign(request, path)) return new Response("not from this shop", { status: 403 });
  const form = await request.formData();
  const routes = {
    "/buy/login": () =>
      new Response(null, { status: 302, headers: { location: `${here(request)}/buy/`, "set-cookie": `name=${form.get("name")}; Path=/` } }),
    "/buy/seat": () => seat(request, form),
    "/buy/upload": () => upload(form),
    "/buy/paid": () => new Response(null, { status: 303, headers: { location: "/buy/thanks" } }),
    "/buy/done": () => release(Response.json({ done: true })),
  };
  return routes[path]?.() ?? new Response("not found", { status: 404 });
}
