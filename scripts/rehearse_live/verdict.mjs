// Judges what a rehearsal has shown: go, or what is missing, each with its reason and cure. Pure.
//
// A finding is `{ check, is, seen, cure }`; `is` is `ok`, `bad` (it was seen to be wrong) or `missing` (it was not seen at all). The verdict is go
// only if every finding is `ok`: what nobody has seen work may not work on the day.

/** How long a permit that came back may lie before its next holder has it, beside two ticks: the call, the page's way back, the landing. */
const HANDOVER_MS_MAX = 3_000;

const ok = (check, seen) => ({ check, is: "ok", seen });
const bad = (check, seen, cure) => ({ check, is: "bad", seen, cure });
const missing = (check, seen, cure) => ({ check, is: "missing", seen, cure });

const ms = (value) => (value < 1_000 ? `${value} ms` : `${(value / 1_000).toFixed(1)} s`);

function served({ crowd: { served: count, failures }, visitors }) {
  if (count === visitors) return ok("served", `all ${visitors} came in, looked around and left`);
  return bad(
    "served",
    `${count} of ${visitors}; the first that were not: ${failures.slice(0, 3).join("; ")}`,
    "Look at the log of Baton and of the shop at this time.",
  );
}

function inOrder({ crowd: { violations, judged } }) {
  const wrong = violations.filter((line) => !line.startsWith("ahead") && !line.includes("inside at once"));
  if (wrong.length > 0) return bad("order", wrong[0], "This must never be. Keep the rehearsal's journal and report it.");
  if (judged === 0) return missing("order", "nobody's turn could be judged", "Let more people come: --visitors.");
  return ok("order", `${judged} people were let in in the order of their numbers`);
}

function ahead({ crowd: { violations } }) {
  const rose = violations.find((line) => line.startsWith("ahead"));
  return rose
    ? bad("ahead", rose, "This must never be. Keep the rehearsal's journal and report it.")
    : ok("ahead", "nobody saw more people in front than before");
}

function permits({ crowd: { inside_max: most }, permits: limit }) {
  if (most > limit)
    return bad("permits", `${most} were inside at once with ${limit} permits`, "This must never be. Keep the rehearsal's journal and report it.");
  if (most < limit)
    return missing(
      "permits",
      `at most ${most} were inside at once, of ${limit} permits`,
      "Let more people come at once: --visitors, --arrive-within, --hold.",
    );
  return ok("permits", `${limit} were inside at once, never more`);
}

function calls({ stage: { report, settings }, visitors, permits: limit }) {
  const { handover } = report.durations;
  const most = 2 * settings.tick_ms.value + HANDOVER_MS_MAX;
  if (report.totals.missed > 0)
    return bad("calls", `${report.totals.missed} calls came to nothing`, "Sockets or the way back to the page fail: look at `npm run doctor`.");
  if (handover.count === 0)
    return missing(
      "calls",
      `no permit went from one to the next: ${visitors} people, ${limit} permits`,
      "Let more people come than there are permits: --visitors.",
    );
  if (handover.p90_ms > most)
    return bad(
      "calls",
      `nine of ten permits lay for up to ${ms(handover.p90_ms)} until the next had them`,
      `Up to ${ms(most)} is on time. Look at tick_ms, and at \`npm run doctor\` for the way between front, lobby and room.`,
    );
  return ok("calls", `nine of ten permits had their next holder within ${ms(handover.p90_ms)}`);
}

function answers({ stage: { report }, answerMsMax }) {
  const { count, failed, recent } = report.answers;
  if (failed > 0)
    return bad(
      "origin",
      `${failed} of ${count + failed} requests to the shop failed`,
      "See that ORIGIN is right, that the shop lets Baton in, and what its log says.",
    );
  if (count === 0) return missing("origin", "no answer of the shop was timed", "Let more people come, or stay longer: --visitors, --hold.");
  const said = `it answers in ${ms(recent.p50_ms)}, nineteen of twenty within ${ms(recent.p95_ms)} (to within an octave)`;
  if (recent.p95_ms > answerMsMax)
    return bad(
      "origin",
      said,
      `More than --answer-max ${ms(answerMsMax)}: lower permits, or make the shop quicker. \`npm run find-permits\` says how many it takes.`,
    );
  return ok("origin", said);
}

function proofs({
  stage: {
    report: { proofs: counts },
  },
  withoutProofs,
}) {
  const refused = Object.entries(counts).filter(([verdict, count]) => verdict !== "ok" && count > 0);
  if (refused.length > 0)
    return bad(
      "proofs",
      refused.map(([why, count]) => `${count} refused for ${why}`).join(", "),
      'docs/operating.md, "Is the shop\'s check right?", says what to mend for each.',
    );
  if (counts.ok > 0) return ok("proofs", `the shop's check refused no proof; good so far as it was told: ${counts.ok}`);
  if (withoutProofs) return ok("proofs", "the shop checks none, as --without-proofs says");
  return missing(
    "proofs",
    "the shop does not say how it judges proofs (Baton-Checked)",
    "Put a check in front of the shop (docs/origin/), or say --without-proofs: then whoever knows its address goes past the line.",
  );
}

function shut({ probes }) {
  const open = probes.find(({ state, mode, number }) => state !== "waiting" || mode !== "closed" || number !== undefined);
  if (open) return bad("closed", `somebody of the public saw ${JSON.stringify(open)}`, "Set the mode to closed before you rehearse.");
  return ok("closed", `the public saw a closed room, ${probes.length} times of ${probes.length}`);
}

function reset({ before, after, tokenIs }) {
  const { report } = after;
  const living = report.waiting + report.inside + report.in_hall;
  if (tokenIs !== 403)
    return bad("reset", `the rehearsal's token is still good: ${tokenIs}`, "End it: DELETE /__baton/admin/rooms/{room}/rehearsal.");
  if (report.mode !== "closed" || living > 0 || report.edition !== before.report.edition || report.next_number !== before.report.next_number) {
    return bad(
      "reset",
      `the room is ${report.mode}, ${living} people are in it, its next number is ${report.next_number}`,
      "Somebody changed the room meanwhile. Rehearse again.",
    );
  }
  return ok("reset", `the room is closed and empty, and its next number is ${report.next_number}, as before`);
}

/** Returns every finding of a rehearsal that was played to its end. */
export const judgeRehearsal = (seen) => [served, inOrder, ahead, permits, calls, answers, proofs, shut, reset].map((check) => check(seen));

export const isGo = (findings) => findings.every(({ is }) => is === "ok");
