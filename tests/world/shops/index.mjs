// `npm run check-world -- shops`: each product as its page in docs/stacks/ says, and buyers before it.
//
//   npm run check-world -- shops pretix              only this one
//   BATON_ENGINES=chromium,firefox                   in these engines; otherwise in all three

import { build } from "../../../scripts/build.mjs";
import { ENGINES, missing, startEngine } from "../../support/engines/index.mjs";
import { withEnding } from "../ending.mjs";
import { chosen } from "../table.mjs";
import { indico } from "./indico.mjs";
import { pretix } from "./pretix.mjs";
import { vendure } from "./vendure.mjs";
import { openShop } from "./stage.mjs";
import { Cast, PLAYS, WITHOUT_BROWSER } from "./story.mjs";

export const PRODUCTS = { indico, pretix, vendure };

async function play(cast, title, act) {
  const wrong = await act(cast).catch(async (error) => {
    const seen = await Promise.all(cast.people.map((person) => person.situation().catch(String)));
    return [error.message.split("\n")[0].slice(0, 300), ...seen.map((each) => `    ${each.replaceAll(/\s+/g, " ")}`)].join("\n");
  });
  await cast.gone();
  console.log(
    `${wrong ? "✖" : "✓"} ${cast.product.name}, ${cast.engine.name}: ${title}${wrong ? `: ${wrong}` : ""}${!wrong && act === PLAYS["two buyers, one permit"] ? ` (handed over in ${cast.tookMs} ms)` : ""}`,
  );
  return !wrong;
}

async function playsIn(name, product, acts, t) {
  const engine = await startEngine(name);
  t.after(() => engine.close());
  const shop = await openShop(product, t);
  const cast = new Cast({ shop, product, engine });
  let isGood = true;
  for (const [title, act] of Object.entries(acts)) {
    if (await play(cast, title, act)) continue;
    isGood = false;
    if (process.env.BATON_TRACE) console.log(shop.logs().slice(-6_000));
  }
  return isGood;
}

async function plays(product) {
  let [isGood, acts] = [true, { ...PLAYS, ...WITHOUT_BROWSER }];
  for (const name of ENGINES) {
    const lacks = missing(name);
    if (lacks) {
      console.log(`- ${name}: ${lacks}`);
      continue;
    }
    isGood = (await withEnding((t) => playsIn(name, product, acts, t))) && isGood;
    acts = PLAYS;
  }
  // Without an engine nothing was played.
  return isGood && acts === PLAYS;
}

/** Plays. Resolves to whether all is as a buyer would want it. */
export async function check({ names }) {
  const products = chosen(PRODUCTS, names);
  if (!process.env.BATON_AS_BUILT) await build({});
  let isGood = true;
  for (const [, product] of products) isGood = (await plays(product)) && isGood;
  return isGood;
}
