// Follows pages of docs/stacks/ literally, each on a fresh app: every block of theirs is run or written where the page says,
// then a visitor buys through Baton. What is changed: ports, the secret that Baton printed, and that a Baton of the test is started
// instead of `npm start`.
//
// A page speaks to this test by its sentences: `Write \`file\`` and `At the end of \`file\`` before a block, "In Baton's folder:"
// before the one that is not run here. A block after neither is run by a shell, or laid to the file that was named last.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { inRoot, run, toolEnv } from "../../scripts/common.mjs";
import { cookieOf, eventually, startWorld } from "../runtime/support/world.mjs";
import { express, folder, freePort, lacking, next, python } from "./support/programs.mjs";

const OPERATOR = "operator-operator-operator-operator";
/** Each block has a shell of its own; a reader's has the virtual environment active from then on. */
const ACTIVE = "if [ -f .venv/bin/activate ]; then . .venv/bin/activate; fi\n";
/** A page's blocks install from the registries. Where `install.mjs` could, so can they. */
const PAGES = {
  django: { needed: { python }, port: "8000", start: "python manage.py runserver", buy: "/buy/", form: true },
  express: { needed: { express }, port: "9000", start: "node shop.js", buy: "/buy/", form: true },
  next: { needed: { next }, port: "3000", start: "npx next start", buy: "/buy", form: false },
};

for (const [name, { needed, port, start, buy, form }] of Object.entries(PAGES)) {
  test(`docs/stacks/${name}.md works when it is followed`, { skip: lacking(needed), timeout: 240_000 }, async (t) => {
    const shopPort = await freePort();
    const secret = randomBytes(24).toString("base64url");
    const vars = { ORIGIN_SECRET: secret, BATON_ADMIN_TOKEN: OPERATOR };
    const world = await startWorld(t, { origin: `http://127.0.0.1:${shopPort}`, vars, room: { permits: 1 } });
    const literal = (text) => text.replaceAll(`localhost:${port}`, `localhost:${shopPort}`).replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(shopPort)).replaceAll("the secret that Baton printed", secret).replaceAll("localhost:8787", `localhost:${world.baton.port}`);
    const shop = { cwd: prepared(t), port: shopPort };
    const blocks = blocksOf(readFileSync(inRoot("docs", "stacks", `${name}.md`), "utf8"));
    assert.ok(blocks.length >= 4, "the page has its blocks");
    const last = await follow(blocks.map((block) => ({ ...block, text: literal(block.text) })), { shop, start });
    // The second time the shop is only started again, as the page says.
    const again = last.split("\n").filter((line) => line.startsWith("export ") || line.includes(start)).join("\n");
    for (const [mode, script] of [["report", last], ["enforce", again]]) {
      const server = await running(t, { shop, script: script.replace(start, `export BATON_MODE=${mode}\nexec ${start}`) });
      await purchase(world, { buy, form, sales: mode === "report" ? 1 : 2 });
      await past({ server, shop, buy, mode });
      await server.stop();
    }
  });
}

/** An empty folder for the shop, with Baton's kits at `../baton`. */
function prepared(t) {
  const work = folder(t);
  for (const kit of ["python", "node"]) cpSync(inRoot("kits", kit), path.join(work, "baton", "kits", kit), { recursive: true });
  mkdirSync(path.join(work, "shop"));
  return path.join(work, "shop");
}

/** The page's blocks, each with the last full line of text before it. */
function blocksOf(page) {
  const blocks = [...page.matchAll(/(?:^|\n)```(\w+)\n([\s\S]*?)```/g)];
  return blocks.map((block) => {
    const before = page.slice(0, block.index).trimEnd().split(/\n\n/).at(-1).replaceAll("\n", " ");
    const [, verb, file] = [...before.matchAll(/(Write|At the end of) `([^`]+)`/g)].at(-1) ?? [];
    return { language: block[1], text: block[2], verb, file, isBatons: /In Baton's folder:$/.test(before) };
  });
}

/** Does what the blocks say, up to the one that starts the shop; gives that one. */
async function follow(blocks, { shop, start }) {
  let file;
  for (const block of blocks.filter(({ isBatons }) => !isBatons)) {
    if (block.language === "sh") {
      if (block.text.includes(start)) return block.text;
      const { code, text } = await run("bash", ["-ec", `${ACTIVE}${block.text}`], { cwd: shop.cwd, quiet: true });
      assert.equal(code, 0, `${block.text}\n${text}`);
      continue;
    }
    file = block.file ?? file;
    mkdirSync(path.dirname(path.join(shop.cwd, file)), { recursive: true });
    if (block.verb === "Write") writeFileSync(path.join(shop.cwd, file), block.text);
    else appendFileSync(path.join(shop.cwd, file), `\n${block.text}`);
  }
  throw new Error(`no block starts the shop by ${start}`);
}

/** Starts the shop by its script, in a group of its own: development servers have children. */
async function running(t, { shop, script }) {
  const child = spawn("bash", ["-ec", `${ACTIVE}${script}`], { cwd: shop.cwd, detached: true, stdio: ["ignore", "pipe", "pipe"], env: toolEnv({ PYTHONUNBUFFERED: "1", NEXT_TELEMETRY_DISABLED: "1", NODE_TEST_CONTEXT: undefined }) });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => { said += chunk; });
  const kill = (signal = "SIGKILL") => {
    try { process.kill(-child.pid, signal); } catch { /* gone already */ }
  };
  const killed = () => kill();
  process.once("exit", killed);
  const stop = async () => {
    process.removeListener("exit", killed);
    kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await eventually(async () => !(await answers(shop.port)), { what: "the shop's end" });
  };
  t.after(stop);
  const ended = () => child.exitCode !== null && Promise.reject(new Error(`the shop ended (${child.exitCode}): ${said.slice(-3_000)}`));
  await eventually(async () => (await answers(shop.port)) || ended(), { timeoutMs: 90_000, what: "the shop listening" });
  return { stop, logs: () => said };
}

const answers = (port) => fetch(`http://localhost:${port}/`, { redirect: "manual" }).then(() => true, () => false);

/** A visitor of `http://localhost:…` who keeps cookies and follows nothing by itself. */
function visitorOf(world) {
  const base = `http://localhost:${world.baton.port}`;
  const cookies = new Map();
  return async (address, { headers = {}, ...options } = {}) => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(new URL(address, base), { redirect: "manual", headers: { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", cookie, ...headers }, ...options });
    for (const { name, value } of answer.headers.getSetCookie().map(cookieOf)) cookies.set(name, value);
    return { status: answer.status, location: answer.headers.get("location"), body: await answer.text() };
  };
}

/** In, the form if the page has one, the thank-you page, and the permit is back. */
async function purchase(world, { buy, form, sales }) {
  const base = `http://localhost:${world.baton.port}`;
  const ask = visitorOf(world);
  const page = await eventually(async () => {
    const seen = await ask(buy);
    return /Seat 4-12/.test(seen.body) && seen;
  }, { what: "the shop's page" });
  assert.equal(page.status, 200);
  const stranger = await visitorOf(world)(buy);
  assert.doesNotMatch(stranger.body, /Seat 4-12/, "the second visitor waits");
  if (form) {
    const token = /name="csrfmiddlewaretoken" value="(\w+)"/.exec(page.body)?.[1];
    const body = new URLSearchParams({ ...(token && { csrfmiddlewaretoken: token }), seat: "4-12" });
    const posted = await ask(buy, { method: "POST", body, headers: { origin: base, referer: `${base}${buy}` } });
    assert.deepEqual([posted.status, posted.location], [302, `${base}/buy/done`], posted.body.slice(0, 500));
  }
  const thanks = await ask("/buy/done");
  assert.deepEqual([thanks.status, thanks.body], [200, "Thank you."]);
  await eventually(async () => {
    const { body } = await world.raw("/__baton/admin/rooms", { headers: { authorization: `Bearer ${OPERATOR}` } });
    return JSON.parse(body).rooms[0].report.totals.released === sales;
  }, { what: "the release" });
}

/** What goes past Baton is answered and said while reporting, and refused while enforcing. */
async function past({ server, shop, buy, mode }) {
  const { status } = await fetch(`http://localhost:${shop.port}${buy}`);
  const expected = mode === "report" ? [200, /would refuse GET ["'][^"']*["'] \(missing\)/] : [403, /refused GET ["'][^"']*["'] \(missing\)/];
  assert.equal(status, expected[0]);
  await eventually(() => expected[1].test(server.logs()), { what: "the line in the log" });
}
