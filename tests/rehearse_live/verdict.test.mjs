// The verdict of a rehearsal: a sound one is go, and each thing that can be wrong or unseen is found, named and given a cure.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import http from "node:http";
import { test } from "node:test";
import { inRoot, UserError } from "../../scripts/common.mjs";
import { operatorOf } from "../../scripts/rehearse_live/operator.mjs";
import { isGo, judgeRehearsal } from "../../scripts/rehearse_live/verdict.mjs";
import { optionsOf, verdictText } from "../../scripts/rehearse_live.mjs";

const PROOFS = { ok: 40, missing: 0, malformed: 0, host: 0, mac: 0, time: 0, target: 0, replay: 0, room: 0 };
const room = (more = {}) => ({ report: { mode: "closed", waiting: 0, inside: 0, in_hall: 0, edition: 4, next_number: 1, ...more } });
const shut = { state: "waiting", mode: "closed", number: undefined };

/** A rehearsal in which all went well. */
function sound() {
  return {
    visitors: 12,
    permits: 3,
    answerMsMax: 2_000,
    withoutProofs: false,
    tokenIs: 403,
    crowd: { served: 12, failures: [], violations: [], judged: 9, inside_max: 3 },
    stage: {
      settings: { tick_ms: { value: 1_000 } },
      report: {
        totals: { missed: 0 },
        durations: { handover: { count: 9, p90_ms: 900 } },
        proofs: { ...PROOFS },
        answers: { count: 48, failed: 0, recent: { p50_ms: 240, p95_ms: 800 } },
      },
    },
    probes: [shut, shut, shut],
    before: room(),
    after: room(),
  };
}

test("a sound rehearsal is go", () => {
  const findings = judgeRehearsal(sound());
  assert.ok(isGo(findings), verdictText({ go: false, findings }));
  assert.match(verdictText({ go: true, findings }), /answers in 240 ms[^]*\nGO$/);
});

/** What is changed, which check must find it, and as what. */
const WRONG = [
  [
    "somebody was not served",
    (it) => {
      it.crowd.served = 11;
      it.crowd.failures = ["visitor 3: out of time"];
    },
    "served",
    "bad",
  ],
  ["a number out of turn", (it) => it.crowd.violations.push("order: number 4 was called after 7"), "order", "bad"],
  ["one number twice", (it) => it.crowd.violations.push("number 4 was given to two visitors"), "order", "bad"],
  [
    "nobody waited",
    (it) => {
      it.crowd.judged = 0;
    },
    "order",
    "missing",
  ],
  ["ahead rose", (it) => it.crowd.violations.push("ahead rose from 3 to 5 for number 9 (socket)"), "ahead", "bad"],
  [
    "one too many inside",
    (it) => {
      it.crowd.inside_max = 4;
      it.crowd.violations.push("4 were inside at once with 3 permits");
    },
    "permits",
    "bad",
  ],
  [
    "never full",
    (it) => {
      it.crowd.inside_max = 2;
    },
    "permits",
    "missing",
  ],
  [
    "a call that nobody answered",
    (it) => {
      it.stage.report.totals.missed = 1;
    },
    "calls",
    "bad",
  ],
  [
    "late calls",
    (it) => {
      it.stage.report.durations.handover.p90_ms = 9_000;
    },
    "calls",
    "bad",
  ],
  [
    "no permit passed on",
    (it) => {
      it.stage.report.durations.handover = { count: 0, p90_ms: null };
    },
    "calls",
    "missing",
  ],
  [
    "the shop failed",
    (it) => {
      it.stage.report.answers.failed = 1;
    },
    "origin",
    "bad",
  ],
  [
    "the shop is slow",
    (it) => {
      it.stage.report.answers.recent.p95_ms = 2_001;
    },
    "origin",
    "bad",
  ],
  [
    "no answer was timed",
    (it) => {
      it.stage.report.answers = { count: 0, failed: 0, recent: {} };
    },
    "origin",
    "missing",
  ],
  [
    "proofs are refused",
    (it) => {
      it.stage.report.proofs.mac = 2;
    },
    "proofs",
    "bad",
  ],
  [
    "nothing is said of proofs",
    (it) => {
      it.stage.report.proofs.ok = 0;
    },
    "proofs",
    "missing",
  ],
  [
    "the public was let in",
    (it) => {
      it.probes[1] = { state: "shop", mode: "open" };
    },
    "closed",
    "bad",
  ],
  [
    "the public got a number",
    (it) => {
      it.probes[2] = { ...shut, number: 7 };
    },
    "closed",
    "bad",
  ],
  [
    "the token lives on",
    (it) => {
      it.tokenIs = 200;
    },
    "reset",
    "bad",
  ],
  [
    "the room is open afterwards",
    (it) => {
      it.after = room({ mode: "open" });
    },
    "reset",
    "bad",
  ],
  [
    "somebody is left in the room",
    (it) => {
      it.after = room({ waiting: 1 });
    },
    "reset",
    "bad",
  ],
  [
    "the room was begun anew meanwhile",
    (it) => {
      it.after = room({ edition: 5 });
    },
    "reset",
    "bad",
  ],
  [
    "the room issued numbers",
    (it) => {
      it.after = room({ next_number: 3 });
    },
    "reset",
    "bad",
  ],
];

for (const [what, change, check, is] of WRONG) {
  test(`${what}: ${is} by "${check}" alone, with a cure`, () => {
    const seen = sound();
    change(seen);
    const found = judgeRehearsal(seen).filter((finding) => finding.is !== "ok");
    assert.deepEqual(
      found.map((finding) => [finding.check, finding.is]),
      [[check, is]],
    );
    assert.ok(found[0].cure.length > 20 && found[0].seen.length > 5);
    assert.match(verdictText({ go: false, findings: found }), new RegExp(`NOT YET: ${check}$`));
  });
}

test("a shop without a check is as good as it can be, if that is said", () => {
  const seen = { ...sound(), withoutProofs: true };
  seen.stage.report.proofs.ok = 0;
  assert.ok(isGo(judgeRehearsal(seen)));
  seen.stage.report.proofs.host = 1;
  assert.ok(!isGo(judgeRehearsal(seen)), "refusals count all the same");
});

test("a command line that makes no sense is named with its cure", () => {
  const env = { BATON_ADMIN_TOKEN: "secret" };
  const base = ["--url", "https://tickets.example.com/buy/", "--room", "onsale"];
  assert.deepEqual(optionsOf([...base, "--hold", "1s..3s", "--answer-max", "500ms", "--visitors", "40"], env), {
    url: "https://tickets.example.com/buy/",
    room: "onsale",
    origin: undefined,
    token: "secret",
    visitors: 40,
    minutes: 15,
    seed: 1,
    arriveWithinMs: 20_000,
    holdMs: [1_000, 3_000],
    answerMsMax: 500,
    withoutProofs: false,
    json: false,
  });
  const wrong = [
    [[], /Use: npm run/],
    [["--url", "tickets", "--room", "onsale"], /address of a page/],
    [[...base, "--visitors", "0"], /--visitors is a whole number/],
    [[...base, "--minutes", "61"], /1 to 60/],
    [[...base, "--hold", "3s..1s"], /--hold is a time or a range/],
    [[...base, "--hold", "soon"], /soon/],
    [[...base, "--hold", "1s..2s..3s"], /--hold is/],
    [[...base, "--answer-max", "2 s"], /--answer-max is a time/],
    [[...base, "--nonsense"], /nonsense/],
    [[...base, "--token", "."], /--token: \. cannot be read/],
  ];
  for (const [args, why] of wrong)
    assert.throws(
      () => optionsOf(args, env),
      (error) => error instanceof UserError && why.test(error.message),
      args.join(" "),
    );
  assert.throws(() => optionsOf(base, {}), /BATON_ADMIN_TOKEN/);
});

test("a wrong command line ends with 2 and one sentence, no stack", () => {
  for (const args of [["--hold", "soon"], ["--nonsense"], ["--token", "."], []]) {
    const { status, stderr } = spawnSync(process.execPath, [inRoot("scripts", "rehearse_live.mjs"), ...args], { encoding: "utf8" });
    assert.equal(status, 2, args.join(" "));
    assert.ok(stderr.length > 20 && !/^ {4}at /m.test(stderr), stderr);
  }
});

test("an answer that is none of Baton's is named with its cure", async (t) => {
  const bodies = ["<html>a parked domain</html>", "null", "{}", ""];
  const server = http.createServer((_request, response) => response.end(bodies[0]));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { look, stage } = operatorOf({ url: `http://127.0.0.1:${server.address().port}/buy/`, room: "onsale", token: "secret" });
  for (; bodies.length > 0; bodies.shift()) {
    for (const ask of [look, stage])
      await assert.rejects(ask(), (error) => error instanceof UserError && /not by Baton.*See that --url/.test(error.message), bodies[0]);
  }
});
