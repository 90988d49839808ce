/*
 * For the shop's own pages: <script src="/__baton/static/keep.js" data-room="onsale" defer></script>
 * Keeps the visitor's lease from running idle while a tab is open, and tells the page when the lease nears its end:
 *   document.addEventListener("baton:ending", ({ detail: { endsAtMs, leftMs } }) => …)   a minute before
 *   document.addEventListener("baton:over", ({ detail: { reason } }) => …)             for who was inside while this page was open
 * With data-over="reload" it then loads the page again, unless the shop gave the permit back (`released`) or the event was prevented. It does so once:
 * the page that comes has never been inside.
 * It must never join a line: it opens a socket only after a status that says that the visitor is in, and asks not to join.
 * Without data-room it takes the room from the page's `Server-Timing: baton;desc="onsale"`, if the shop sent one.
 *
 * On a page with a router it does one thing more, also without a room: when a script of the page fetches something and is told to wait, which no router
 * can draw, it loads the page whole, so that the visitor comes in or into the line. It does so only for what the visitor did, or where the visitor was
 * inside, and says so before: `baton:waiting` ({ detail: { page } }, on document) can be prevented. It must stand before the router's script.
 */
{
  /** Whether this document has been inside. */
  let wasIn;
  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`baton:${name}`, { detail, cancelable: true }));

  // The router. Long because what it knows of the visitor's last deed is one thing.
  (() => {
    /** What a script fetches so long after a click, a key or a form is for the sake of that. */
    const DONE_MS = 5_000;
    /** A page that is younger is not loaded again by itself, or it could go on so for ever. */
    const AGAIN_MS = 10_000;
    /** The paths of what scripts were refused. A router keeps the refusal of a look for the click, and the page behind a click is loaded whole. */
    const refused = new Set();
    let did = {},
      isEdited,
      isGone;

    const linkOf = (event) => event.target.closest?.("a[href]");
    const isOwn = (url) => url.origin === location.origin;
    const addressOf = (url) => url.pathname + url.search;
    /** Whether what was fetched belongs to the page behind a link: `/buy/__data.json` and `/buy.data` do to `/buy`. */
    const belongs = (fetched, page) => fetched.startsWith(page.pathname.replace(/\/$/, ""));

    const ask = (event) => event.preventDefault();

    /** Loads a page whole. Returns whether it does. */
    function loadWhole(page) {
      if (isGone || !tell("waiting", { page: page.href })) return false;
      isGone = true;
      // Whoever has typed something is asked by the browser before it is lost. Chromium does not ask for a listener that goes after one call.
      if (isEdited) addEventListener("beforeunload", ask);
      if (addressOf(page) === addressOf(location)) location.reload();
      else location.assign(page);
      setTimeout(() => {
        isGone = false;
        removeEventListener("beforeunload", ask);
      }, AGAIN_MS);
      return true;
    }

    /** Hears an answer to a script. Returns whether the page is being loaded whole in its place. */
    function heard(address, header) {
      const url = new URL(address, location);
      if (!isOwn(url) || url.pathname.startsWith("/__baton/") || !header("Baton-State")) return false;
      refused.add(url.pathname);
      const nowMs = performance.now();
      const isAsked = nowMs - did.atMs < DONE_MS;
      if (isAsked && did.page) return belongs(url.pathname, did.page) && loadWhole(did.page);
      if (wasIn && (isAsked || nowMs > AGAIN_MS)) return loadWhole(location);
      return isAsked && loadWhole(new URL(header("Baton-Page") ?? url, location));
    }

    addEventListener("input", () => (isEdited = true), true);
    for (const type of ["click", "keydown", "submit"]) {
      addEventListener(
        type,
        (event) => {
          if (!event.isTrusted) return;
          const link = type === "click" && linkOf(event);
          const page = link && isOwn(link) && new URL(link);
          did = { atMs: performance.now(), page };
          if (!page || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.download) return;
          if ([...refused].some((fetched) => belongs(fetched, page)) && loadWhole(page)) {
            event.preventDefault();
            event.stopImmediatePropagation();
          }
        },
        true,
      );
    }
    // A router that looks under the pointer does so for another link than the one that was clicked, if any was.
    addEventListener(
      "mouseover",
      (event) => {
        const link = linkOf(event);
        if (link && link.href !== did.page?.href) did = {};
      },
      true,
    );

    const fetchAsEver = window.fetch;
    window.fetch = async function fetch(...args) {
      const answer = await fetchAsEver.apply(this, args);
      // Nothing is drawn of an answer in whose place a page is loaded.
      return heard(answer.url || /** @type {any} */ (args[0])?.url || args[0], (name) => answer.headers.get(name)) ? new Promise(() => {}) : answer;
    };
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (...args) {
      this.addEventListener("readystatechange", () => this.readyState === 2 && heard(this.responseURL, (name) => this.getResponseHeader(name)));
      return send.apply(this, args);
    };
  })();

  // The lease.
  (() => {
    const ENDING_MS = 60_000;
    const { room: named, over } = document.currentScript.dataset;
    const room = named || performance.getEntriesByType("navigation")[0]?.serverTiming?.find((entry) => entry.name === "baton")?.description;
    if (!room) return;
    const base = `${location.origin}/__baton/${room}/`;
    let socket,
      timer,
      ending,
      toldFor,
      skewMs = 0,
      failures = 0,
      done;

    function close() {
      clearTimeout(timer);
      clearTimeout(socket?.pinger);
      socket?.close();
      socket = null;
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
        fail();
      }
    }

    function fail() {
      failures++;
      again();
    }

    function again() {
      clearTimeout(timer);
      timer = setTimeout(look, Math.min(60_000, 4_000 * 2 ** failures) * (0.5 + Math.random() / 2));
    }

    function take({ state, reason, ends_at_ms: endsAtMs }) {
      const isIn = state === "admitted";
      wasIn ||= isIn;
      if (!isIn && state !== "called") {
        done = true;
        clearTimeout(ending);
        close();
        // What was over before this page is no news to it, and a page that loads itself for that would do so for ever.
        if (state === "over" && wasIn && tell("over", { reason }) && over && reason !== "released") reload();
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
        fail();
      };
    }

    /** Loads the page again as soon as somebody sees it: a tab in the background must not come into the line. */
    function reload() {
      if (document.hidden) document.addEventListener("visibilitychange", reload);
      else location.reload();
    }

    const back = () => done || document.hidden || look();
    addEventListener("pagehide", close);
    addEventListener("pageshow", (event) => event.persisted && back());
    document.addEventListener("visibilitychange", back);
    // What nobody sees keeps no lease: a page that is prerendered begins when it is shown.
    if (document.prerendering) document.addEventListener("prerenderingchange", look, { once: true });
    else look();
  })();
}
