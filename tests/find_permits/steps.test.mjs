// The steps file: what is read from it, and what is said of one that is wrong, with line and cure.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { UserError, inRoot } from "../../scripts/common.mjs";
import { readFlags } from "../../scripts/find_permits/flags.mjs";
import { readSteps, thinkingOf } from "../../scripts/find_permits/steps.mjs";

const GOOD = `think_s = [1, 3]
hosts = ["https://pay.example.com"]

[[steps]]
name = "look"
get = "/buy/"
also = ["/shop.css"]
take = { token = 'token" value="([^"]+)"' }

[[steps]]
name = "pay"
post = "https://pay.example.com/pay?x={token}"
form = { seats = 2, who = "p{person}" }
think_s = 10
expect = 303
`;
const said = (text) => {
  try {
    readSteps("checkout.toml", text);
  } catch (error) {
    assert.ok(error instanceof UserError, `${error.stack}`);
    return error.message;
  }
  return assert.fail("nothing was said");
};

test("a good file is read whole", () => {
  const { steps, hosts } = readSteps("checkout.toml", GOOD);
  assert.deepEqual(
    hosts.map(({ origin }) => origin),
    ["https://pay.example.com"],
  );
  const [look, pay] = steps;
  assert.deepEqual([look.name, look.method, look.path, look.line, look.think_ms, look.also], ["look", "GET", "/buy/", 4, [0, 0], ["/shop.css"]]);
  assert.equal(look.take[0][1].exec('token" value="abc"')[1], "abc");
  assert.deepEqual([pay.method, pay.form, pay.think_ms, pay.expect, pay.line], ["POST", { seats: "2", who: "p{person}" }, [5_000, 15_000], 303, 10]);
  assert.equal(thinkingOf(steps), 10_000);
});

/** Each: a change of the good file, and what must be said: line, thing, cure. */
const WRONG = {
  "no TOML": [["think_s = [1, 3]", "think_s = [1, 3"], /^checkout\.toml:\d+: .*Cure: /],
  "a misspelt key": [['name = "look"', 'nmae = "look"'], /checkout\.toml:5: unknown key "nmae"\. Cure: did you mean "name"\?/],
  "an unknown key at the top": [["think_s = [1, 3]", 'colour = "red"'], /checkout\.toml:1: unknown key "colour"\. Cure: use one of/],
  "a step that asks for nothing": [['get = "/buy/"\n', ""], /checkout\.toml:4: this step asks for nothing\. Cure: .*get = "\/path"/],
  "a step that asks twice": [['get = "/buy/"', 'get = "/buy/"\npost = "/x"'], /checkout\.toml:7: this step asks twice, get and post/],
  "a path without its slash": [['get = "/buy/"', 'get = "buy/"'], /checkout\.toml:6: "buy\/" is no path\. Cure: .*first slash/],
  "thinking backwards": [["think_s = [1, 3]", "think_s = [3, 1]"], /checkout\.toml:1: think_s = \[3,1\] is no time to think/],
  "thinking for ever": [["think_s = 10", "think_s = 1e9"], /checkout\.toml:14: think_s = 1000000000 is no time/],
  "thinking less than nothing": [["think_s = 10", "think_s = -1"], /checkout\.toml:14: /],
  "a status that is none": [["expect = 303", "expect = 42"], /checkout\.toml:15: expect = 42 is no status\. Cure: /],
  "a host with a path": [
    ['"https://pay.example.com"]', '"https://pay.example.com/x"]'],
    /checkout\.toml:2: "https:\/\/pay\.example\.com\/x" is no host/,
  ],
  "a host without a scheme": [['"https://pay.example.com"]', '"pay.example.com"]'], /checkout\.toml:2: "pay\.example\.com" is no host/],
  "a word that nobody took": [["x={token}", "x={ticket}"], /checkout\.toml:12: nothing has taken \{ticket\} before this step\. Cure: /],
  "a pattern without a group": [['value="([^"]+)"\'', "value'"], /checkout\.toml:8: the pattern of "token" has not exactly one group/],
  "a pattern that is none": [['value="([^"]+)"\'', 'value="([^"]+\''], /checkout\.toml:8: the pattern of "token" cannot be read/],
  "a form in a step that gets": [['get = "/buy/"', 'get = "/buy/"\nform = { a = 1 }'], /checkout\.toml:7: form in a step that gets/],
  "a header of ours": [["expect = 303", 'headers = { Cookie = "a=b" }'], /checkout\.toml:15: the header Cookie is not for a step to set/],
  "no step": [[GOOD.slice(GOOD.indexOf("[[steps]]")), ""], /there are 0 steps\. Cure: /],
};
for (const [name, [[from, to], wanted]] of Object.entries(WRONG)) {
  test(`wrong: ${name}`, () => {
    assert.ok(GOOD.includes(from), "the change applies");
    assert.match(said(GOOD.replace(from, () => to)), wanted);
  });
}

test("everything that is wrong is said at once, and that nothing was sent", () => {
  const text = said(GOOD.replace('"/buy/"', '"buy"').replace("expect = 303", "expect = 7"));
  assert.match(text, /checkout\.toml:6: /);
  assert.match(text, /checkout\.toml:15: /);
  assert.match(text, /Nothing was sent\.$/);
});

test("whatever a file holds, it is read or refused in words", () => {
  const value = fc.oneof(
    fc.constant("true"),
    fc.integer().map(String),
    fc.string().map((text) => JSON.stringify(text)),
    fc.constant("[1, 2]"),
    fc.constant("{ a = 1 }"),
    fc.constant("1979-05-27"),
  );
  const key = fc.constantFrom("name", "get", "post", "form", "json", "headers", "also", "take", "expect", "contains", "think_s", "other");
  const step = fc
    .uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 6 })
    .map((pairs) => `[[steps]]\n${pairs.map(([name, text]) => `${name} = ${text}`).join("\n")}\n`);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), (steps) => {
      try {
        readSteps("f.toml", steps.join(""));
      } catch (error) {
        assert.ok(error instanceof UserError, `${error.stack}`);
        assert.match(error.message, /^f\.toml:\d+: /);
      }
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("the examples in the repository and in the docs are good", () => {
  for (const file of ["tests/find_permits/checkout.toml", "demo/checkout.toml"])
    assert.ok(readSteps(file, readFileSync(inRoot(file), "utf8")).steps.length >= 2);
  const page = readFileSync(inRoot("docs", "find-permits.md"), "utf8");
  const examples = [...page.matchAll(/```toml\n([\s\S]*?)```/g)];
  assert.ok(examples.length > 0);
  for (const [, text] of examples) readSteps("docs/find-permits.md", text);
});

const flags =
  (...more) =>
  () =>
    readFlags(["--url", "https://staging.example.com", "--steps", "a.toml", ...more]);
test("impossible values on the command line are named", () => {
  assert.equal(flags()().people_max, 500);
  for (const [more, wanted] of [
    [["--people-max", "0"], /--people-max 0: it needs a whole number from 1/],
    [["--people-max", "1.5"], /--people-max 1\.5/],
    [["--level-s", "x"], /--level-s x/],
    [["--minutes-max", "1e9"], /--minutes-max/],
    [["--url", "staging.example.com"], /--url staging\.example\.com: it needs a scheme/],
    [["--url", "https://a.example/x"], /--url/],
    [["--url", "https://me:secret@a.example"], /--url/],
    [["--url", "ftp://a.example"], /--url/],
    [["--room", "onsale"], /ORIGIN_SECRET/],
    [["--poeple", "1"], /--poeple/],
  ])
    assert.throws(flags(...more), (error) => error instanceof UserError && wanted.test(error.message), more.join(" "));
  assert.throws(() => readFlags(["--url", "https://a.example", "--steps", "a.toml"], "secret"), /--room/);
  assert.throws(() => readFlags([]), /--url is missing/);
});

test("a poll is read, and what is wrong with it is said", () => {
  const polls = (lines) => `[[steps]]\nget = "/order"\n${lines}\n`;
  const [step] = readSteps("c.toml", polls(`until = '"ready": true'\nevery_s = 0.5`)).steps;
  assert.deepEqual(step.poll, { until: '"ready": true', every_ms: 500, at_most_ms: 60_000 });
  assert.match(said(polls("every_s = 1")), /checkout\.toml:3: every_s without until/);
  assert.match(said(polls("until = 1")), /until is no text/);
  assert.match(said(polls('until = "x"\nat_most_s = 0')), /at_most_s = 0 is no time/);
  assert.match(said(polls('until = "x"\nevery_s = "often"')), /every_s = "often" is no time/);
});
