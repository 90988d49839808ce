/*
 * Keeps the page in touch with the line: by socket, by long poll where sockets do not get through, and by socket again
 * later. It knows nothing of what is shown. It must never join for a visitor who was not told that a number had ended,
 * and never come back in step with ten thousand others.
 */

export const PING_MS = 25_000;
export const PONG_MS = 10_000;
const WAKE_PONG_MS = 3_000;
const OPEN_MS = 10_000;
const POLL_MS = 35_000;
const WAIT_S = 20;
const PAUSE_MS_MAX = 30_000;
/** After a longer silence the number may have ended, and a socket would join. So the page asks for the status first. */
const SILENCE_MS_MAX = 60_000;
/** Errors that mean that this visitor gets no number here. The page that the front serves says why. */
const REFUSALS = ["entry_required", "entry_refused", "place_elsewhere", "line_full"];
const SOCKET_FAILURES_MAX = 2;
const SOCKET_RETRY_MS = 30_000;
const SOCKET_RETRY_MS_MAX = 300_000;

/**
 * Returns how long to stay away before attempt number `attempt` (from 0): a random part of a range that doubles, up to a cap. The first
 * range is `spreadMs` if that is longer: what closed this socket may have closed ten thousand others.
 */
export function backoffMs(attempt, spreadMs = 0, random = Math.random) {
  const range = attempt ? Math.min(PAUSE_MS_MAX, 4_000 * 2 ** attempt) : Math.max(4_000, spreadMs);
  return range * (0.1 + 0.9 * random());
}

/** Returns how long a page without a number stays away at first. Its status gives a number of seconds; the page comes in the last of them. */
export const firstMs = (status, random = Math.random) => (status?.state === "none" && status.spread_s > 0 ? (status.spread_s - random()) * 1_000 : 0);

/**
 * Creates the connection. `hasNumber()` says whether the page already holds a number, `spreadMs()` over how long to spread a return.
 * Callbacks: `onStatus(object)`, `onFrame(ArrayBuffer)`; `onLink("up" | "busy" | "lost")` when the line is heard, when something else
 * answers in its place, when nothing does; `onDate(text)` with the server's clock; `onCookiesOff()`; `onRefused()` when only the front
 * can say why there is no number.
 */
export function createConnection({ room, hasNumber, spreadMs, onStatus, onFrame, onLink, onDate, onCookiesOff, onRefused }) {
  const base = `/__baton/${room}/`;
  let running = false,
    socket = null,
    poll = null,
    timer = 0,
    pinger = 0,
    deadline = 0;
  let attempt = 0,
    socketFailures = 0,
    socketAt = 0,
    heardAt = Date.now(),
    refusals = 0,
    linked = false,
    heldTo = 0;

  function drop() {
    clearTimeout(timer);
    clearInterval(pinger);
    clearTimeout(deadline);
    poll?.abort();
    const old = socket;
    poll = socket = null;
    // From here on its events are ignored: a dead socket can take minutes to notice that it is closed.
    old?.close();
  }

  function heard() {
    heardAt = Date.now();
    clearTimeout(deadline);
    refusals = 0;
    linked = true;
    onLink("up");
  }

  function reconnectIn(ms) {
    clearTimeout(timer);
    timer = setTimeout(reconnect, ms);
  }

  function reconnect() {
    // Also if the tab comes back in the meantime. By this clock, because somebody may set the wall clock back.
    if (performance.now() < heldTo) return reconnectIn(heldTo - performance.now());
    if (hasNumber() && Date.now() - heardAt > SILENCE_MS_MAX) request("status");
    else if (performance.now() < socketAt) request(hasNumber() ? "status" : "join");
    else openSocket();
  }

  function unlinked(how) {
    linked = false;
    onLink(how);
  }

  function failed(how = "lost") {
    unlinked(how);
    reconnectIn(backoffMs(attempt++, spreadMs()));
  }

  function openSocket() {
    drop();
    const resumes = hasNumber();
    const mine = new WebSocket(`${location.origin.replace(/^http/, "ws")}${base}socket${resumes ? "?resume=1" : ""}`);
    let openedAt = 0,
      saidHere = false;
    socket = mine;
    mine.binaryType = "arraybuffer";
    const ended = (code) => {
      if (socket !== mine) return;
      drop();
      if (openedAt && Date.now() - openedAt > PONG_MS) attempt = 0;
      if (code === 1013) attempt = Math.max(attempt, 2);
      socketFailures = openedAt ? 0 : socketFailures + 1;
      // 1001: another tab of this visitor holds the place. Two tabs must not throw each other out in turns.
      if (code === 1001 || socketFailures >= SOCKET_FAILURES_MAX) {
        const tries = Math.max(0, socketFailures - SOCKET_FAILURES_MAX);
        socketAt = performance.now() + Math.min(SOCKET_RETRY_MS_MAX, SOCKET_RETRY_MS * 2 ** tries) * (1 + Math.random() / 2);
        if (code === 1001 || !tries) return reconnectIn(backoffMs(0) / 4);
      }
      failed(code === 1013 ? "busy" : "lost");
    };
    const ping = (patience) => {
      mine.send("ping");
      clearTimeout(deadline);
      deadline = setTimeout(ended, patience);
    };
    mine.ping = ping;
    deadline = setTimeout(ended, OPEN_MS);
    mine.onopen = () => {
      if (socket !== mine) return;
      openedAt = Date.now();
      heard();
      pinger = setInterval(() => ping(PONG_MS), PING_MS);
    };
    mine.onmessage = ({ data }) => {
      if (socket !== mine) return;
      heard();
      if (data instanceof ArrayBuffer) onFrame(data);
      else if (data !== "pong") {
        const status = parse(data);
        // The visitor missed a call while this page slept. One word makes the visitor present again, and the very next.
        if (status?.missed && !saidHere) mine.send('{"here":true}');
        saidHere ||= status?.missed === true;
        onStatus(status);
        // The room has lost the place, and the page joins anew.
        if (resumes && status?.state === "none") openSocket();
      }
    };
    mine.onclose = (event) => ended(event.code);
  }

  async function request(call) {
    drop();
    const mine = (poll = new AbortController());
    deadline = setTimeout(() => mine.abort(), POLL_MS);
    const wait = call === "status" && linked ? `?wait_s=${WAIT_S}` : "";
    try {
      const answer = await fetch(`${base}${call}${wait}`, {
        method: call === "join" ? "POST" : "GET",
        signal: mine.signal,
        cache: "no-store",
        headers: { Accept: "application/json" },
      });
      const body = await answer.json();
      if (poll !== mine) return;
      onDate(answer.headers.get("Date"));
      if (answer.status === 403 && body.error?.code === "cookies_required") return refused();
      if (REFUSALS.includes(body.error?.code)) {
        stop();
        return onRefused();
      }
      if (!answer.ok) return busy(answer);
      heard();
      attempt = 0;
      onStatus(body);
      if (poll !== mine || !running) return;
      clearTimeout(deadline);
      if (call === "status" && body.state === "none") return request("join");
      if (performance.now() >= socketAt) return openSocket();
      reconnectIn((Number(body.poll_after_s) || 1) * 1_000 * (1 + Math.random() / 4));
    } catch {
      if (poll === mine) failed();
    }
  }

  /** Handles an answer that cookies are required. The first brings the cookie along. Only the second proves that the browser does not keep it. */
  function refused() {
    if (++refusals < 2) return request("join");
    stop();
    onCookiesOff();
  }

  function busy(answer) {
    unlinked("busy");
    const asked = Math.min(300, Number(answer.headers.get("Retry-After")) || 0) * 1_000;
    reconnectIn(asked + backoffMs(attempt++));
  }

  /**
   * Starts. `first` is the page's first call: `join` for a new number or one of a better lane, `status` if the page knows nothing. Otherwise its
   * first word comes after `inMs`.
   */
  function start(first, inMs = 0) {
    running = true;
    heldTo = performance.now() + inMs;
    attempt = socketFailures = socketAt = refusals = 0;
    if (first) request(first);
    else reconnect();
  }

  function stop() {
    running = false;
    drop();
  }

  /** Checks the link when the tab came back, the device woke or the network returned: it may have died without a sign. */
  function wake() {
    if (!running) return;
    if (socket?.readyState === 1 && Date.now() - heardAt < PING_MS + PONG_MS) return socket.ping(WAKE_PONG_MS);
    if (socket?.readyState === 0 || (poll && Date.now() - heardAt < PING_MS)) return;
    attempt = 0;
    linked = false;
    reconnect();
  }

  /** Asks for the server's clock, beside everything else. */
  async function date() {
    const answer = await fetch(`${base}status`, { cache: "no-store" }).catch(() => {});
    onDate(/** @type {any} */ (answer)?.headers.get("Date"));
  }

  return { start, stop, drop, wake, date };
}

/** Returns what the JSON says, or null if the text is no JSON. */
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
