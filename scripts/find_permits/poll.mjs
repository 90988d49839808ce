// Does a step whose work the shop queues: asks again until an answer says that it is done. All of it is one step, and its time is the shop's: were the
// waits thinking, a queue that falls behind would look like people who are slow.

/**
 * Resolves to the last answer. `sleepUntil(ms)` may end early when the person must leave, and `hasLeft()` says so. `onAnswer` hears the answers before
 * the last: none of them is an error.
 * @param {import("./visitor.mjs").Visitor} visitor
 * @param {{ poll: { every_ms: number, at_most_ms: number } | null, name: string }} step of a steps file
 * @param {{ clock: { now(): number }, sleepUntil(ms: number): Promise<unknown>, hasLeft?: () => boolean, onAnswer?: (answer: object) => void }} run
 */
export async function askUntilReady(visitor, step, { clock, sleepUntil, hasLeft = () => false, onAnswer = () => {} }) {
  const { poll } = step;
  const endsMs = clock.now() + (poll?.at_most_ms ?? 0);
  for (;;) {
    const answer = await visitor.ask(step);
    if (!answer.isPending || hasLeft()) return answer;
    if (clock.now() + poll.every_ms > endsMs) return { ...answer, isOk: false, why: `not ready within ${poll.at_most_ms / 1_000} s: ${answer.why}` };
    onAnswer(answer);
    await sleepUntil(clock.now() + poll.every_ms);
    if (hasLeft()) return answer;
  }
}
