// What nobody but its owner may read: secrets and cookies, in answers and in the log.

import assert from "node:assert/strict";
import { JSON_ONLY, PAGE, catalogue } from "./stage.mjs";

const row = catalogue({ runtime: { door: false } });

/** All of an answer, to look for what must not be in it. */
const textOf = ({ rawHeaders, body }) => `${rawHeaders.join("\n")}\n${body}`;

row("c86_no_secret_anywhere: not in an answer, not in a log", { permits: 1 }, async (it) => {
  const holder = await it.holder();
  const waiter = await it.waiter();
  const admin = { headers: { authorization: `Bearer ${it.secrets.BATON_ADMIN_TOKEN}` } };
  const answers = await Promise.all([
    it.raw("x", { headers: PAGE }),
    it.raw("x", { headers: JSON_ONLY }),
    it.raw("x", { headers: { ...PAGE, cookie: waiter.jar.header() } }),
    it.rawAt(`/__baton/${it.room}/status`),
    it.rawAt("/__baton/metrics", admin),
    it.rawAt("/__baton/admin/rooms", admin),
    it.rawAt(`/__baton/admin/rooms/${it.room}/journal`, admin),
    it.rawAt("/__baton/health"),
    it.rawAt("/%zz"),
    it.rawAt("/__baton/x"),
  ]);
  const told = answers.map(textOf).join("\n");
  // Cookies are for their owner and for no log: what this room gave out is looked for too.
  const given = ["pass", "ticket", "visitor"].flatMap((kind) => [holder.cookie(kind), waiter.cookie(kind)]).filter(Boolean);
  for (const secret of Object.values(it.secrets)) {
    assert.ok(!told.includes(secret), "a secret in an answer");
    assert.ok(!it.rt.logs().includes(secret), "a secret in the log");
  }
  for (const token of given) {
    assert.ok(!told.includes(token), "another's cookie in an answer");
    assert.ok(!it.rt.logs().includes(token), "a cookie in the log");
  }
});
