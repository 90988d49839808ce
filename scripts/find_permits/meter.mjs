// Measures one level: answers, answer times from the intended start, requests in flight, and how late the generator itself was. Pure: it is told
// every moment and reads no clock.

import { mean, quantile } from "../figures.mjs";

/** The slices of a level, whose spread says how exact its throughput is. */
const SLICES = 8;

export class Meter {
  #inFlight = 0;
  #changedAtMs = 0;
  #window = null;

  /** A step begins at `atMs`; it was meant to begin at `intendedMs`. */
  begin(intendedMs, atMs) {
    this.#move(atMs);
    this.#inFlight += 1;
    this.#window?.lags.push(Math.max(0, atMs - intendedMs));
  }

  /** A step that was meant to begin at `intendedMs` is answered. */
  end(intendedMs, atMs, isOk) {
    this.#move(atMs);
    this.#inFlight -= 1;
    if (!this.#window) return;
    this.#window.ends.push(atMs);
    this.#window.answers.push(Math.max(0, atMs - intendedMs));
    if (!isOk) this.#window.errors += 1;
  }

  /** Somebody will think for `ms` before the next step. */
  think(ms) {
    if (this.#window) this.#window.thinkMs.push(ms);
  }

  open(atMs) {
    this.#changedAtMs = atMs;
    this.#window = { fromMs: atMs, ends: [], answers: [], lags: [], thinkMs: [], errors: 0, inFlightMs: 0 };
  }

  /** Ends the window and returns everything that it saw. */
  close(atMs) {
    this.#move(atMs);
    const { fromMs, ends, answers, lags, thinkMs, errors, inFlightMs } = this.#window;
    this.#window = null;
    const spanMs = atMs - fromMs;
    const [sorted, late] = [answers.toSorted((a, b) => a - b), lags.toSorted((a, b) => a - b)];
    const perS = (answers.length * 1_000) / spanMs;
    return {
      span_ms: spanMs,
      answers: answers.length,
      errors,
      per_s: perS,
      per_s_error: sliceError(ends, fromMs, spanMs),
      in_flight: inFlightMs / spanMs,
      // By Little's law, so that answers that began before the window or end after it count in part.
      answer_ms: perS > 0 ? inFlightMs / answers.length : 0,
      think_ms: mean(thinkMs),
      p50_ms: at(sorted, 0.5),
      p95_ms: at(sorted, 0.95),
      p99_ms: at(sorted, 0.99),
      lag_p99_ms: at(late, 0.99),
    };
  }

  #move(atMs) {
    if (this.#window) this.#window.inFlightMs += this.#inFlight * (atMs - this.#changedAtMs);
    this.#changedAtMs = atMs;
  }
}

/** Returns that quantile; 0 for a window without answers. */
const at = (sorted, share) => quantile(sorted, share) ?? 0;

/** Returns the relative standard error of a window's throughput, from its slices (batch means). */
function sliceError(ends, fromMs, spanMs) {
  const counts = Array.from({ length: SLICES }, () => 0);
  for (const at of ends) counts[Math.min(SLICES - 1, Math.floor(((at - fromMs) / spanMs) * SLICES))] += 1;
  const middle = mean(counts);
  if (middle === 0) return 1;
  const variance = counts.reduce((total, count) => total + (count - middle) ** 2, 0) / (SLICES - 1);
  return Math.sqrt(variance / SLICES) / middle;
}
