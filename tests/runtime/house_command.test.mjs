// `npm run house` against a running Baton: what it shows, what it does, what it refuses, and with which exit code.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { inRoot, npmProgram, run } from "../../scripts/common.mjs";
import { withSet } from "../../scripts/house.mjs";
import { readRooms } from "../../scripts/house/file.mjs";
import { planText } from "../../scripts/house/text.mjs";
import { audited } from "../support/audit.mjs";
import { housed, TOKEN } from "./support/housed.mjs";

/** A folder, and the command in it: `{ code, text }`. */
function desk(t, url) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "baton-house-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = (name, text) => {
    const at = path.join(dir, name);
    writeFileSync(at, text);
    return at;
  };
  const house = async (args, { token = TOKEN } = {}) => {
    const env = { ...process.env, BATON_ADMIN_TOKEN: token };
    const { code, text, out } = await run(npmProgram("node"), [inRoot("scripts", "house.mjs"), ...args, ...(url ? ["--url", url] : [])], {
      env,
      capture: true,
      quiet: true,
    });
    assert.ok(!/^\s+at .*:\d+:\d+/m.test(text), `no stack trace: ${text}`);
    return { code, text, out };
  };
  return { file, house, dir };
}

test("plan, apply, clone, delete, release, undo, export and journal, from the first room to the last", async (t) => {
  const world = await housed(t);
  const { file, house, dir } = desk(t, world.url);
  const must = async (args, said, code = 0) => {
    const done = await house(args);
    assert.equal(done.code, code, `${args}: ${done.text}`);
    assert.match(done.text, said);
    return done;
  };
  const spring = file(
    "rooms.toml",
    '[rooms.spring]\npaths = ["/spring/*"]\npermits = 20\nopens_at = 2030-01-01T10:00:00+09:00\n\n[rooms.hall]\npaths = ["/hall/*"]\npermits = 3\n',
  );
  const { text } = await must(["plan", spring], /^\+ hall is new\n {4}paths {4}\["\/hall\/\*"\]\n {4}permits {2}3\n\+ spring is new\n/);
  assert.ok(!text.includes("\u001b"), "no colours into a pipe");
  assert.equal((await world.house.look()).json.revision, 0, "a plan changes nothing");
  const silent = await house(["apply", spring]);
  assert.deepEqual([silent.code, /Say --yes/.test(silent.text)], [2, true], "nobody is there to be asked");
  assert.equal((await world.house.look()).json.revision, 0);
  await must(["list"], /^The house has no rooms yet\.$/m);
  await must(["apply", spring, "--yes"], /Done: revision 1\./);
  await must(["apply", spring, "--yes"], /^Nothing would change\.$/m);

  const out = path.join(dir, "house.json");
  await must(["export", "--out", out], /2 rooms, revision 1/);
  assert.deepEqual(JSON.parse(readFileSync(out, "utf8")).rooms.hall, { paths: ["/hall/*"], permits: 3 });
  await must(["plan", out], /Nothing would change/);
  const { out: printed } = await must(["export"], /"spring"/);
  assert.equal(printed, readFileSync(out, "utf8"), "the same house is the same file");

  await must(
    ["clone", "hall", "foyer", "--set", "paths=/foyer/*", "--set", "permits=9", "--yes"],
    /\+ foyer is new[^]*permits {2}9[^]*2 rooms stay as they are: hall, spring/,
  );
  await must(["clone", "onsale", "annex", "--set", "paths=/annex/*", "--yes"], /\+ annex is new/);
  await must(["clone", "hall", "spring", "--yes"], /There is a room spring already/, 2);
  await must(["delete", "foyer", "--yes"], /not closed/, 1);
  await must(["delete", "foyerr", "--yes"], /no room foyerr\. Did you mean foyer/, 2);
  await must(["release", "foyer", "--yes"], /not deleted/, 2);
  await world.house.patch("foyer", { mode: "closed" });
  await must(["delete", "foyer", "--yes"], /- foyer is deleted; its paths stay shut[^]*Done/);
  await must(["delete", "foyer", "--yes"], /deleted already/, 2);
  await must(["list"], /^annex +open +permits \d+ +\/annex\/\*\nfoyer +deleted, its paths stay shut +permits 9 +\/foyer\/\*$/m);
  assert.equal(JSON.parse((await must(["export"], /./)).out).rooms.foyer, null);
  await must(["release", "foyer", "--yes"], /ungated[^]*Done/);
  await must(["undo", "--yes"], /- foyer is deleted[^]*Done/);

  const { text: told } = await must(["journal"], /1 {2}20\d\d-[^\n]+Z {2}hall is defined: /);
  assert.match(told, /foyer is deleted\n[^]*the paths of foyer are released/);
  const journal = path.join(dir, "house.jsonl");
  await must(["journal", "--out", journal], /6 rows$/m);
  await must(["journal", "--out", journal], /0 rows after row 6/);
  const { sound, text: verdict } = await audited(readFileSync(journal, "utf8"));
  assert.ok(sound, verdict);
  assert.match(verdict, /sound: the house, rows 1 to 6[^]*3 open, 1 archived, 0 released[^]*archived {4}foyer, generation 1, since row 6/);
});

test("what is wrong is named with file, line and cure, and nothing is changed", async (t) => {
  const world = await housed(t);
  const { file, house } = desk(t, world.url);
  const wrong = [
    ["a.json", '{"rooms": {\n  "a": {"paths": ["/a/*"],\n    "permitz": 1}}}', 1, /a\.json:3: rooms\.a\.permitz.*permits/],
    ["b.toml", '[rooms.a]\npaths = ["/a/*"]\n\npermits = -4', 1, /b\.toml:4: rooms\.a\.permits/],
    ["c.toml", "[rooms.a]\npermits = = 4", 2, /c\.toml:2: this is not TOML/],
    ["d.json", '{"rooms": {\n,}}', 2, /d\.json:2: this is not JSON/],
    ["e.json", '{"rooms": {"a": {},\n"a": {}}}', 2, /e\.json:2: "a" stands here twice, first in line 1/],
    ["f.json", '{"rooms": {\n"A b": {}}}', 2, /f\.json:2: "A b" is no name of a room/],
    ["g.json", '{"rooms": {},\n"vars": 1}', 2, /g\.json:2: "vars" stands beside the rooms/],
    ["h.json", "[]", 2, /there are no rooms in it/],
    ["i.json", '{"rooms": {"none": null}}', 1, /no room none/],
  ];
  for (const [name, text, code, said] of wrong) {
    for (const command of ["plan", "apply"]) {
      const done = await house([command, file(name, text), ...(command === "apply" ? ["--yes"] : [])]);
      assert.equal(done.code, code, `${command} ${name}: ${done.text}`);
      assert.match(done.text, said);
    }
  }
  const uses = [
    [[], /Say what: list, export, plan/],
    [["aply", "x"], /Did you mean apply/],
    [["plan"], /Use: npm run house -- plan FILE/],
    [["plan", "/nowhere.json"], /cannot be read \(ENOENT\)/],
    [["export", "--quiet"], /--quiet/],
    [["export", "--token", "/nowhere"], /--token: \/nowhere cannot be read/],
    [["undo"], /no change that could be undone/],
    [["clone", "onsale", "b", "--set", "permitz=1"], /Did you mean permits/],
  ];
  for (const [args, said] of uses) {
    const done = await house(args);
    assert.equal(done.code, 2, `${args}: ${done.text}`);
    assert.match(done.text, said);
  }
  assert.deepEqual([(await house(["export"], { token: "x".repeat(40) })).code, (await house(["export"], { token: "" })).code], [2, 2]);
  const nowhere = desk(t);
  for (const [url, said] of [
    ["http://127.0.0.1:9", /cannot be reached/],
    ["x", /--url needs/],
    [world.shop.url, /not as Baton does/],
  ]) {
    const done = await nowhere.house(["export", "--url", url]);
    assert.deepEqual([done.code, said.test(done.text)], [2, true], done.text);
  }
  assert.equal((await nowhere.house(["--help"])).code, 0);
  assert.equal((await world.house.look()).json.revision, 0);
});

test("a plan is shown with what needs an empty room, and in colours where they are wanted", () => {
  const changes = [{ room: "a", does: "change", keys: { crowd: { from: null, to: 20_000 } }, needs_nobody_for: ["crowd"] }];
  assert.equal(
    planText({ changes, problems: [] }, { stay: ["b"] }),
    "~ a changes\n    crowd  the default -> 20000   (only while nobody has a place)\nOne room stays as it is: b",
  );
  assert.match(planText({ changes, problems: [] }, { colours: true }), /^\u001b\[33m~ a changes\u001b\[0m$/m);
});

test("--set lays values over a table: lists gather, null goes back to the default", () => {
  const table = { paths: ["/a/*"], permits: 1, page_title: "A" };
  assert.deepEqual(withSet(table, ["paths=/b/*", "paths=/c/*", "permits=5", "page_title=null", "message=5 € each"]), {
    paths: ["/b/*", "/c/*"],
    permits: 5,
    message: "5 € each",
  });
  assert.throws(() => withSet(table, ["permits"]), /KEY=VALUE/);
});

test("a date of TOML is a date of the room", (t) => {
  const { file } = desk(t);
  const {
    wanted: { rooms },
  } = readRooms(file("a.toml", "[rooms.a]\nopens_at = 2030-01-01T10:00:00+09:00\n"));
  assert.equal(rooms.a.opens_at, "2030-01-01T10:00:00.000+09:00");
});

test("what was tried at a staging site is promoted by export, plan and apply, and no secret with it", async (t) => {
  const [staging, production] = [await housed(t), await housed(t)];
  const [from, to] = [desk(t, staging.url), desk(t, production.url)];
  const rooms = from.file("rooms.toml", '[rooms.spring]\npaths = ["/spring/*"]\npermits = 20\nmode = "closed"\n');
  assert.equal((await from.house(["apply", rooms, "--yes"])).code, 0);
  const tried = path.join(from.dir, "tried.json");
  assert.equal((await from.house(["export", "--out", tried])).code, 0);
  const text = readFileSync(tried, "utf8");
  for (const secret of [TOKEN, staging.vars.BATON_SECRET, staging.vars.ORIGIN_SECRET]) assert.ok(!text.includes(secret));
  assert.match((await to.house(["plan", tried])).text, /^\+ spring is new\n/);
  assert.equal((await production.house.look()).json.revision, 0);
  assert.equal((await to.house(["apply", tried, "--yes"])).code, 0);
  const defined = async (world) => (await world.house.look()).json.rooms.spring.definition;
  assert.deepEqual(await defined(production), await defined(staging));
  assert.equal((await to.house(["plan", tried])).text.trim(), "Nothing would change.");
});

test("an export brings the pictures of its pages to another deployment, and a spoiled one is refused", async (t) => {
  const [here, there] = [await housed(t), await housed(t)];
  const [from, to] = [desk(t, here.url), desk(t, there.url)];
  const put = await fetch(new URL("/__baton/admin/images", here.url), {
    method: "PUT",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "image/png" },
    body: readFileSync(inRoot("tests", "fixtures", "images", "logo.png")),
  });
  const { name, address } = await put.json();
  const rooms = from.file(
    "rooms.json",
    JSON.stringify({ rooms: { spring: { paths: ["/spring/*"], permits: 2, page_logo: address } }, brands: { onsale: { page_logo: address } } }),
  );
  assert.equal((await from.house(["apply", rooms, "--yes"])).code, 0);
  const all = path.join(from.dir, "all.json");
  assert.equal((await from.house(["export", "--out", all])).code, 0);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(all, "utf8")).images), [name]);
  const bare = to.file("bare.json", readFileSync(rooms, "utf8"));
  assert.match((await to.house(["plan", bare])).text, /does not keep/);
  assert.match((await to.house(["plan", all])).text, new RegExp(`^\\+ the picture ${name} \\(\\d+ KB\\), on the page of spring, onsale$`, "m"));
  const image = async () => (await fetch(new URL(`/__baton/images/${name}`, there.url))).status;
  assert.equal(await image(), 404, "a plan brings nothing");
  const spoiled = JSON.parse(readFileSync(all, "utf8"));
  spoiled.images[name] = readFileSync(inRoot("tests", "fixtures", "images", "logo.png"))
    .subarray(0, 30)
    .toString("base64");
  assert.equal((await to.house(["apply", to.file("spoiled.json", JSON.stringify(spoiled)), "--yes"])).code, 1);
  spoiled.images[name] = "no base64!";
  assert.match((await to.house(["plan", to.file("text.json", JSON.stringify(spoiled))])).text, /is not base64/);
  assert.equal((await there.house.look()).json.revision, 0);
  assert.equal((await to.house(["apply", all, "--yes"])).code, 0);
  assert.equal(await image(), 200);
  assert.match((await to.house(["plan", all])).text, /Nothing would change/);
});
