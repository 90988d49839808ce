// Every version since 0.1.0 left a sale in the middle: somebody inside and a line, in a room of the file and in one of the house, an operator at the
// desk, and changes that no receiver has taken. The worker of now goes on with it as if nothing had been.
//
// A version that is not released yet writes its sale anew: BATON_FREEZE=0.1.0 node --test tests/runtime/frozen.test.mjs

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { audited, journalOf } from "../support/audit.mjs";
import { freeze, NOOR, thaw, versions } from "./support/frozen.mjs";
import { TOKEN } from "./support/housed.mjs";
import { noShim } from "./support/set_clock.mjs";
import { eventually } from "./support/world.mjs";

const writes = process.env.BATON_FREEZE;
if (writes) test(`the sale of ${writes} is written`, { timeout: 120_000 }, (t) => freeze(t, writes));

for (const version of writes ? [] : versions()) {
  test(`the sale that ${version} left goes on`, { timeout: 120_000, skip: noShim }, async (t) => {
    const { baton, host, house, newcomer, people, raw, receiver, sale, takes, url } = await thaw(t, version);
    await t.test("each has the place, and the pass is good", async () => {
      for (const { visitor, state, number, ahead, room } of people) {
        const came = await visitor.arrive();
        await visitor.status();
        assert.deepEqual([came.state, visitor.number], [state, number], room);
        assert.ok(state === "shop" || visitor.ahead <= ahead, `${room}: number ${number} had ${ahead} ahead and has ${visitor.ahead}`);
        if (state === "waiting") await visitor.openSocket({ resume: true });
      }
    });
    await t.test("whoever leaves makes room for the next, and nobody else", async () => {
      for (const room of ["onsale", "shows"]) {
        const [holder, next, last] = people.filter((person) => person.room === room).map(({ visitor }) => visitor);
        await holder.leave();
        await next.waitForState("called");
        assert.equal((await next.claimByLanding()).state, "shop", room);
        assert.equal((await last.status()).json.state, "waiting", room);
      }
    });
    await t.test("a newcomer gets the number after all others", async () => {
      const person = newcomer();
      await person.arrive();
      assert.equal((await person.join()).json.number, 4);
    });
    await t.test("operators, their sessions, rooms, brands and pictures are there", async () => {
      const at = (path, headers) => fetch(new URL(path, url), { headers });
      assert.equal((await at("/__baton/admin/rooms/shows", { authorization: `Bearer ${NOOR}` })).status, 200, "an operator of the house");
      assert.equal((await raw("/__baton/admin/rooms", { headers: { cookie: sale.desk, host } })).status, 200, "a session at the desk");
      assert.ok((await house.look()).json.rooms.shows, "a room of the house");
      const logo = await at(`/__baton/images/${sale.picture}`, {});
      const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
      assert.equal(
        digest(Buffer.from(await logo.arrayBuffer())),
        digest(readFileSync(inRoot("tests", "fixtures", "images", "logo.png"))),
        "a picture",
      );
      const page = await (await at("/shows/2", { accept: "text/html", "sec-fetch-dest": "document" })).text();
      assert.ok(page.includes("Shows") && page.includes(sale.picture), "a brand");
      const { json } = await house.call("rooms/onsale");
      assert.equal(json.settings.message.value, "Frozen in line", "a live setting");
    });
    await t.test("a receiver is told what it was not told, under the same id, first", async () => {
      receiver.messages.length = 0;
      takes.now = true;
      const taken = await eventually(() => receiver.messages.length > 0 && receiver.messages, { what: "a message", timeoutMs: 60_000 });
      assert.equal(taken[0].id, sale.untold);
    });
    await t.test("the journals are one chain", async () => {
      for (const room of ["onsale", "shows"]) {
        const { sound, text } = await audited(await journalOf({ url: baton.url, token: TOKEN, room }));
        assert.ok(sound, text);
      }
    });
  });
}
