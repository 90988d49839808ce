// The fit of the Universal Scalability Law: it finds the law again from which points were made.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diceOf, normal } from "../../scripts/dice.mjs";
import { fitUsl, peakOf, throughputAt } from "../../scripts/find_permits/usl.mjs";

const LEVELS = [0.5, 1, 2, 5, 10, 25, 60, 120];
/** Gunther's own form, written apart from the code under test. */
const law = ({ lambda, sigma, kappa }, inFlight) => (lambda * inFlight) / (1 + sigma * (inFlight - 1) + kappa * inFlight * (inFlight - 1));
const pointsOf = (laws, off = () => 1) => LEVELS.map((inFlight) => ({ in_flight: inFlight, per_s: law(laws, inFlight) * off() }));
const laws = fc.record({
  lambda: fc.double({ min: 0.5, max: 5_000, noNaN: true }),
  sigma: fc.double({ min: 0, max: 0.6, noNaN: true }),
  kappa: fc.double({ min: 0, max: 0.02, noNaN: true }),
});
const near = (found, wanted, share, what) =>
  assert.ok(Math.abs(found - wanted) <= share * Math.abs(wanted) + 1e-6, `${what}: ${found}, wanted ${wanted}`);

test("points of a law give that law, whatever its three numbers", () => {
  fc.assert(
    fc.property(laws, (wanted) => {
      const found = fitUsl(pointsOf(wanted));
      near(found.lambda, wanted.lambda, 1e-4, "lambda");
      near(found.sigma, wanted.sigma, 1e-3, "sigma");
      near(found.kappa, wanted.kappa, 1e-3, "kappa");
      assert.ok(found.misfit < 1e-4, `misfit ${found.misfit}`);
      for (const inFlight of LEVELS) near(throughputAt(found, inFlight), law(wanted, inFlight), 1e-3, `at ${inFlight}`);
    }),
    { numRuns: 300, seed: 7 },
  );
});

test("noise of 3 % moves what the law says of the measured range by a few per cent, and shows as misfit", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const [wanted, roll] = [{ lambda: 40, sigma: 0.05, kappa: 0.0005 }, diceOf(seed)];
    const found = fitUsl(pointsOf(wanted, () => 1 + 0.03 * normal(roll)));
    near(peakOf(found, 120).per_s, law(wanted, Math.sqrt(0.95 / 0.0005)), 0.1, `peak with seed ${seed}`);
    assert.ok(found.misfit > 0.005 && found.misfit < 0.08, `misfit ${found.misfit}`);
  }
});

test("no parameter is ever negative", () => {
  const anything = fc.array(
    fc.record({ in_flight: fc.double({ min: 0.01, max: 1e4, noNaN: true }), per_s: fc.double({ min: 0.01, max: 1e4, noNaN: true }) }),
    { minLength: 3, maxLength: 12 },
  );
  fc.assert(
    fc.property(anything, (points) => {
      const found = fitUsl(points);
      if (found === null) return;
      for (const key of ["base_s", "turn_s", "pair_s", "misfit"]) assert.ok(found[key] >= 0, `${key} = ${found[key]}`);
      assert.ok(peakOf(found, 100).per_s > 0);
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("a peak lies where the law turns, or at the edge of what was measured", () => {
  const fit = fitUsl(pointsOf({ lambda: 10, sigma: 0.1, kappa: 0.01 }));
  near(peakOf(fit, 1_000).in_flight, Math.sqrt(0.9 / 0.01), 0.01, "turn");
  assert.equal(peakOf(fit, 3).in_flight, 3);
  near(peakOf(fitUsl(pointsOf({ lambda: 10, sigma: 0.1, kappa: 0 })), Infinity).per_s, 100, 0.01, "a shop of ten servers in the end");
});

test("fewer than three usable points determine nothing", () => {
  assert.equal(
    fitUsl([
      { in_flight: 1, per_s: 1 },
      { in_flight: 2, per_s: 2 },
    ]),
    null,
  );
  assert.equal(
    fitUsl([
      { in_flight: 1, per_s: 1 },
      { in_flight: 2, per_s: 2 },
      { in_flight: 0, per_s: 3 },
      { in_flight: 3, per_s: 0 },
    ]),
    null,
  );
});
