// Attacks on lanes: nobody gets into a better one but by the shop's signed word, and nobody is moved by a link that somebody else opens.

import assert from "node:assert/strict";
import { claimsOf, entry, shopKeys } from "../support/entry.mjs";
import { setCookies } from "../runtime/support/world.mjs";
import { flipped, open } from "./forge.mjs";
import { PAGE, catalogue, each } from "./stage.mjs";

const keys = shopKeys();
const LANES = [
  { name: "vip", title: "VIP" },
  { name: "all", title: "Everybody" },
];
const ROOM = { permits: 0, walk_in: false, entry: "optional", lanes: LANES, tickets_per_ip_max: 0, joins_per_ip_per_minute: 0 };
const row = catalogue({ vars: { ENTRY_KEYS: JSON.stringify([keys.shared]) } });

const tokenOf = (it, sub, lane, { room = it.room, key } = {}) =>
  entry(claimsOf(sub, it.host, { aud: `${room}@${it.host}`, ...(lane && { lane }) }), key);
/** Opens a link with a token as a browser does; yields the answer. */
const opened = (it, visitor, token, headers = {}) => visitor.request(`${it.base}?baton_entry=${token}`, { headers: { ...PAGE, ...headers } });
const laneOf = async (visitor) => (await visitor.status()).json.lane?.name;
/** Somebody who opened a link with this token, and joined. */
async function comes(it, token) {
  const visitor = it.visitor();
  if (token) await opened(it, visitor, token);
  await visitor.arrive();
  const joined = await visitor.join();
  return { visitor, joined };
}

row("c151_a_lane_that_a_visitor_names: in an address, a body, a header, a cookie", ROOM, async (it) => {
  const ways = [
    { path: `${it.base}?lane=vip` },
    { path: `${it.base}?baton_lane=vip` },
    { headers: { "baton-lane": "vip", lane: "vip" } },
    { headers: { cookie: `baton-${it.room}-lane=vip; ${it.cookie("entry")}=vip` } },
  ];
  await each(ways, async ({ path = it.base, headers = {} }) => {
    const visitor = it.visitor();
    await visitor.request(path, { headers: { ...PAGE, ...headers } });
    await visitor.arrive();
    await visitor.request(`/__baton/${it.room}/join?lane=vip`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ lane: "vip" }),
    });
    assert.equal(await laneOf(visitor), "all", path);
  });
});

row("c152_a_lane_in_a_token_that_is_altered: or that another key has signed", ROOM, async (it) => {
  const good = tokenOf(it, "mallory", "all");
  const [header, , mac] = good.split(".");
  const payload = Buffer.from(JSON.stringify(claimsOf("mallory", it.host, { aud: `${it.room}@${it.host}`, lane: "vip" }))).toString("base64url");
  const other = { ...keys.shared, key: "the key of somebody whom nobody knows" };
  for (const forged of [`${header}.${payload}.${mac}`, `${header}.${payload}.`, tokenOf(it, "mallory", "vip", { key: other })]) {
    assert.equal(await laneOf((await comes(it, forged)).visitor), "all");
  }
  assert.equal(await laneOf((await comes(it, tokenOf(it, "ann", "vip"))).visitor), "vip", "the shop's own word counts");
});

row("c153_a_lane_of_another_room: by its token, and by what Baton remembers of one", ROOM, async (it) => {
  const elsewhere = tokenOf(it, "mallory", "vip", { room: "c152" });
  assert.equal(await laneOf((await comes(it, elsewhere)).visitor), "all");
  const there = it.visitor();
  const answer = await there.request(`/c152/?baton_entry=${elsewhere}`, { headers: PAGE });
  const { value: remembered } = setCookies(answer)["baton-c152-entry"];
  const bits = Array.from({ length: open(remembered).bytes.length * 8 }, (_, bit) => bit).filter((bit) => bit % 37 === 0);
  await each(
    [remembered, ...bits.map((bit) => flipped(remembered, bit))],
    async (value) => {
      const page = await it.raw("", { headers: { ...PAGE, cookie: `${it.cookie("entry")}=${value}` } });
      const {
        "baton-visitor": { value: visitor },
      } = setCookies(page);
      const cookie = `baton-visitor=${visitor}; ${it.cookie("entry")}=${value}`;
      const joined = await it.rawAt(`/__baton/${it.room}/join`, { method: "POST", headers: { cookie, accept: "application/json" } });
      assert.equal(JSON.parse(joined.body).lane?.name, "all");
    },
    4,
  );
});

row("c154_a_link_that_somebody_else_opens: the place stays in its lane", ROOM, async (it) => {
  const { visitor: victim, joined } = await comes(it, tokenOf(it, "ann", "all"));
  const stays = async () => {
    const { json } = await victim.status();
    assert.deepEqual([json.number, json.lane.name], [joined.json.number, "all"]);
  };
  const better = tokenOf(it, "ann", "vip");
  for (const options of [{}, { method: "HEAD" }, { headers: { ...PAGE, "sec-purpose": "prefetch" } }]) {
    const scanner = it.visitor();
    await scanner.request(`${it.base}?baton_entry=${better}`, { headers: PAGE, ...options });
    await scanner.request(it.base, { headers: PAGE, ...options });
    await stays();
  }
  // In the victim's own browser too: a look is no joining.
  await opened(it, victim, better, { "sec-fetch-site": "cross-site" });
  await victim.arrive();
  await stays();
  const mallory = await opened(it, victim, tokenOf(it, "mallory", "vip"), { "sec-fetch-site": "cross-site" });
  assert.deepEqual(setCookies(mallory), {}, "another's token is not even remembered");
  assert.equal((await victim.join()).json.lane.name, "vip", "its own it is, and joining moves");
});

row("c155_one_account_in_several_lanes: one place", ROOM, async (it) => {
  const { visitor: phone } = await comes(it, tokenOf(it, "ann", "all"));
  const { visitor: laptop, joined } = await comes(it, tokenOf(it, "ann", "vip"));
  assert.equal(joined.json.lane.name, "vip");
  assert.deepEqual([(await phone.status()).json.state, (await it.report()).waiting], ["over", 1]);
  const { visitor: tablet } = await comes(it, tokenOf(it, "ann", "all"));
  assert.deepEqual([await laneOf(tablet), (await it.report()).waiting], ["vip", 1], "a worse token moves it to no other lane");
  assert.equal((await laptop.status()).json.state, "over");
});
