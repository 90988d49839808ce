/* A Baton, its shop, and people in one engine before it, for whole stories. */

import assert from "node:assert/strict";
import { STATES } from "../../scripts/gallery/states.mjs";
import { scene, tellHowToReplay } from "../runtime/harness.mjs";

/**
 * Plays `story(it, enter)` in a scene of its own. `enter(path, options)` brings somebody new in `engine` or in another one (`by`), if
 * wanted to the origin that the people of a third (`via`) go to. The laws hold afterwards, and no console had anything to say.
 */
export async function playIn(engine, title, settings, story) {
  const it = await scene({ permits: 1, ...settings });
  const people = [];
  const enter = async (path = "/buy/", { by = engine, via = by, ...options } = {}) => {
    const person = await by.person(options);
    people.push(person);
    person.origin = await via.origin(it.rt.url);
    it.shop.trustHost(new URL(person.origin).host);
    await person.goto(`${person.origin}${path}`);
    return person;
  };
  try {
    await story(it, enter);
    for (const person of people) assert.deepEqual(await person.complaints(), [], "the console is quiet");
    it.checkLaws();
  } catch (error) {
    for (const person of people) console.error(await person.situation().catch(String));
    tellHowToReplay(`${engine.name}: ${title}`, it.rt.logs());
    throw error;
  } finally {
    await Promise.all(people.map((person) => person.close()));
    await it.stop();
  }
}

export const inShop = (person) =>
  person.until(() => [...document.querySelectorAll("button")].some(({ textContent }) => textContent.trim() === "Book now"));
export const number = (person) => person.until(() => document.querySelector("body[data-state=waiting] [data-baton=number]")?.textContent);
/** When the page on the screen began to come, Unix ms. */
export const began = (person) => person.evaluate(() => performance.timeOrigin + performance.getEntriesByType("navigation")[0].responseStart);
export const release = (holder) => holder.request("/buy/release");

/** Opens a state of the gallery at `origin`, and waits until the page lives and shows what it is about. */
export async function openState(person, origin, language, state) {
  await person.goto(`${origin}/${language}/${state}`);
  const { link } = STATES[state];
  const there = { cookies: "[data-state=cookies]", busy: "[data-link=busy]", lost: "[data-state=unreachable], [data-link=lost]" }[link] ?? "body";
  await person.until(
    (selector) => document.documentElement.matches("[data-live]") && document.readyState === "complete" && Boolean(document.querySelector(selector)),
    there,
  );
}
