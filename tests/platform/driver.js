// Stands in front of Baton's worker and is its client, for what a client can do to a worker only through Cloudflare: it
// goes away in the middle, and the runtime cancels the request. workerd behind plain HTTP never does that; a service
// binding with an `AbortSignal` does.
//
// A request with `Platform-Leave: <ms>` is cancelled after so many milliseconds, whatever has come by then; the answer to
// it is 499. `POST /platform/leave?count=&after_ms=&each_ms=&path=` cancels many, `each_ms` apart, and answers when all are.

const LEAVE = "Platform-Leave";

/** One request that its client gives up after `afterMs`. */
async function abandoned(main, request, afterMs) {
  const leaving = new AbortController();
  const asked = main.fetch(request, { signal: leaving.signal });
  const gone = asked.then(
    (answer) => answer.body?.cancel(),
    () => {},
  );
  await scheduler.wait(afterMs);
  leaving.abort();
  await gone;
}

async function leaveMany(request, main, url) {
  const number = (name, fallback) => Number(url.searchParams.get(name) ?? fallback);
  const count = number("count", 1);
  const target = new URL(url.searchParams.get("path") ?? "/", url);
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  const all = [];
  for (let at = 0; at < count; at += 1) {
    all.push(abandoned(main, new Request(target, { headers, redirect: "manual" }), number("after_ms", 5)));
    if (number("each_ms", 0) > 0) await scheduler.wait(number("each_ms", 0));
  }
  await Promise.all(all);
  return new Response(`${count}\n`);
}

export default {
  async fetch(request, { MAIN }) {
    const url = new URL(request.url);
    if (url.pathname === "/platform/leave") return leaveMany(request, MAIN, url);
    const leave = request.headers.get(LEAVE);
    if (leave === null) return MAIN.fetch(request);
    const headers = new Headers(request.headers);
    headers.delete(LEAVE);
    await abandoned(MAIN, new Request(request, { headers }), Number(leave));
    return new Response("the client left\n", { status: 499, statusText: "Client Left" });
  },
};
