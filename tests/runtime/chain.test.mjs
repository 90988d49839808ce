// The head of a room's chain, for everybody: whoever notes it during a sale finds it in the journal that is published later.

import assert from "node:assert/strict";
import { journalOf } from "../support/audit.mjs";
import { judge } from "../support/openapi.mjs";
import { play } from "./harness.mjs";

play("a head that was noted during the sale is a row's of the journal, whatever comes after", { permits: 1 }, async (it) => {
  const ask = (path, headers) => fetch(`${it.rt.url}/__baton/${path}`, { headers });
  const api = judge(await (await ask("admin/openapi.json", { authorization: `Bearer ${it.token}` })).json());
  const holder = it.visitor();
  await holder.arrive();
  await holder.arrive();
  const answer = await ask("onsale/chain");
  const text = await answer.clone().text();
  const noted = await api.check("/__baton/{room}/chain", "GET", answer);
  assert.equal(noted.room, "onsale");
  assert.ok(noted.row > 0 && Math.abs(noted.at_ms - Date.now()) < 60_000, text);
  const waiter = it.visitor();
  await waiter.arrive();
  await waiter.openSocket();
  // Who asks again at once is told the same: it costs the room nothing.
  assert.equal(await (await ask("onsale/chain")).text(), text);
  const rows = (await journalOf({ url: it.rt.url, token: it.token }))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(rows.find(({ version }) => version === noted.row).hash, noted.hash);
  assert.ok(rows.at(-1).version > noted.row, "something came after");
  assert.equal((await ask("nowhere/chain")).status, 404);
  assert.equal((await fetch(`${it.rt.url}/__baton/onsale/chain`, { method: "POST" })).status, 405);
});
