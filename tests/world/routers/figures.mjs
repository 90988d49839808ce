// `npm run check-world -- figures`: what is measured of the clients of routers/, beside the table. Each figure prints what it saw and what it may be.

import { build } from "../../../scripts/build.mjs";
import { quantile } from "../../../scripts/figures.mjs";
import { pass } from "../../runtime/harness.mjs";
import { Browsers } from "./browsers.mjs";
import { SHELL_FOR_ALL } from "./clients.mjs";
import { chosen, writeTable } from "../table.mjs";
import { isInLine, isShop, Stage } from "./stage.mjs";
import { CLIENTS, starter } from "./start.mjs";

/** 1,000 looks of each client, as 100 people who come to the home page ten times and point at the link. */
const PEOPLE = Number(process.env.BATON_PEOPLE ?? 100);
const LOOKS = 10;
/** So many people look at a time. A window hides the one behind it. */
const AT_ONCE = 5;
/** Longer than any prefetcher waits under the pointer. */
const POINTS_MS = 350;
const CLICKS = 9;
const RATIO_MAX = 1.2;
/** The person behind clicks so much later. */
const LATER_MS = 700;
const OVERTAKES = 3;
/** A page that acted before it was shown took a number after 26 s, when two of its sockets had failed. */
const UNSEEN_MS = 40_000;

const median = (values) =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
const PREFETCHERS = Object.keys(CLIENTS).filter((name) => /^rules|^rel=|turbo|unpoly|swup|inertia|next|react-router|sveltekit|astro|nuxt/.test(name));
/** Those whose look the browser keeps for the click. */
const KEEPERS = Object.keys(CLIENTS).filter((name) => /^rules|^rel=/.test(name));

/** Plays `act(stage)` before a client. */
async function played(browsers, client, room, act, name = "") {
  const { start, stop } = await starter(name, client);
  const stage = await Stage.open({ browsers, client, start, room });
  try {
    return await act(stage);
  } finally {
    await stage.close();
    stop();
  }
}

/** What 1,000 visitors who only look take. */
async function looks({ browsers, name, client }) {
  const { walked_in: walkedIn, joined } = await played(
    browsers,
    client,
    { permits: 2_000 },
    async (stage) => {
      let left = PEOPLE;
      const person = async () => {
        while (left-- > 0) {
          const { page, context } = await browsers.visit(client);
          for (let look = 0; look < LOOKS; look += 1) {
            await page.goto(stage.url("/"));
            await page.getByText("Buy", { exact: true }).first().hover({ timeout: 10_000 });
            await pass(POINTS_MS);
          }
          await context.close();
        }
      };
      await Promise.all(Array.from({ length: client.headed ? 1 : AT_ONCE }, person));
      return stage.totals();
    },
    name,
  );
  return [walkedIn + joined === 0, `${PEOPLE * LOOKS} looks took ${walkedIn} permits and ${joined} numbers`];
}

/** From the click on a link that was pointed at to the shop, ms, of somebody new. */
async function clickMs(stage) {
  await stage.next();
  await stage.open("/");
  await stage.hover("Buy");
  await pass(POINTS_MS);
  const from = performance.now();
  await stage.click("Buy");
  const seen = await stage.sees(isShop("Seats"), { everyMs: 5 });
  if (!isShop("Seats")(seen)) throw new Error(`not in the shop, but ${JSON.stringify(seen)}`);
  return performance.now() - from;
}

/** A click with and one without, in turns: a busy machine slows down both. */
async function clicks({ browsers, name, client }) {
  const room = { permits: 50 };
  const [ms, plainMs] = await played(
    browsers,
    client,
    room,
    (stage) =>
      played(browsers, { headed: client.headed }, room, async (plain) => {
        const all = [[], []];
        for (let click = 0; click < CLICKS; click += 1) for (const [at, each] of [stage, plain].entries()) all[at].push(await clickMs(each));
        return all.map(median);
      }),
    name,
  );
  return [
    ms <= RATIO_MAX * plainMs,
    `a click takes ${ms.toFixed(0)} ms, a plain one ${plainMs.toFixed(0)} ms: ${(ms / plainMs).toFixed(2)} ×, at most ${RATIO_MAX}`,
  ];
}

/** Who clicked first is in front, also where the browser had the page before the click. */
async function overtaken({ browsers, name, client }) {
  const numbers = [];
  for (let run = 0; run < OVERTAKES; run += 1) {
    await played(
      browsers,
      client,
      {},
      async (stage) => {
        await stage.holder();
        await stage.open("/");
        await stage.hover("Buy");
        await pass(POINTS_MS);
        const behind = await browsers.visit({ headed: client.headed });
        await stage.click("Buy");
        await pass(LATER_MS);
        await behind.page.goto(stage.url("/buy/"));
        const first = await stage.sees(isInLine);
        const second = await stage.sees(isInLine, { page: behind.page });
        numbers.push([first.number, second.number]);
        await behind.context.close();
      },
      name,
    );
  }
  const overtaken = numbers.filter(([first, second]) => !(Number(first) < Number(second))).length;
  return [
    overtaken === 0,
    `${overtaken} of ${OVERTAKES} overtaken by somebody who clicked ${LATER_MS} ms later: ${numbers.map((pair) => pair.join(" and ")).join(", ")}`,
  ];
}

/** A waiting page that is prerendered, where a proxy strips what announces it: it takes nothing before it is shown, and a number then. */
async function unseen({ browsers }) {
  const client = { ...CLIENTS["rules-prerender-immediate"], stripped: ["sec-purpose"] };
  return played(browsers, client, {}, async (stage) => {
    await stage.holder();
    await stage.open("/");
    await pass(UNSEEN_MS);
    const { joined: before } = await stage.totals();
    const wasDrawn = stage.watcher.sent.some(({ path, status }) => path === "/buy/" && status === 200);
    await stage.click("Buy");
    const seen = await stage.sees(isInLine);
    const activated = await stage.page.evaluate(() => performance.getEntriesByType("navigation")[0].activationStart > 0);
    const { joined } = await stage.totals();
    const isRight = before === 0 && joined === 1 && wasDrawn && activated && isInLine(seen);
    return [
      isRight,
      `${before} numbers in ${UNSEEN_MS / 1_000} s unseen, ${joined} once shown${activated ? "" : ", but the page was not prerendered"}`,
    ];
  });
}

/** Title → one figure of each client that it is about. */
const FIGURES = {
  looks: { of: PREFETCHERS, measure: looks },
  clicks: { of: KEEPERS, measure: clicks },
  overtaken: { of: KEEPERS, measure: overtaken },
  unseen: { of: ["rules-prerender-immediate"], measure: unseen },
};

const STATUSES = [200, 202, 429, 503];
const SPELLINGS = {
  NetworkFirst: CLIENTS["workbox-network-first"],
  "NetworkFirst, navigation preload": CLIENTS["workbox-preload"],
  StaleWhileRevalidate: CLIENTS["workbox-stale-while-revalidate"],
  CacheFirst: CLIENTS["workbox-cache-first"],
  "app shell, `navigateFallbackDenylist`": CLIENTS["workbox-app-shell"],
  "app shell for all": SHELL_FOR_ALL,
};

/** Whether a service worker keeps the waiting page of this status, and whether the turn leads in. */
async function kept(browsers, client, status) {
  return played(
    browsers,
    client,
    { waiting_status: status },
    async (stage) => {
      const other = await stage.holder();
      await stage.open("/");
      await stage.click("Buy");
      if (!isInLine(await stage.sees(isInLine))) return "no way in";
      const isKept = await stage.page.evaluate(async () => {
        for (const name of await caches.keys()) {
          const cache = await caches.open(name);
          for (const request of await cache.keys()) if ((await cache.match(request, { ignoreVary: true })).headers.has("Baton-State")) return true;
        }
        return false;
      });
      await other.leave();
      const isIn = isShop("Seats")(await stage.sees(isShop("Seats")));
      return `${isKept ? "kept" : "not kept"}, ${isIn ? "in" : "not in"}`;
    },
    "workbox",
  );
}

async function workboxTable(browsers, docs) {
  const rows = [];
  for (const [title, client] of Object.entries(SPELLINGS)) {
    const cells = [];
    for (const status of STATUSES) {
      cells.push(await kept(browsers, client, status));
      console.log(`  workbox: ${title}, ${status}: ${cells.at(-1)}`);
    }
    rows.push([title, ...cells]);
  }
  if (docs) writeTable("docs/routers.md", "workbox", ["Workbox 7.4.1", ...STATUSES.map((status) => `\`${status}\``)], rows, Object.keys(SPELLINGS));
}

/** Measures. `names` are figures, or clients, or both; `workbox` is the table of what Workbox keeps. */
export async function check({ names, docs }) {
  const wanted = names.filter((name) => name in FIGURES || name === "workbox");
  const clients = names.filter((name) => !wanted.includes(name));
  chosen(CLIENTS, clients);
  if (!process.env.BATON_AS_BUILT) await build({});
  const browsers = new Browsers();
  let bad = 0;
  for (const [title, { of, measure }] of Object.entries(FIGURES).filter(([title]) => wanted.length === 0 || wanted.includes(title))) {
    for (const name of of.filter((each) => (clients.length === 0 || clients.includes(each)) && !Browsers.lacks(CLIENTS[each]))) {
      const [isRight, text] = await measure({ browsers, name, client: CLIENTS[name] }).catch((error) => [false, error.message.split("\n")[0]]);
      console.log(`${isRight ? "✓" : "✖"} ${title}, ${name}: ${text}`);
      if (!isRight) bad += 1;
    }
  }
  if (wanted.length === 0 || wanted.includes("workbox")) await workboxTable(browsers, docs);
  await browsers.close();
  return bad === 0;
}
