// The Universal Scalability Law: how throughput follows from the number of requests in flight (N. J. Gunther, "A General Theory of Computational
// Scalability Based on Rational Functions", 2008). Pure: numbers in, numbers out.
//
//   X(L) = λ·L / (1 + σ·(L − 1) + κ·L·(L − 1))
//
// λ: throughput of one request alone; σ: the share that waits for its turn; κ: what every pair of requests costs. The answer time L / X is linear in
// three parameters that cannot be negative, so the fit is exact: no iteration, no first guess.

/** Columns of the linear form: L / X = base·1 + turn·L + pair·(L² − L). */
const columns = (inFlight) => [1, inFlight, inFlight * inFlight - inFlight];
/** Each set of parameters that may be above zero; with pairs alone one request would be answered in no time. */
const SUBSETS = [[0], [1], [0, 1], [0, 2], [1, 2], [0, 1, 2]];

/** Solves a small linear system by Gaussian elimination with pivots. Returns `null` if it has no single solution. */
function solve(matrix, right) {
  const rows = matrix.map((row, at) => [...row, right[at]]);
  for (let column = 0; column < rows.length; column += 1) {
    const pivot = rows.slice(column).reduce((best, row, at) => (Math.abs(row[column]) > Math.abs(rows[best][column]) ? column + at : best), column);
    if (Math.abs(rows[pivot][column]) < 1e-12) return null;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (const row of rows.filter((each) => each !== rows[column])) {
      const share = row[column] / rows[column][column];
      for (let at = column; at < row.length; at += 1) row[at] -= share * rows[column][at];
    }
  }
  return rows.map((row, at) => row.at(-1) / row[at]);
}

/** Solves the least squares of `1 ≈ Σ parameter·column`, with the columns of `subset` only. */
function leastSquares(table, subset) {
  const sum = (a, b) => table.reduce((total, row) => total + row[a] * row[b], 0);
  const matrix = subset.map((a) => subset.map((b) => sum(a, b)));
  const right = subset.map((a) => table.reduce((total, row) => total + row[a], 0));
  // Columns differ by orders of magnitude: scaled to ones on the diagonal, the pivots can be trusted.
  const scale = subset.map((_, at) => Math.sqrt(matrix[at][at]) || 1);
  const found = solve(
    matrix.map((row, a) => row.map((value, b) => value / (scale[a] * scale[b]))),
    right.map((value, a) => value / scale[a]),
  );
  return found?.map((value, at) => value / scale[at]) ?? null;
}

/**
 * Fits the law to points `{ in_flight, per_s }`, each weighed by its relative error. Needs at least three points. Returns `null` if they
 * determine nothing, else `{ base_s, turn_s, pair_s, lambda, sigma, kappa, misfit }`; `misfit` is the root mean square of the relative residuals,
 * with three degrees of freedom taken off.
 */
export function fitUsl(points) {
  const usable = points.filter(({ in_flight: inFlight, per_s: perS }) => inFlight > 0 && perS > 0);
  if (usable.length < 3) return null;
  const table = usable.map(({ in_flight: inFlight, per_s: perS }) => columns(inFlight).map((value) => (value * perS) / inFlight));
  const residuals = (parameters) => table.map((row) => row.reduce((total, value, at) => total + value * parameters[at], 0) - 1);
  let best = null;
  for (const subset of SUBSETS) {
    const found = leastSquares(table, subset);
    if (!found || found.some((value) => !(value > 0))) continue;
    const parameters = [0, 0, 0];
    subset.forEach((column, at) => {
      parameters[column] = found[at];
    });
    const squares = residuals(parameters).reduce((total, value) => total + value * value, 0);
    if (!best || squares < best.squares) best = { parameters, squares };
  }
  if (!best) return null;
  const [base, turn, pair] = best.parameters;
  const lambda = 1 / (base + turn);
  const misfit = Math.sqrt(best.squares / Math.max(1, usable.length - 3));
  return { base_s: base, turn_s: turn, pair_s: pair, lambda, sigma: turn * lambda, kappa: pair * lambda, misfit };
}

/** Returns the throughput a second at this many requests in flight. */
export const throughputAt = ({ base_s: base, turn_s: turn, pair_s: pair }, inFlight) =>
  inFlight / (base + turn * inFlight + pair * (inFlight * inFlight - inFlight));

/** Returns the highest throughput up to `inFlightMax` in flight (which may be `Infinity`), and where it is: `{ in_flight, per_s }`. */
export function peakOf(fit, inFlightMax) {
  const top = fit.pair_s > 0 ? Math.max(1, Math.sqrt(fit.base_s / fit.pair_s)) : Infinity;
  const inFlight = Math.min(top, inFlightMax);
  const perS = inFlight === Infinity ? 1 / fit.turn_s : throughputAt(fit, inFlight);
  return { in_flight: inFlight, per_s: perS };
}
