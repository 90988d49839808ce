/* The server's clock, as well as a page can know it. A phone's own clock may be minutes off. */

/** `Date` in an answer has whole seconds and takes a while to arrive. A smaller difference than this is no news. */
const COARSE_MS = 2_000;

/** Creates the clock. `servedAtMs` is the server's time in the page, `arrivedAtMs` this device's time when the page began to arrive. */
export function createClock(servedAtMs, arrivedAtMs) {
  let skewMs = servedAtMs ? servedAtMs - arrivedAtMs : 0;
  return {
    now: () => Date.now() + skewMs,
    /** Takes in the `Date` of an answer. Since the last one, somebody may have set the device's clock, right or wrong. */
    heard(date) {
      const newsMs = Date.parse(date) - Date.now();
      if (Math.abs(newsMs - skewMs) > COARSE_MS) skewMs = newsMs;
    },
  };
}
