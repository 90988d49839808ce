#!/usr/bin/env bash
# A lot drawn from a generator that is seeded with the ticket's number is in the order of the numbers: pure-rand, Prando and d3-random.
#
# Guessed:  a seeded generator's first draw has nothing to do with the size of its seed: tickets 1 to 1,000, each with a lot of its own that anybody can
#           draw again, are shuffled by it.
# Happens:  the lots of pure-rand's xoroshiro128plus, which its README begins with, and xorshift128plus fall by one step with each seed: who came last
#           is first, and all stand in reverse. Prando and d3's randomLcg have who came first first. The winner among 1,000 of the sales 1, 2 and 3 is 646,
#           645, 644 with pure-rand, and with Prando 500 each time. pure-rand's mersenne, Prando with a text as its seed, seedrandom and random-js shuffle.
# Matters:  a draw before a sale that must be fair, and open to be checked, lets the latest win, or the earliest; one lot by itself looks random in a test.
#           Hash the number before it becomes a seed, or shuffle all by one generator.
# Versions: pure-rand 8.4.2, prando 6.0.1, d3-random 3.0.2, seedrandom 3.0.5, random-js 2.1.0 (npm), node 20.
# Seen on 2026-11-29 (the ten of 1,000 tickets with the lowest lots; then the winner, 0 to 999, of the sales 1 to 5):
#   pure-rand xoroshiro128plus: 1000 999 998 997 996 995 994 993 992 991; 646 645 644 643 642
#   pure-rand xorshift128plus: 1000 999 998 997 996 995 994 993 992 991; 646 645 644 643 642
#   Prando: 1 2 3 4 5 6 7 8 9 10; 500 500 500 500 500
#   d3-random randomLcg: 1 2 3 4 5 6 7 8 9 10; 236 236 237 237 238
#   pure-rand mersenne: 554 39 87 738 375 112 399 211 887 277; 493 496 338 882 59
#   Prando, a text: 419 829 666 993 957 380 744 785 763 363; 620 573 589 542 557
#   seedrandom: 61 42 693 729 493 943 295 523 321 950; 177 371 756 375 897
#   random-js: 995 325 833 350 32 137 121 604 577 621; 845 848 986 530 411
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund pure-rand@8.4.2 prando@6.0.1 d3-random@3.0.2 seedrandom@3.0.5 random-js@2.1.0

cat > run.mjs <<'JS'
import { randomLcg } from "d3-random";
import prando from "prando";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { xorshift128plus } from "pure-rand/generator/xorshift128plus";
import { MersenneTwister19937, Random } from "random-js";
import seedrandom from "seedrandom";

const Prando = prando.default ?? prando;
const pure = (generator) => [(seed) => uniformFloat64(generator(seed)), (seed) => uniformInt(generator(seed), 0, 999)];
const plain = (draw) => [draw, (seed) => Math.floor(draw(seed) * 1000)];
const makers = {
  "pure-rand xoroshiro128plus": pure(xoroshiro128plus),
  "pure-rand xorshift128plus": pure(xorshift128plus),
  Prando: [(seed) => new Prando(seed).next(), (seed) => new Prando(seed).nextInt(0, 999)],
  "d3-random randomLcg": plain((seed) => randomLcg(seed)()),
  "pure-rand mersenne": pure(mersenne),
  "Prando, a text": [(seed) => new Prando(`ticket ${seed}`).next(), (seed) => new Prando(`sale ${seed}`).nextInt(0, 999)],
  seedrandom: plain((seed) => seedrandom(seed)()),
  "random-js": [(seed) => new Random(MersenneTwister19937.seed(seed)).real(0, 1), (seed) => new Random(MersenneTwister19937.seed(seed)).integer(0, 999)],
};
for (const [name, [lot, number]] of Object.entries(makers)) {
  const tickets = Array.from({ length: 1000 }, (_, at) => at + 1);
  const lots = new Map(tickets.map((ticket) => [ticket, lot(ticket)]));
  const first = tickets.toSorted((one, other) => lots.get(one) - lots.get(other)).slice(0, 10);
  console.log(`${name}: ${first.join(" ")}; ${[1, 2, 3, 4, 5].map(number).join(" ")}`);
}
JS
node run.mjs | tee seen
diff seen - <<'EXPECTED'
pure-rand xoroshiro128plus: 1000 999 998 997 996 995 994 993 992 991; 646 645 644 643 642
pure-rand xorshift128plus: 1000 999 998 997 996 995 994 993 992 991; 646 645 644 643 642
Prando: 1 2 3 4 5 6 7 8 9 10; 500 500 500 500 500
d3-random randomLcg: 1 2 3 4 5 6 7 8 9 10; 236 236 237 237 238
pure-rand mersenne: 554 39 87 738 375 112 399 211 887 277; 493 496 338 882 59
Prando, a text: 419 829 666 993 957 380 744 785 763 363; 620 573 589 542 557
seedrandom: 61 42 693 729 493 943 295 523 321 950; 177 371 756 375 897
random-js: 995 325 833 350 32 137 121 604 577 621; 845 848 986 530 411
EXPECTED
