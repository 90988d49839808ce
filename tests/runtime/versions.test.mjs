// Builds side by side: while a deploy is under way front, lobby and room may be of different ones. An object that gets a
// message of another version takes nothing for granted: it asks visitors to try again, passes go on, and afterwards everybody
// is where they were. Each way is tried with a later version and with an older one.

import assert from "node:assert/strict";
import { inRoot } from "../../scripts/common.mjs";
import { eventually, play } from "./harness.mjs";

const skewed = { wrapper: inRoot("tests", "runtime", "support", "skew.js") };
const OTHERS = [2, 0];

/** Makes these ways speak that version from now on. Resolves to how many messages were changed so far. */
const skew = async (it, ways, version) => (await fetch(`${it.rt.url}/skew/${ways}/${version}`)).json();
const straight = (it) => skew(it, "", 1);

for (const way of ["to_lobby", "from_lobby", "to_room", "from_room"]) {
  play(`${way}: of another build is answered "try again", and nothing is lost by it`, { permits: 1, ...skewed }, async (it) => {
    const holder = await it.holder();
    const line = await it.line(2);
    for (const version of OTHERS) {
      await skew(it, way, version);
      const stranger = it.visitor();
      await stranger.request("/__baton/onsale/status");
      const refused = await stranger.join();
      assert.deepEqual([refused.status, refused.error], [503, "room_unavailable"], `version ${version}`);
      assert.ok(Number(refused.headers["retry-after"]) > 0);
      assert.equal((await it.visitor().arrive()).state, "waiting", "nobody walks in");
      assert.equal((await holder.arrive()).state, "shop", "a pass asks nobody");
      const changed = await straight(it);
      assert.ok(changed[way] > 0, `${way} was tried`);
      const joined = await eventually(
        async () => {
          const answer = await stranger.join();
          return [200, 201].includes(answer.status) && answer;
        },
        { what: "a number, once the builds agree" },
      );
      line.push(stranger);
      assert.equal(joined.json.ahead, line.length - 1);
    }
    await holder.request("/buy/release");
    await line[0].waitForState("called");
    assert.ok(
      line.slice(1, 2).every(({ state }) => state === "waiting"),
      "in order",
    );
  });
}

for (const way of ["to_socket", "from_socket"]) {
  play(`${way}: a socket of another build is answered "try again", and nobody loses a place by it`, { permits: 1, ...skewed }, async (it) => {
    const holder = await it.holder();
    const line = await it.line(2);
    for (const version of OTHERS) {
      const stranger = it.visitor();
      await stranger.request("/__baton/onsale/status");
      const numbers = line.map(({ tab }) => tab.number);
      const before = (await skew(it, way, version))[way] ?? 0;
      for (const [visitor, options] of [
        [line[0], { resume: true }],
        [line[1], {}],
        [stranger, {}],
      ]) {
        const refused = await visitor.openSocket(options).then(
          () => ({}),
          (error) => error,
        );
        assert.deepEqual([refused.status, refused.error], [503, "room_unavailable"], `${visitor.name}, version ${version}: ${refused.message}`);
        assert.ok(refused.retryAfterS > 0);
      }
      assert.ok((await straight(it))[way] >= before + 3, `${way} was tried`);
      for (const visitor of [line[0], line[1], stranger]) await visitor.openSocket();
      assert.deepEqual(
        line.map(({ tab }) => tab.number),
        numbers,
        "everybody has the number of before",
      );
      line.push(stranger);
      assert.equal((await stranger.status()).json.ahead, line.length - 1, "and the stranger one, behind all");
    }
    await holder.request("/buy/release");
    await line[0].waitForState("called");
    assert.ok(
      line.slice(1).every(({ state }) => state === "waiting"),
      "in order",
    );
  });
}

play("measurements in the form of another build are lost, and no visitor's ask with them", { permits: 1, ...skewed }, async (it) => {
  await skew(it, "measured", 1);
  const holder = await it.holder();
  const line = await it.line(2);
  const before = (await straight(it)).measured;
  assert.ok(before >= 3, `${before} asks and sockets brought them`);
  await skew(it, "measured", 1);
  await holder.request("/buy/release");
  await line[0].waitForState("called");
  assert.equal((await line[0].claimByLanding()).state, "shop");
});

for (const way of ["push", "heard"]) {
  play(`${way}: of another build is not taken for heard: the call is told once the builds agree`, { permits: 1, ...skewed }, async (it) => {
    const holder = await it.holder();
    const line = await it.line(OTHERS.length);
    let inside = holder;
    for (const [at, version] of OTHERS.entries()) {
      const before = (await skew(it, way, version))[way] ?? 0;
      await inside.request("/buy/release");
      await eventually(async () => ((await skew(it, way, version))[way] ?? 0) > before, { what: `a ${way} of version ${version}` });
      await straight(it);
      await line[at].waitForState("called");
      assert.equal((await line[at].claimByLanding()).state, "shop");
      inside = line[at];
    }
  });
}

play(
  "objects of a build that reads no message in a header are asked in the body again, and nobody notices",
  { permits: 1, wrapper: inRoot("tests", "runtime", "support", "bodies.js") },
  async (it) => {
    const turn = async (to) => (await fetch(`${it.rt.url}/bodies/${to}`)).json();
    const holder = await it.holder();
    const line = await it.line(2);
    // Objects of this build have answered in the header, so they are asked in it.
    assert.ok((await turn("on")).asked > 0);
    const stranger = it.visitor();
    await stranger.request("/__baton/onsale/status");
    assert.equal((await stranger.join()).status, 201, "at the first try");
    await holder.request("/buy/release");
    await line[0].waitForState("called");
    const { vain } = await turn("off");
    assert.ok(vain > 0, "the old build came back while it was not expected");
    assert.equal((await line[0].claimByLanding()).state, "shop");
    await line[0].request("/buy/release");
    await line[1].waitForState("called");
    assert.ok((await turn("off")).vain === 0);
  },
);
