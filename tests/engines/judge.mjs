/* What may be wrong with how a page looks, in any engine and without a picture of it: where things are, and contrast. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Runs in the page; returns what is wrong: the page or a part scrolls sideways, text leaves the screen or is cut by what is around it, text or controls
 * lie on each other. Long because all of it has to be one function that knows nothing of its file.
 */
export function misplaced() {
  /** By so much of its height the box of a line of text may reach over its neighbour's: letters do not fill it. */
  const LEAD = 0.25;
  const root = document.documentElement,
    faults = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".spoken, .unseen");
  const named = (element) =>
    `${element.localName}${element.className ? `.${String(element.className).replaceAll(" ", ".")}` : ""} "${element.textContent.trim().slice(0, 30)}"`;
  const part = document.querySelector("dialog[open]") ?? document.body;

  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide on a screen of ${root.clientWidth}`);
  const all = [...part.querySelectorAll("*")].filter(shown);
  for (const element of all) {
    if (
      ["auto", "scroll"].includes(getComputedStyle(element).overflowX) &&
      element.scrollWidth > element.clientWidth + 1 &&
      !element.closest("input, textarea, pre, svg")
    )
      faults.push(`${named(element)} scrolls sideways`);
  }

  /** The pieces of text, a line each. */
  const pieces = [];
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker,
      owner = node.parentElement;
    if (!node.data.trim() || owner.closest("script, style, noscript, svg, option, textarea") || !shown(owner)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of range.getClientRects())
      if (right - left > 1) pieces.push({ owner, left, right, top: top + LEAD * (bottom - top), bottom: bottom - LEAD * (bottom - top) });
  }
  for (const { owner, left, right, top, bottom } of pieces) {
    if (getComputedStyle(owner).textOverflow === "ellipsis") continue;
    if (left < -1 || right > root.clientWidth + 1) faults.push(`${named(owner)} leaves the screen`);
    for (let around = owner; around !== root; around = around.parentElement) {
      const { overflowX, overflowY, clipPath } = getComputedStyle(around);
      const box = around.getBoundingClientRect();
      const cutsX = overflowX !== "visible" || clipPath !== "none",
        cutsY = overflowY === "hidden" || overflowY === "clip";
      if ((cutsX && (left < box.left - 1 || right > box.right + 1)) || (cutsY && (top < box.top - 1 || bottom > box.bottom + 1)))
        faults.push(`${named(owner)} is cut by ${named(around)}`);
    }
  }

  const controls = all
    .filter((element) => element.matches("a, button, input, select, textarea, summary"))
    .map((owner) => ({ owner, ...owner.getBoundingClientRect().toJSON() }));
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const over = (list) =>
    list.forEach((a, at) =>
      list.slice(at + 1).forEach((b) => {
        if (a.owner !== b.owner && !a.owner.contains(b.owner) && !b.owner.contains(a.owner) && meet(a, b) && !isAbove(a.owner, b.owner))
          faults.push(`${named(a.owner)} lies on ${named(b.owner)}`);
      }),
    );
  /** What sticks to the screen while the rest scrolls lies on that by intention. */
  function isAbove(a, b) {
    const layerOf = (element) => {
      for (let each = element; each; each = each.parentElement) if (["sticky", "fixed"].includes(getComputedStyle(each).position)) return each;
    };
    return layerOf(a) !== layerOf(b);
  }
  over(pieces);
  over(controls);
  return [...new Set(faults)];
}

/** What axe finds of contrast too low to read, on the page that is open. */
export const tooPale = (person) => broken(person, ["color-contrast"]);

let runs = 0;
/** What axe finds wrong with the page that is open, by these rules, or by all that it has. */
export async function broken(person, rules) {
  runs += 1;
  await person.evaluate(`() => { if (!window.axe) { ${AXE} } }`);
  await person.evaluate(
    (runOnly, run) => {
      // A driver asks again when an answer is late.
      if (window.judging === run) return;
      window.judging = run;
      window.judged = undefined;
      const told = ({ html, any }) => `${html.slice(0, 120)}: ${any.map(({ message }) => message).join(" ")}`;
      window.axe.run(document, { ...(runOnly && { runOnly }), resultTypes: ["violations"] }).then(
        ({ violations }) => {
          window.judged = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${told(node)}`));
        },
        (error) => {
          window.judged = [String(error)];
        },
      );
    },
    rules ?? null,
    runs,
  );
  const { judged } = await person.until(() => window.judged && { judged: window.judged });
  return judged;
}
