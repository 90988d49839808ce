// One client before one room: the shop, Baton, the watcher, a browser. Questions ask it what a person sees and what the room counts.

import { eventually } from "../../runtime/harness.mjs";
import { startRuntime } from "../../../scripts/runtime.mjs";
import { Visitor } from "../../support/visitor.mjs";
import { startWatcher } from "../watcher.mjs";

const TOKEN = "a token of thirty-two bytes, or more";
const ROOM = {
  paths: ["/buy/*"],
  permits: 1,
  tick_ms: 200,
  claim_within_s: 60,
  linger_s: 30,
  grace_s: 600,
  lease_idle_s: 600,
  lease_max_s: 1800,
  pass_ttl_s: 10,
};
const SECRET = "c2VjcmV0cy1vZi10aGUtd29ybGQtYW5kLW9mLW5vYm9keS1lbHNlLWF0LWFsbC1pbi1pdA==";
/** A person gives up on a click after about so long. */
const PATIENCE_MS = 8_000;

/** What a person sees, told from inside the document. */
function look() {
  const own = document.getElementById("baton-status");
  const text = (selector) => document.querySelector(selector)?.textContent?.trim() ?? "";
  if (!own) return { at: location.pathname, shop: text("h1") };
  const isWhole = document.querySelector('link[rel=stylesheet][href*="/__baton/static/"]') !== null && !document.querySelector("#swup");
  return { at: location.pathname, waiting: document.body.dataset.state ?? "in pieces", number: text("[data-baton=number]"), isWhole };
}

export class Stage {
  /**
   * `start()` resolves to the shop, `{ url, came, stop }`; `room` is laid over the room's settings. `client.ready`, a function for the page, resolves
   * when the client is at work.
   */
  static async open({ browsers, client, start, room = {} }) {
    const stage = new Stage();
    stage.shop = await start();
    stage.runtime = await startRuntime({
      vars: {
        ROOMS: { onsale: { ...ROOM, ...room, paths: [...ROOM.paths, ...(client.paths ?? [])] } },
        BATON_SECRET: SECRET,
        ORIGIN: stage.shop.url,
        BATON_ADMIN_TOKEN: TOKEN,
        ...client.vars,
      },
    });
    stage.watcher = await startWatcher(stage.runtime.port, { stripped: client.stripped });
    const visit = await browsers.visit(client);
    return Object.assign(stage, { client, browsers, context: visit.context, page: visit.page, others: [] });
  }

  /** Somebody else comes to the same stage, in a browser of the same kind, and has the page. */
  async next() {
    await this.context.close();
    Object.assign(this, await this.browsers.visit(this.client));
  }

  async close() {
    await this.context.close();
    for (const other of this.others) other.closeSocket({ abrupt: true });
    this.watcher.stop();
    await this.runtime.stop();
    await this.shop.stop();
  }

  url(at) {
    return new URL(at, this.watcher.url).href;
  }

  async #operator(at, method = "GET") {
    const answer = await fetch(new URL(`/__baton/admin/rooms/onsale${at}`, this.runtime.url), {
      method,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    return answer.status === 200 ? answer.json() : { status: answer.status };
  }

  /** Returns what the room has counted: `{ walked_in, joined, released, … }`. */
  async totals() {
    return (await this.#operator("")).report.totals;
  }

  /** Ends somebody's ticket, as an operator does. */
  async end(number) {
    await this.#operator(`/tickets/${number}/release`, "POST");
  }

  /** Somebody else walks in and stays. */
  async holder() {
    const other = new Visitor({ url: `${this.runtime.url}/buy/`, name: "the holder" });
    this.others.push(other);
    // A front that has just heard of a full room asks again a turn later.
    await eventually(async () => (await other.arrive()).state === "shop", { what: "the holder's way in" });
    await other.arrive();
    return other;
  }

  async look(page = this.page) {
    return page.evaluate(look).catch(() => ({ at: "", shop: "(between two pages)" }));
  }

  /** Opens a page of the shop. */
  async open(at) {
    await this.page.goto(this.url(at));
    if (this.client.ready) await this.page.evaluate(this.client.ready);
  }

  /** Waits until a person sees what `is` says; resolves to what is seen in the end, whatever it is. */
  async sees(is, { page, everyMs = 50 } = {}) {
    let seen;
    await eventually(async () => is((seen = await this.look(page))), { timeoutMs: PATIENCE_MS, everyMs }).catch(() => {});
    return seen;
  }

  click(text) {
    return this.page.getByText(text, { exact: true }).first().click({ timeout: PATIENCE_MS });
  }
  hover(text) {
    return this.page.getByText(text, { exact: true }).first().hover({ timeout: PATIENCE_MS });
  }
}

export const isShop =
  (heading) =>
  ({ shop }) =>
    shop === heading;
export const isInLine = ({ waiting, number, isWhole }) => waiting === "waiting" && number !== "" && isWhole;
