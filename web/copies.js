/*
 * Copies of the page. A service worker of the site may keep the waiting page, whatever its headers say, and show it again: a day later, without a
 * network, or in the shop's place when it is the visitor's turn. A copy must not say what once was, and must not stay in the way.
 */

/** A page that is older than this by the device's clock may be a copy. */
const OLD_MS = 60_000;
/** The front's answers depend on headers with which nobody can name a copy. */
const ANY = { ignoreVary: true };

const isServed = () => navigator.serviceWorker?.controller;

/**
 * Returns whether the page, which the front made at `madeAtMs`, may be a copy. One that follows another in its tab was made later, whatever the
 * device's clock says; so the clock decides for the first alone.
 */
export function mayBeCopy(madeAtMs, memory) {
  if (!isServed()) return false;
  const before = memory.get().madeAtMs;
  memory.set({ madeAtMs });
  return before ? madeAtMs <= before : Date.now() - madeAtMs > OLD_MS;
}

/** Takes the copy of the page at this address out of the site's caches, so that the next load finds none. Whatever else is there stays. */
async function removeCopy(address) {
  if (!isServed()) return;
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    const copy = await cache.match(address, ANY);
    if (copy?.headers.has("Baton-State")) await cache.delete(address, ANY);
  }
}

/** Loads an address, and no copy of it: `to`, or else the page's own once more. */
export async function loadAgain(to) {
  await removeCopy(to || location.href).catch(() => {});
  if (to) location.replace(to);
  else location.reload();
}
