// The crowd that comes before each contender: the same people for the same seed. Pure.

import { between, diceOf } from "../../scripts/dice.mjs";

/** How many of a hundred do what while they wait or when they are inside. The others wait, come in and leave. */
const HABITS = { vanish: 10, away: 10, quit: 5, vanish_inside: 3 };

/**
 * Returns what each of `people` does: `{ name, arriveMs, holdMs, habit, habitMs, awayMs }`. Of a hundred, ten are killed while they wait
 * (`vanish`), ten lose their connection and come back (`away`), five give up (`quit`) and three are killed inside (`vanish_inside`). Whoever
 * is let in before `habitMs` have passed has no habit to follow but the last.
 */
export function planPeople({ people, withinMs, holdMs, seed }) {
  const random = diceOf(seed);
  const habits = Object.entries(HABITS).flatMap(([habit, share]) => Array(Math.round((people * share) / 100)).fill(habit));
  const order = Array.from({ length: people }, (_, i) => ({ habit: habits[i] ?? "steady", lot: random() })).sort((a, b) => a.lot - b.lot);
  return order.map(({ habit }, i) => ({
    name: `p${i + 1}`,
    arriveMs: Math.round(random() * withinMs),
    holdMs: Math.round(between(random, holdMs)),
    habit,
    habitMs: Math.round(between(random, [200, 1_500])),
    awayMs: Math.round(between(random, [100, 500])),
  }));
}
