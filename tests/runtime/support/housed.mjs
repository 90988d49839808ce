// A world with a house: grounds, an operator, and one room of the file beside it.

import assert from "node:assert/strict";
import { Visitor } from "../../support/visitor.mjs";
import { startWorld } from "./world.mjs";

export const TOKEN = "an operator's token that nobody guesses";
/** As src/house/fresh.rs has it, ms. */
export const BOUND_MS = 5_000;
/** A room that most of these tests define. */
export const ROOM = { paths: ["/buy/*"], permits: 1, tick_ms: 50, linger_s: 60 };

/**
 * A world with grounds and an operator: `house.put(room, table)`, `house.call(path, options)`.
 *
 * @param {import("node:test").TestContext} t
 * @param {import("./world.mjs").World} [of]
 */
export async function housed(t, { vars = {}, ...options } = {}) {
  const rooms = { onsale: { paths: ["/file/*"], permits: 1 } };
  const world = await startWorld(t, { rooms, ...options, vars: { BATON_ADMIN_TOKEN: TOKEN, GROUNDS: { paths: ["/*"] }, ...vars } });
  const call = async (
    path,
    /** @type {{ method?: string, body?: object, headers?: Record<string, string> }} */ { method = "GET", body, headers = {} } = {},
  ) => {
    const answer = await fetch(new URL(`/__baton/admin/${path}`, world.url), {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      etag: answer.headers.get("etag"),
      text,
      json: text.startsWith("{") && !path.endsWith("journal") ? JSON.parse(text) : undefined,
    };
  };
  const must = async (path, options) => {
    const answer = await call(path, options);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  const house = {
    call,
    look: () => must("house"),
    put: (room, table, options = {}) => must(`house/rooms/${room}`, { method: "PUT", body: table, ...options }),
    patch: (room, body) => must(`rooms/${room}`, { method: "PATCH", body }),
    report: async (room) => (await must(`rooms/${room}`)).json.report,
  };
  const guest = (path) => new Visitor({ url: new URL(path, world.url).href, room: "shows" });
  return { ...world, house, guest };
}

/** Whether somebody who comes is let through to the shop. */
export const isShop = async (guest) => (await guest.arrive()).state === "shop";
