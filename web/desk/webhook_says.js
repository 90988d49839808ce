/* Says how webhooks are doing: one sentence for all, one for each, and for each failure what it is and what cures it. Pure. */

import { filled } from "./filled.js";

/**
 * What a failure is about, by the API's words for it. The first that fits counts.
 * @type {[RegExp, string][]}
 */
const CAUSES = [
  [/^answered 40[13]$/, "refused"],
  [/^answered (404|410)$/, "gone"],
  [/^answered 3\d\d$/, "redirect"],
  [/^answered 429$/, "busy"],
  [/^answered 4\d\d$/, "rejects"],
  [/^answered /, "fails"],
  [/timed? ?out|aborted/i, "late"],
  [/Baton would call itself/, "self"],
  [/and the webhook .* is not sent$/, "secret"],
  [/^more than \d+ messages waited$/, "full"],
  [/more than a day old/, "old"],
  [/^its body is gone$/, "body"],
];
/** The states of a webhook, the worst first. */
const STATES = ["down", "partly", "lies", "sending", "taken", "quiet"];
const BAD = ["down", "partly", "lies"];

/** Returns how a webhook is doing: one of `STATES`. */
export function stateOf({ pending, failing_since_ms: failingMs, taken_at_ms: takenMs, dead }) {
  if (failingMs !== null) return takenMs === null || takenMs < failingMs ? "down" : "partly";
  if (dead.length > 0) return "lies";
  if (pending > 0) return "sending";
  return takenMs === null ? "quiet" : "taken";
}

export const isBad = (hook) => BAD.includes(stateOf(hook));

/** Returns those that need a look first, the worst state before the others and, within a state, what has failed longest. */
export function byNeed(hooks) {
  const since = ({ failing_since_ms: failingMs }) => failingMs ?? Infinity;
  const rank = (hook) => STATES.indexOf(stateOf(hook));
  return [...hooks].sort(
    (a, b) => Number(isBad(b)) - Number(isBad(a)) || (isBad(a) && rank(a) - rank(b)) || (since(a) === since(b) ? 0 : since(a) - since(b)),
  );
}

/** Returns what a failure is and what cures it: `{ says, cure }`. */
export function causeOf(why, name, { errors }) {
  const [, cause] = CAUSES.find(([pattern]) => pattern.test(why)) ?? [null, "unreachable"];
  const values = { why, status: why.replace("answered ", ""), secret: `WEBHOOK_SECRET_${name.toUpperCase().replaceAll("-", "_")}` };
  const [says, cure] = errors[cause].map((text) => filled(text, values));
  return { says, cure };
}

/** Returns how long ago that was: in seconds, then in minutes. */
const agoOf = (ms, nowMs, write) => {
  const ago = Math.max(0, Math.floor((nowMs - ms) / 1_000) * 1_000);
  return ago < 60_000 ? write.duration(ago) : write.about(ago);
};

/** Returns the values for the texts of a webhook. */
export function valuesOf(hook, nowMs, write) {
  const { name, pending, dead, failing_since_ms: failingMs, taken_at_ms: takenMs } = hook;
  return {
    name,
    waiting: write.number(pending),
    dead: write.number(dead.length),
    since: failingMs === null ? "" : write.moment(failingMs, nowMs),
    ago: takenMs === null ? "" : agoOf(takenMs, nowMs, write),
    time: takenMs === null ? "" : write.moment(takenMs, nowMs),
  };
}

/** Returns one sentence for all, and what to do: `{ level, says, advice }`. */
export function sentenceOf(hooks, nowMs, write, texts) {
  const { says, advice } = texts;
  if (hooks.length === 0) return { level: "off", says: says.none, advice: advice.none };
  const bad = byNeed(hooks).filter(isBad);
  const sum = (of) => write.number(hooks.reduce((all, hook) => all + of(hook), 0));
  if (bad.length > 1)
    return {
      level: "look",
      says: filled(says.many, { bad: bad.length, all: hooks.length, waiting: sum(({ pending }) => pending), dead: sum(({ dead }) => dead.length) }),
      advice: advice.many,
    };
  if (bad.length === 1) {
    const [worst] = bad;
    const state = stateOf(worst);
    const cure = worst.failed && state !== "lies" ? causeOf(worst.failed.why, worst.name, texts) : null;
    return {
      level: "look",
      says: filled(says[state], valuesOf(worst, nowMs, write)),
      advice: cure ? cure.says + texts.gap + cure.cure : state === "lies" ? advice.lies : advice.retry,
    };
  }
  const taken = hooks.filter(({ taken_at_ms: takenMs }) => takenMs !== null).sort((a, b) => b.taken_at_ms - a.taken_at_ms);
  const lines = [
    taken.length > 0 ? filled(says.taken, valuesOf(taken[0], nowMs, write)) : hooks.some(({ pending }) => pending > 0) ? null : says.quiet,
  ];
  if (hooks.some(({ pending }) => pending > 0)) lines.push(filled(says.sending, { waiting: sum(({ pending }) => pending) }));
  return { level: "well", says: lines.filter(Boolean).join(texts.gap), advice: advice.well };
}
