// Randomness from a seed, so that a run and its test can be repeated. Not for secrets.

/** Returns a stream of numbers in [0, 1) (Mulberry32, by Tommy Ettinger). */
export function diceOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a number evenly between the two. @param {() => number} roll @param {readonly number[]} range the least, the most */
export const between = (roll, [low, high]) => low + (high - low) * roll();

/** Returns a normal deviate (Box and Muller). */
export const normal = (roll) => Math.sqrt(-2 * Math.log(1 - roll())) * Math.cos(2 * Math.PI * roll());

/** Returns one of the list. */
export const pick = (roll, list) => list[Math.floor(roll() * list.length)];
