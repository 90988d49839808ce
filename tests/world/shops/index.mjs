// `npm run check-world -- shops`: each product as its page in docs/stacks/ says, and buyers before it.
//
//   npm run check-world -- shops pretix              only this one
//   BATON_ENGINES=chromium,firefox                   with which engines; otherwise Chromium. WebKit's people come by another port, which a shop refuses

import { build } from "../../../scripts/build.mjs";
import { missing, startEngine } from "../../support/engines/index.mjs";
import { withEnding } from "../ending.mjs";
import { chosen } from "../table.mjs";
import { pretix } from "./pretix.mjs";
import { vendure } from "./vendure.mjs";
import { openShop } from "./stage.mjs";
import { Cast, PLAYS } from "./story.mjs";

export const PRODUCTS = { pretix, vendure };

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

async function playsIn(name, product, t) {
  const engine = await startEngine(name);
  t.after(() => engine.close());
  const shop = await openShop(product, t);
  const cast = new Cast({ shop, product, engine });
  let good = true;
  for (const [title, act] of Object.entries(PLAYS)) {
    if (await play(cast, title, act)) continue;
    good = false;
    if (process.env.BATON_TRACE) console.log(shop.logs().slice(-6_000));
  }
  return good;
}

async function plays(product, names) {
  let good = true;
  for (const name of names) {
    const lacks = missing(name);
    if (lacks) {
      console.log(`- ${name}: ${lacks}`);
      continue;
    }
    good = (await withEnding((t) => playsIn(name, product, t))) && good;
  }
  return good;
}

/** Plays. Resolves to whether all is as a buyer would want it. */
export async function check({ names }) {
  const products = chosen(PRODUCTS, names);
  if (!process.env.BATON_AS_BUILT) await build({});
  let good = true;
  for (const [, product] of products) good = (await plays(product, process.env.BATON_ENGINES?.split(",") ?? ["chromium"])) && good;
  return good;
}
