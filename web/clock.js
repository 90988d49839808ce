/*
 * The server's clock, as well as a page can know it. A phone's own clock may be minutes off, and somebody may set it while the page is open. So the
 * page counts by how long it has been open. Some devices stop that count while they sleep, and only their own clock goes on.
 */

/** `Date` in an answer has whole seconds and takes a while to arrive. A smaller difference than this is no news. */
const COARSE_MS = 2_000;

/**
 * Creates the clock. `servedAtMs` is the server's time in the page, `arrivedMs` how long after its start the page began to arrive. `onLeap()` is called
 * when the device's clock leaps: somebody has set it, or the device slept, and only the server can say which.
 */
export function createClock(servedAtMs, arrivedMs, onLeap) {
  const device = () => Date.now() - performance.now();
  let deviceMs = device();
  let startMs = servedAtMs ? servedAtMs - arrivedMs : deviceMs;
  return {
    now() {
      const leaps = Math.abs(device() - deviceMs) > COARSE_MS;
      deviceMs = leaps ? device() : deviceMs;
      if (leaps) onLeap();
      return startMs + performance.now();
    },
    /** Takes in the `Date` of an answer. */
    heard(date) {
      const newsMs = Date.parse(date) - performance.now();
      if (Math.abs(newsMs - startMs) > COARSE_MS) startMs = newsMs;
    },
  };
}
