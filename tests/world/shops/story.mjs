// What buyers live through in a shop that nobody wrote for Baton. Each play takes an open shop, a product and an engine, and resolves to what is wrong, or "".

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { macOf } from "../../../kits/node/src/checker.js";
import { Prover } from "../../../scripts/find_permits/proof.mjs";
import { inRoot, run, toolEnv } from "../../../scripts/common.mjs";
import { eventually } from "../../runtime/support/world.mjs";

/** From the shop's answer that releases to its next question, which is the next buyer's page. Generous: the figure is printed, and a busy machine takes its time. */
const HANDED_OVER_MS_MAX = 5_000;
/** People before one shop. */
export class Cast {
  constructor({ shop, product, engine }) {
    Object.assign(this, { shop, product, engine, people: [] });
  }

  async enter(path = this.product.entrance) {
    const person = await this.engine.person({ width: 1_280, height: 900 });
    this.people.push(person);
    await person.goto(`${this.shop.url}${path}`);
    return person;
  }

  inside(person) {
    return person.until(this.product.isEntrance);
  }

  async buy(person, goods) {
    await this.product.fill(person, goods);
    await this.product.order(person);
    return person.until(this.product.isReceipt);
  }

  /** How many are inside, and how visits have ended so far. */
  async counts() {
    const { inside, totals } = (await this.shop.operate("GET", "rooms/onsale")).report;
    return { inside, released: totals.released, expired: totals.expired };
  }

  async gone() {
    await Promise.all(this.people.splice(0).map((person) => person.close()));
  }
}

/** Two buyers and one permit: the second waits, and is in as soon as the first has ordered. Each kind of goods once. */
export async function twoBuyers(cast) {
  const { product } = cast;
  const [first, second] = Object.keys(product.goods);
  const holder = await cast.enter();
  await cast.inside(holder);
  const waiting = await cast.enter();
  await waiting.state("waiting");
  const receipt = await cast.buy(holder, first);
  await cast.inside(waiting);
  const { answeredAtMs } = cast.shop.asked.find(({ answer }) => answer?.["baton-release"]);
  const tookMs = cast.shop.asked.find(({ path, atMs }) => path === product.entrance && atMs >= answeredAtMs).atMs - answeredAtMs;
  await cast.buy(waiting, second ?? first);
  const { released, expired } = await cast.counts();
  if (released !== 2 || expired !== 0) return `${released} released, ${expired} expired`;
  cast.tookMs = tookMs;
  cast.receipt = receipt;
  return tookMs <= HANDED_OVER_MS_MAX ? "" : `the hand-over took ${tookMs} ms`;
}

/** The mailed receipt, in a browser that was never here, while the room is full. */
export async function mailedReceipt(cast) {
  const { product, shop } = cast;
  const holder = await cast.enter();
  await cast.inside(holder);
  const link = product.mailed
    ? await eventually(() => shop.mail.mails.map((text) => product.mailed.exec(text)?.[0]).find(Boolean), { what: "the mail" })
    : cast.receipt;
  const { pathname, search } = new URL(link);
  const reader = await cast.enter(pathname + search);
  await reader.until(product.isReceipt);
  await cast.buy(holder, Object.keys(product.goods)[0]);
  return "";
}

/** A lease ends in the middle of the checkout, while somebody waits: the page says so by itself. The buyer takes a new number, comes in again and finishes. */
export async function endedLease(cast) {
  const { product, shop } = cast;
  const [goods] = Object.keys(product.goods);
  await shop.operate("PATCH", "rooms/onsale", { lease_idle_s: 75, lease_max_s: 75 });
  const slow = await cast.enter();
  await cast.inside(slow);
  await shop.operate("PATCH", "rooms/onsale", { lease_idle_s: 300, lease_max_s: 1_800 });
  await product.fill(slow, goods);
  const quick = await cast.enter();
  await quick.state("waiting");
  await eventually(async () => (await cast.counts()).expired > 0, { timeoutMs: 180_000, everyMs: 500, what: "the end of the lease" });
  await cast.inside(quick);
  await slow.state("over");
  await slow.click("a, button", "Take a new number");
  await slow.state("waiting");
  await cast.buy(quick, goods);
  await slow.until(product.isBack ?? product.isLast);
  if (product.isBack) await product.fill(slow, goods);
  await product.order(slow);
  await slow.until(product.isReceipt);
  return "";
}

/** Clicks on a link to a path, which the test puts on the page: a reload is no click, and to Firefox the same address again is a reload. */
async function clicksTo(person, path) {
  await person.until((to) => {
    if (document.readyState !== "complete") return false;
    const link = Object.assign(document.createElement("a"), { id: "to-the-entrance", href: to, textContent: "Once more" });
    Object.assign(link.style, { position: "fixed", inset: "0 auto auto 0", zIndex: "2147483647" });
    document.body.append(link);
    return true;
  }, path);
  await person.click("#to-the-entrance");
  await person.until(() => document.readyState === "complete" && !document.querySelector("#to-the-entrance"));
}

/**
 * Who has bought comes again, by clicks: a farewell pass shows pages for a while, and after five seconds a click walks in. WebKit says of no click that it is one:
 * there people walk in once the pass has ended, a minute after the order.
 */
export async function secondPurchase(cast) {
  const { product } = cast;
  const [goods] = Object.keys(product.goods);
  const buyer = await cast.enter();
  await cast.inside(buyer);
  await cast.buy(buyer, goods);
  const before = (await cast.counts()).released;
  await eventually(
    async () => {
      await clicksTo(buyer, product.entrance);
      return (await cast.counts()).inside === 1;
    },
    { everyMs: 1_000, timeoutMs: 120_000, what: "the way in again" },
  );
  await cast.buy(buyer, goods);
  return (await cast.counts()).released === before + 1 ? "" : "the second purchase released nothing";
}

/** Resolves to the status of an answer, also with a host that fetch would not send. */
const answered = (url, headers, method = "GET", body = undefined) =>
  new Promise((resolve, reject) => {
    http
      .request(url, { method, headers, agent: false }, (answer) => answer.resume().on("end", () => resolve(answer.statusCode)))
      .on("error", reject)
      .end(body);
  });

/** Asks the shop as Baton would for a path of no room, whatever the path is: whether the shop itself refuses who holds no permit. */
async function refuses({
  shop,
  product: {
    guarded: { method, path: target, body, headers: own },
  },
}) {
  const [t, nonce, host] = [`${Date.now()}`, randomBytes(8).toString("hex"), new URL(shop.url).host];
  const proof = (room, fence) => `v1;t=${t};n=${nonce};mac=${macOf({ secret: shop.secret, t, nonce, method, host, target, room, fence })}`;
  const headers = { ...own, "baton-target": target, "x-forwarded-host": host, "x-forwarded-proto": "http", "baton-proof": proof("", "0") };
  const without = await answered(`${shop.shopUrl}${target}`, headers, method, body);
  const { "x-forwarded-proto": _, ...held } = new Prover({ secret: shop.secret, room: "onsale", publicHost: host }).person()(method, target);
  const holding = await answered(`${shop.shopUrl}${target}`, { ...own, ...held, "x-forwarded-proto": "http" }, method, body);
  return without === 403 && holding !== 403 ? "" : `by view: ${without} without a permit, ${holding} with one`;
}

/** The lock, the health check, and what stays open while the room is full. */
export async function locked(cast) {
  const { product, shop } = cast;
  const status = async (url, options) => (await fetch(url, { redirect: "manual", ...options })).status;
  const wrong = [];
  const expect = async (what, url, wanted, options) => {
    const found = await status(url, options);
    if (!wanted(found)) wrong.push(`${what}: ${found}`);
  };
  const holder = await cast.enter();
  await cast.inside(holder);
  await expect("past Baton", `${shop.shopUrl}${product.entrance}`, (code) => code === 403);
  const health = await answered(`${shop.shopUrl}${product.health}`, { host: new URL(shop.url).host });
  if (health >= 300) wrong.push(`the health check: ${health}`);
  for (const path of product.open) await expect(path, `${shop.url}${path}`, (code) => code < 400);
  if (product.reserve)
    await expect("reserving without a permit", `${shop.url}${product.reserve.path}`, (code) => code === 429, {
      method: "POST",
      body: product.reserve.body,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  wrong.push(...[await refuses(cast)].filter(Boolean));
  await cast.buy(holder, Object.keys(product.goods)[0]);
  return wrong.join("; ");
}

/** What find-permits says of a machine that is too busy to measure with, or on which one person's shop is too slow for the short level of this play. */
const CANNOT_SAY = /No number can be given\.\s+no level counts: (?:this machine was (?:late|busy)|only \d+ answers) [^.]*\./;

/**
 * The page's steps for find-permits order in the shop, and the command gives a number, or says that this machine is too busy for one. The people think a
 * thousandth of what the page says, and few come, `crowd` at most: this is no measurement.
 */
export async function findsPermits({ shop, product }) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-steps-"));
  const [steps, code] = [path.join(folder, "checkout.toml"), path.join(folder, "code")];
  writeFileSync(
    steps,
    shop.steps.replaceAll(/think_s = \[(\d+), (\d+)\]/g, (_, least, most) => `think_s = [${least / 1_000}, ${most / 1_000}]`),
  );
  let orders = 0;
  const server = http
    .createServer((request, response) => {
      if (request.url === "/.well-known/baton-find-permits") return response.end(existsSync(code) ? readFileSync(code) : "");
      const headers = { ...request.headers, ...(product.scheme && { "x-forwarded-proto": product.scheme }) };
      const onward = http.request(`${shop.shopUrl}${request.url}`, { method: request.method, headers }, (answer) => {
        if (answer.headers["baton-release"]) orders += 1;
        answer.pipe(response.writeHead(answer.statusCode, answer.rawHeaders));
      });
      onward.on("error", () => response.destroy());
      return request.pipe(onward);
    })
    .listen(0, "127.0.0.1");
  await once(server, "listening");
  const args = [
    "--url",
    `http://127.0.0.1:${server.address().port}`,
    "--steps",
    steps,
    "--allow-writes",
    "--code-file",
    code,
    "--room",
    "onsale",
    "--public-host",
    new URL(shop.url).host,
    "--people-max",
    `${product.crowd ?? 4}`,
    "--level-s",
    "45",
    "--settle-s",
    "2",
    "--minutes-max",
    "4",
    "--out",
    folder,
  ];
  try {
    const { text } = await run(process.execPath, [inRoot("scripts", "find_permits.mjs"), ...args], {
      quiet: true,
      cwd: folder,
      env: toolEnv({ BATON_PREPARED: "1", ORIGIN_SECRET: shop.secret }),
    });
    const [said] = /Your shop takes[^.]*\./.exec(text) ?? CANNOT_SAY.exec(text) ?? [];
    if (said) console.log(`  ${product.name}: ${orders} orders. ${said.replaceAll(/\s+/g, " ")}`);
    return said && orders > 0 ? "" : text.trim().split("\n").slice(-6).join(" / ");
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is played in each engine. */
export const PLAYS = {
  "two buyers, one permit": twoBuyers,
  "the lock, and what is open": locked,
  "the mailed receipt": mailedReceipt,
  "the lease ends in the middle": endedLease,
  "a second purchase": secondPurchase,
};

/** What needs no browser, played once. */
export const WITHOUT_BROWSER = { "find-permits": findsPermits };
