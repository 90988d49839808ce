/* The server's clock, as far as a page can know it: a phone's own may be minutes off. */

/** `Date` in an answer has whole seconds and took a while to come: less than this is no news. */
const COARSE_MS = 2_000;

/** `servedAtMs` is the server's time in the page, `arrivedAtMs` this device's when the page began to arrive. */
export function createClock(servedAtMs, arrivedAtMs) {
  let skewMs = servedAtMs ? servedAtMs - arrivedAtMs : 0;
  return {
    now: () => Date.now() + skewMs,
    /** An answer came with this `Date`. The device may have been set right, or wrong, meanwhile. */
    heard(date) {
      const newsMs = Date.parse(date) - Date.now();
      if (Math.abs(newsMs - skewMs) > COARSE_MS) skewMs = newsMs;
    },
  };
}
