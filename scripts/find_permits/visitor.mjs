// One person at the shop over HTTP: one kept connection, cookies of their own, redirects followed, forms filled in. It asks no host that was not
// named. It reports an answer that is not as expected, and never throws it.

import { randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Cookies } from "./cookies.mjs";
import { filledIn } from "./forms.mjs";
import { WORD } from "./steps.mjs";

const REDIRECTS_MAX = 5;
const BODY_BYTES_MAX = 4 * 1024 * 1024;
const BEGINNING_CHARS = 200;
const AGENT = "Mozilla/5.0 (compatible; BatonFindPermits/0.1)";
const DECODERS = { gzip: promisify(gunzip), br: promisify(brotliDecompress), deflate: promisify(inflate) };
const REDIRECTS = [301, 302, 303, 307, 308];

/** A cookie of a visitor, a ticket or a pass (docs/client.md): the answer came through Baton, not from the shop. */
const BATON_COOKIE = /^(?:__Host-|__Secure-)?baton-[a-z0-9-]+=/;
const isFromBaton = ({ headers }) => (headers["set-cookie"] ?? []).some((line) => BATON_COOKIE.test(line));

async function decodedBody(answer) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error(`the answer is longer than ${BODY_BYTES_MAX / 1_048_576} MB`);
    chunks.push(chunk);
  }
  const decode = DECODERS[answer.headers["content-encoding"]];
  const whole = Buffer.concat(chunks);
  return (decode && whole.length > 0 ? await decode(whole) : whole).toString();
}

/** The first characters of a page that is not as expected, in one line. */
const beginningOf = (body) => JSON.stringify(body.trim().replace(/\s+/g, " ").slice(0, BEGINNING_CHARS));

/** A request of a step. @typedef {{ method: string, body?: string, headers?: Record<string, string> }} Asked */

let people = 0;

export class Visitor {
  #deps;
  #cookies = new Cookies();
  #agents = {};
  #words = { person: String((people += 1)) };
  #page = { url: null, body: "" };
  #files = new Set();
  #proveFor;
  #publicOrigin;

  /** `origins`: hosts that may be asked. `mayAsk()`: why no request may go out now, or `null`. `prover`: see proof.mjs, or null. */
  constructor({ base, origins, mayAsk, prover = null, timeoutMs }) {
    this.#deps = { base, origins, mayAsk, timeoutMs };
    this.#proveFor = prover?.person() ?? null;
    this.#publicOrigin = prover?.publicOrigin;
  }

  /** Does a step. Resolves to `{ isOk, status, why, mustStop, isPending }`; never rejects. `isPending`: the answer says that the shop's work goes on. */
  async ask(step) {
    const seen = { status: 0 };
    try {
      const body = await this.#walk(step, seen);
      const isPending = Boolean(step.poll) && this.#isRight(step, seen.status) && !body.includes(step.poll.until);
      if (isPending)
        return {
          isOk: true,
          isPending,
          status: seen.status,
          why: `the answer does not contain ${JSON.stringify(step.poll.until)}. It begins: ${beginningOf(body)}`,
        };
      const why = this.#judge(step, seen.status, body);
      return { isOk: why === null, status: seen.status, why };
    } catch (error) {
      return { isOk: false, status: seen.status, why: error.message || error.code, mustStop: error instanceof Forbidden };
    }
  }

  close() {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** Sends the step's request, follows its redirects, then loads the files of its page. Resolves to the page. */
  async #walk(step, seen) {
    // A path that was taken from a page is relative to it, as a link is.
    let url = new URL(this.#filled(step.path), step.path.startsWith("{") ? (this.#page.url ?? this.#deps.base) : this.#deps.base);
    /** @type {Asked} */
    let request = { method: step.method, ...this.#bodyOf(step, url) };
    for (let hops = 0; ; hops += 1) {
      const answer = await this.#request(url, { ...request, headers: { ...request.headers, ...this.#filledTable(step.headers) } });
      seen.status = answer.status;
      if (!REDIRECTS.includes(answer.status) || !answer.headers.location || step.expect === answer.status) {
        this.#page = { url, body: answer.body };
        if (answer.status < 400) await this.#loadFiles(step.also);
        return answer.body;
      }
      if (hops === REDIRECTS_MAX) throw new Error(`more than ${REDIRECTS_MAX} redirects`);
      url = new URL(answer.headers.location, url);
      if (![307, 308].includes(answer.status)) request = { method: request.method === "HEAD" ? "HEAD" : "GET" };
    }
  }

  /** Loads what a page needs beside itself, each file once a person, as with a browser's cache. */
  async #loadFiles(also) {
    for (const path of also.map((each) => this.#filled(each)).filter((each) => !this.#files.has(each))) {
      this.#files.add(path);
      const { status } = await this.#request(new URL(path, this.#deps.base), { method: "GET" });
      if (status >= 400) throw new Error(`${path} was answered ${status}`);
    }
  }

  #bodyOf({ form, json, method }, url) {
    if (json !== null)
      return {
        body: JSON.stringify(json, (_, value) => (typeof value === "string" ? this.#filled(value) : value)),
        headers: { "content-type": "application/json" },
      };
    if (form === null) return {};
    const fields = filledIn(this.#page.body, this.#page.url ?? url, url, this.#filledTable(form), method);
    return { body: fields.toString(), headers: { "content-type": "application/x-www-form-urlencoded" } };
  }

  #isRight({ expect }, status) {
    return expect !== null ? status === expect : status >= 200 && status <= 299;
  }

  #judge({ expect, contains, take }, status, body) {
    if (!this.#isRight({ expect }, status)) return `status ${status}${expect === null ? "" : `, expected ${expect}`}`;
    if (contains !== null && !body.includes(contains))
      return `the page does not contain ${JSON.stringify(contains)}. It begins: ${beginningOf(body)}`;
    for (const [word, pattern] of take) {
      const found = pattern.exec(body)?.[1];
      if (found === undefined) return `the page holds no {${word}}: nothing matches ${pattern}`;
      this.#words[word] = found;
    }
    return null;
  }

  #filled(text) {
    return text.replace(WORD, (all, word) => (word === "random" ? randomBytes(8).toString("hex") : (this.#words[word] ?? all)));
  }

  #filledTable(table) {
    return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, this.#filled(value)]));
  }

  #agentOf({ protocol, origin }) {
    const kind = protocol === "https:" ? https : http;
    this.#agents[origin] ??= new kind.Agent({ keepAlive: true, maxSockets: 1 });
    return [kind, this.#agents[origin]];
  }

  /** The address of a page as visitors have it: a shop behind Baton's check makes cookies for it, and compares a form's origin with it. */
  #seenAs(url) {
    return this.#publicOrigin && url.origin === this.#deps.base.origin ? new URL(url.pathname + url.search, this.#publicOrigin) : url;
  }

  #headersFor(url, method, body) {
    const referrer = this.#page.url ? { referer: this.#seenAs(this.#page.url).href } : {};
    const isWriting = !["GET", "HEAD"].includes(method);
    const cookie = this.#cookies.header(this.#seenAs(url));
    return {
      "user-agent": AGENT,
      accept: "text/html,application/xhtml+xml,*/*;q=0.8",
      "accept-language": "en",
      "accept-encoding": "gzip, br",
      ...referrer,
      ...(isWriting && { origin: this.#seenAs(this.#page.url ?? url).origin }),
      ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
      ...(cookie && { cookie }),
      ...(url.origin === this.#deps.base.origin && this.#proveFor?.(method, url.pathname + url.search)),
    };
  }

  /** @param {URL} url @param {Asked} request */
  async #request(url, { method, body, headers = {} }) {
    const { origins, mayAsk } = this.#deps;
    if (!origins.includes(url.origin)) throw new Forbidden(`${url.origin} was not named: add it to hosts in the steps file if it may be asked`);
    const send = () => {
      const why = mayAsk();
      if (why !== null) throw new Forbidden(why);
      return this.#send(url, { method, body, headers: { ...this.#headersFor(url, method, body), ...headers } });
    };
    // A server may close a kept connection just as it is used again. Browsers then ask once more, and so does this.
    const answer = await send().catch((error) => (error.isStale ? send() : Promise.reject(error)));
    const page = await decodedBody(answer);
    if (isFromBaton(answer))
      throw new Forbidden(`${url.host} is behind Baton's own line, which would be measured, not the shop. Point --url at the shop's own address`);
    this.#cookies.keep(this.#seenAs(url), answer.headers["set-cookie"]);
    return { status: answer.statusCode, headers: answer.headers, body: page };
  }

  #send(url, { method, body, headers }) {
    const { timeoutMs } = this.#deps;
    const [kind, agent] = this.#agentOf(url);
    return new Promise((resolve, reject) => {
      const request = kind.request(url, { method, headers, agent, signal: AbortSignal.timeout(timeoutMs) }, resolve);
      request.on("error", (error) => {
        const isLate = ["AbortError", "TimeoutError"].includes(error.name);
        reject(
          isLate
            ? new Error(`no answer within ${timeoutMs / 1_000} s`)
            : Object.assign(error, { isStale: request.reusedSocket && error.code === "ECONNRESET" }),
        );
      });
      request.end(body);
    });
  }
}

/** An error with which the run must not go on. */
class Forbidden extends Error {}
