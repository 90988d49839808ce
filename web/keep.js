/*
 * For the shop's own pages: <script src="/__baton/static/keep.js" data-room="onsale" defer></script>
 * Keeps the visitor's lease from running idle while a tab is open, and tells the page when the lease nears its end:
 *   document.addEventListener("baton:ending", ({ detail: { endsAtMs, leftMs } }) => …)   a minute before
 *   document.addEventListener("baton:over", ({ detail: { reason } }) => …)
 * It must never join a line: it opens a socket only after a status that says that the visitor is in, and asks not to join.
 * Without data-room it takes the room from the page's `Server-Timing: baton;desc="onsale"`, if the shop sent one.
 */
(() => {
  const ENDING_MS = 60_000;
  const timing = performance.getEntriesByType("navigation")[0]?.serverTiming ?? [];
  const room = document.currentScript.dataset.room || timing.find(({ name }) => name === "baton")?.description;
  if (!room) return;
  const base = `${location.origin}/__baton/${room}/`;
  let socket, timer, ending, toldFor, skewMs = 0, failures = 0, done = false;

  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`baton:${name}`, { detail }));

  function close() {
    clearTimeout(timer);
    clearInterval(socket?.pinger);
    const old = socket;
    socket = null;
    old?.close();
  }

  async function look() {
    clearTimeout(timer);
    clearTimeout(ending);
    try {
      const answer = await fetch(`${base}status`, { cache: "no-store" });
      if (!answer.ok) throw answer;
      // The end is a time of the server's clock, and this device's may be minutes off.
      skewMs = Date.parse(answer.headers.get("Date")) - Date.now() || 0;
      take(await answer.json());
      if (!done && !socket) failures < 3 ? open() : again();
    } catch {
      failures++;
      again();
    }
  }

  function again() {
    clearTimeout(timer);
    timer = setTimeout(look, Math.min(60_000, 4_000 * 2 ** failures) * (0.5 + Math.random() / 2));
  }

  function take({ state, reason, ends_at_ms: endsAtMs }) {
    if (state !== "admitted" && state !== "called") {
      done = true;
      clearTimeout(ending);
      close();
      if (state === "over") tell("over", { reason });
    } else if (endsAtMs) {
      clearTimeout(ending);
      const leftMs = endsAtMs - Date.now() - skewMs;
      const near = leftMs <= ENDING_MS + 500;
      if (near && toldFor !== endsAtMs) tell("ending", { endsAtMs: (toldFor = endsAtMs), leftMs });
      // A look counts as presence, so an idle end moves on, and the page is only ever told of a hard one.
      ending = setTimeout(look, Math.max(1_000, Math.min(1e9, near ? leftMs + 1_000 : leftMs - ENDING_MS)));
    }
  }

  function open() {
    const mine = (socket = new WebSocket(`${base.replace(/^http/, "ws")}socket?resume=1`));
    mine.onopen = () => {
      failures = 0;
      mine.pinger = setInterval(() => mine.send("ping"), 25_000);
    };
    mine.onmessage = ({ data }) => data[0] === "{" && mine === socket && take(JSON.parse(data));
    mine.onclose = () => {
      if (mine !== socket) return;
      close();
      failures++;
      again();
    };
  }

  const back = () => done || document.hidden || look();
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && back());
  document.addEventListener("visibilitychange", back);
  // What nobody sees keeps no lease: a page that is prerendered begins when it is shown.
  if (document.prerendering) document.addEventListener("prerenderingchange", look, { once: true });
  else look();
})();
