/*
 * The page at `/__baton/{room}/draw`: shows the commitments, and does the last draw again in this browser.
 */

import { drawAgain } from "./order.js";

/** @type {(name: string) => HTMLInputElement} */
const $ = (name) => document.querySelector(`[data-draw="${name}"]`);
const words = JSON.parse(document.body.dataset.words);
const say = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const here = new URL(".", location.href);

async function json(path) {
  const answer = await fetch(path, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return await answer.json();
}

/** Returns the draw of the lane that the address names, else of the visitor's own, else of everybody's, the last. Links to every lane. */
function choose({ lanes = [], ...draws }, ownLane) {
  if (lanes.length === 0) return draws;
  const wanted = new URLSearchParams(location.search).get("lane") ?? ownLane;
  const shown = lanes.find(({ name }) => name === wanted) ?? lanes.at(-1);
  $("lanes").replaceChildren(
    ...lanes.map(({ name, title }) => {
      const link = document.createElement("a");
      link.href = `?lane=${encodeURIComponent(name)}`;
      link.textContent = title || name;
      if (name === shown.name) link.setAttribute("aria-current", "page");
      return link;
    }),
  );
  $("lanes").hidden = false;
  return shown;
}

function answer(numbers, value) {
  const entry = Number(value);
  const number = numbers.get(entry);
  $("answer").textContent = !value ? "" : number ? say("became", { entry, number }) : say("took_no_part", { entry: value });
}

async function show() {
  const draws = await json(location.pathname);
  // The waiting page passes the entry on. The entry's lane, and the entry of a visitor who comes another way, are in this browser's status.
  const given = Number(location.hash.slice(1));
  const status = given > 0 && !draws.lanes ? {} : await json(new URL("status", here)).catch(() => ({}));
  const told = choose(draws, status.lane?.name);
  const own = given > 0 ? given : status.lane?.name === told.name && status.entry;
  if (own) $("own").textContent = say("own", { entry: own });
  if (told.next) {
    $("next").hidden = false;
    $("commitment").textContent = told.next.commitment;
  }
  if (!told.last) {
    $("none").hidden = Boolean(told.next);
    return;
  }
  $("last").hidden = false;
  $("seed").textContent = told.last.seed;
  $("committed").textContent = told.last.commitment;
  $("verdict").textContent = say("working", { count: told.last.count });
  const again = await drawAgain(told.last);
  const right = again.kept && again.count === told.last.count;
  $("verdict").textContent = say(right ? "right" : "wrong", { count: again.count });
  $("verdict").dataset.right = String(right);
  $("form").hidden = false;
  const field = $("entry");
  field.addEventListener("input", () => answer(again.numbers, field.value));
  if (own) {
    field.value = String(own);
    answer(again.numbers, field.value);
  }
}

show().catch(() => {
  $("verdict").textContent = say("unreachable");
  $("last").hidden = false;
});
