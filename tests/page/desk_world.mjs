/* A desk before a real worker with people in its line, for the desk's tests. */

import assert from "node:assert/strict";
import { startWorld } from "../runtime/support/world.mjs";
import { DESKTOP, newPage } from "./browser.mjs";

export const TOKEN = "an operator's token that nobody guesses";

/** A world in `browser` with one inside and `waiting` in line, and a page before its desk. */
export async function openDesk(browser, t, { waiting = 2, options = {}, room = {}, vars = {} } = {}) {
  const world = await startWorld(t, { room: { permits: 1, linger_s: 60, ...room }, vars: { BATON_ADMIN_TOKEN: TOKEN, ...vars } });
  const holder = world.visitor({ name: "holder" });
  await holder.arrive();
  await holder.arrive();
  const join = async () => {
    const visitor = world.visitor({ name: "waiter" });
    await visitor.arrive();
    await visitor.openSocket();
    return visitor;
  };
  const line = [];
  for (let i = 0; i < waiting; i++) line.push(await join());
  const { context, page, complaints } = await newPage(browser, { viewport: DESKTOP, expectNetworkErrors: true, ...options });
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  const origin = new URL(world.url).origin;
  await page.goto(`${origin}/__baton/admin/`);
  const figure = (key, text) => page.locator(`[data-figure="${key}"]`, { hasText: new RegExp(`^${text}$`) }).waitFor({ state: "attached" });
  const told = (text) => page.locator("#news", { hasText: text }).waitFor();
  const knob = (key) => page.locator(`.knob[data-key="${key}"]`);
  /** Unfolds what is one step deeper. */
  const unfolded = async (name) => {
    const details = page.locator(`article details.${name}`);
    await details.waitFor();
    if ((await details.getAttribute("open")) === null) await details.locator("> summary").click();
  };
  const yes = () => page.locator("#yes").click();
  const set = async (key, value) => {
    await unfolded("settings");
    const input = knob(key).locator("input, select").first();
    if (key === "mode") await input.selectOption(value);
    else await input.fill(value);
    await knob(key).getByRole("button", { name: "Change" }).click();
  };
  const signIn = async (token = TOKEN) => {
    await page.getByLabel("Operator's token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  /** Another operator, without a page. */
  const elsewhere = async (values, room = "onsale") => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await fetch(`${origin}/__baton/admin/rooms/${room}`, { method: "PATCH", headers, body: JSON.stringify(values) });
    assert.equal(answer.status, 200);
  };
  return { ...world, page, context, complaints, holder, line, join, figure, told, knob, unfolded, yes, set, signIn, elsewhere };
}
