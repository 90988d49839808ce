// What is asked of every client. Each question plays a person on a fresh stage, and returns what was wrong, or nothing.

import { pass } from "../../runtime/harness.mjs";
import { isInLine, isShop } from "./stage.mjs";

/** Longer than any prefetcher waits before it looks. */
const IDLE_MS = 2_500;
const told = (seen) => JSON.stringify(seen);

/** So many have come of whom the room knows, as walk-ins or with a number. */
async function taken(stage, wanted) {
  const { walked_in: walkedIn, joined } = await stage.totals();
  if (walkedIn + joined !== wanted) return `${walkedIn} permits and ${joined} numbers taken`;
}
const nothingTaken = (stage) => taken(stage, 0);

async function expects(stage, is, what) {
  const seen = await stage.sees(is);
  if (!is(seen)) return `${what}, but: ${told(seen)}`;
}

async function home(stage) {
  await stage.open("/");
  return expects(stage, isShop("Home"), "the home page");
}

/** Clicks, and waits in the full room. */
async function inLine(stage) {
  stage.other = await stage.holder();
  return (await home(stage)) ?? (await stage.click("Buy"), await expects(stage, isInLine, "the line"));
}

/** Walks in, loses the permit to somebody else, and lets the pass run out. */
async function passOver(stage) {
  await stage.open("/buy/");
  const wrong = await expects(stage, isShop("Seats"), "walks in");
  if (wrong) return wrong;
  await stage.end(1);
  await stage.holder();
  // `pass_ttl_s` of the stage's room: only then does anybody ask whether the pass still counts.
  await pass(11_000);
}

// Long because it has an arm for each question.
export const QUESTIONS = {
  "home page looked at": {
    permits: 3,
    async ask(stage) {
      const wrong = await home(stage);
      await pass(IDLE_MS);
      return wrong ?? nothingTaken(stage);
    },
  },
  hover: {
    permits: 3,
    async ask(stage) {
      const wrong = await home(stage);
      await stage.hover("Buy");
      await pass(IDLE_MS);
      return wrong ?? nothingTaken(stage);
    },
  },
  "click, a permit free": {
    permits: 3,
    async ask(stage) {
      const wrong = await home(stage);
      if (wrong) return wrong;
      await stage.hover("Buy");
      await pass(400);
      await stage.click("Buy");
      return (await expects(stage, isShop("Seats"), "the shop")) ?? taken(stage, 1);
    },
  },
  "click, full room": { ask: inLine },
  "the turn": {
    async ask(stage) {
      const wrong = await inLine(stage);
      if (wrong) return wrong;
      await stage.other.leave();
      return expects(stage, isShop("Seats"), "in");
    },
  },
  "back and again": {
    async ask(stage) {
      const wrong = await inLine(stage);
      if (wrong) return wrong;
      const { number } = await stage.look();
      await stage.page.goBack();
      const back = await expects(stage, isShop("Home"), "the home page again");
      if (back) return back;
      await stage.click("Buy");
      const seen = await stage.sees(isInLine);
      return isInLine(seen) && seen.number === number ? undefined : `the same number ${number}, but: ${told(seen)}`;
    },
  },
  "pass over: link": {
    async ask(stage) {
      const wrong = await passOver(stage);
      if (wrong) return wrong;
      await stage.click("More");
      return expects(stage, ({ waiting, isWhole }) => ["over", "waiting"].includes(waiting) && isWhole, "Baton's page");
    },
  },
  "pass over: form": {
    async ask(stage) {
      const wrong = await passOver(stage);
      if (wrong) return wrong;
      await stage.click("Order");
      return expects(stage, ({ waiting, isWhole }) => ["over", "waiting"].includes(waiting) && isWhole, "Baton's page");
    },
  },
  "thank-you page in view": {
    async ask(stage) {
      await stage.open("/buy/");
      const wrong = await expects(stage, isShop("Seats"), "walks in");
      if (wrong) return wrong;
      await stage.hover("Finish");
      await pass(IDLE_MS);
      const { released } = await stage.totals();
      if (released !== 0) return "the permit was given back by a look";
      await stage.click("Finish");
      const lost = await expects(stage, isShop("Thanks"), "the thank-you page");
      if (lost) return lost;
      return (await stage.totals()).released === 1 ? undefined : "the permit was not given back by the click";
    },
  },
};
