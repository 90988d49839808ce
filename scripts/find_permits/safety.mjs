// Keeps a load test from doing harm: it asks only hosts that were named and that serve our one-time code, caps hold, and the first sign that the shop
// defends itself or breaks ends the run. Everything but the question for the code is pure.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { UserError } from "../common.mjs";

const CODE_PATH = "/.well-known/baton-find-permits";
/** How many of the last answers are judged. Fewer than three errors never end the run. */
const WINDOW = 500;
const ERRORS_MIN = 3;
const ERRORS_SHARE_MAX = 0.02;
/** Statuses that say "enough": too many requests, and forbidden. */
const DEFENDING = { 403: "forbidden", 429: "too many requests" };

/** Makes another code for each run, which is good while this process lives. */
export const makeCode = () => `baton-find-permits=${randomBytes(18).toString("base64url")}`;

function sameText(a, b) {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns why an answer does not show that the owner of this host agrees, or `null` if it does. */
export function whyNoConsent({ status, body }, code) {
  if (status >= 300 && status < 400) return `it redirects (${status})`;
  if (status !== 200) return `it answers ${status}`;
  return sameText(body.trim(), code) ? null : "it holds another text";
}

/**
 * Waits until every host serves the code. `ask(url)` resolves to `{ status, body }`. `tell(text)` says what to do, once. Throws a UserError that
 * names the host when `waitMs` are over.
 */
export async function waitForConsent({ origins, code, ask, clock, waitMs, everyMs = 3_000, tell }) {
  const untilMs = clock.now() + waitMs;
  for (const origin of origins) {
    const url = new URL(CODE_PATH, origin);
    for (let isTold = false; ; isTold = true) {
      const why = await ask(url).then(
        (answer) => whyNoConsent(answer, code),
        (error) => `it does not answer: ${error.code ?? error.message}`,
      );
      if (why === null) break;
      if (!isTold)
        tell(
          `Before anything is sent, ${origin.host} must show that you may do this. Serve this text\n\n    ${code}\n\nat ${url.href} (now: ${why}).`,
        );
      if (clock.now() + everyMs > untilMs)
        throw new UserError(
          `${origin.host} did not serve the code at ${url.href}: ${why}. Nothing else was sent.\nCure: put the text there as it stands, or have it written by --code-file, and run this again. Each run has another code.`,
        );
      await new Promise((resolve) => clock.at(clock.now() + everyMs, resolve));
    }
  }
}

/** Throws if steps may change something at the shop and --allow-writes is not given. */
export function refuseWrites(steps, file, isAllowed) {
  const writing = steps.filter(({ method }) => !["GET", "HEAD"].includes(method));
  if (isAllowed || writing.length === 0) return;
  const listed = writing.map(({ name, line, method, path }) => `  ${file}:${line}: "${name}" sends ${method} ${path}`).join("\n");
  throw new UserError(
    `These steps may change something at the shop, thousands of times:\n${listed}\nCure: point --url at a staging site whose orders, mails and payments go nowhere, then say --allow-writes. Nothing was sent.`,
  );
}

/** Counts requests and answers, and says when it is enough. */
export class Guard {
  requests = 0;
  #recent = [];
  #errors = 0;
  #perSMax;
  #second = -1;
  #inSecond = 0;

  constructor({ requests_per_s_max: perSMax }) {
    this.#perSMax = perSMax;
  }

  /** Counts a request before it is sent. Returns why it must not be sent, or `null`. */
  mayAsk(nowMs) {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0];
    if (this.#inSecond >= this.#perSMax) return `more than ${this.#perSMax} requests in a second (--requests-per-s-max)`;
    this.#inSecond += 1;
    this.requests += 1;
    return null;
  }

  /** Takes an answer. Returns why the run must end, or `null`. */
  note({ isOk, status, why, mustStop = false }, { name }) {
    if (mustStop) return why;
    if (Object.hasOwn(DEFENDING, status))
      return `"${name}" was answered ${status} (${DEFENDING[status]}): the shop, or something before it, defends itself`;
    this.#recent.push(isOk);
    if (!isOk) this.#errors += 1;
    if (this.#recent.length > WINDOW && this.#recent.shift() === false) this.#errors -= 1;
    if (this.#errors < ERRORS_MIN || this.#errors < ERRORS_SHARE_MAX * this.#recent.length) return null;
    return `${this.#errors} of the last ${this.#recent.length} answers were errors; the last at "${name}": ${why ?? "an error before it"}`;
  }
}
