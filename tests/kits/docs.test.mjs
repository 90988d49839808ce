// Follows pages of docs/stacks/ literally, each on a fresh app: every block of theirs is run or written where the page says, then a
// visitor buys through Baton. It changes three things: the ports, the secret that Baton printed, and
// it starts a Baton of its own instead of `npm start`.
//
// A page speaks to this test by its sentences before a block: `Write \`file\``, `At the end of \`file\``, `At the end of \`something\`
// in \`file\`` or at its beginning; "In Baton's folder:" before the one that is not run here. A block after none is run by a shell, or
// laid to the file that was named last. A page takes 10 to 60 s.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { inRoot, run, toolEnv } from "../../scripts/common.mjs";
import { cookieOf, eventually, startWorld } from "../runtime/support/world.mjs";
import { composer, express, folder, freePort, guzzle, illuminate, lacking, next, python, rails, shopFile } from "./support/programs.mjs";

const OPERATOR = "operator-operator-operator-operator";
/** In a container the reader is root, and Composer asks whether that is meant. */
const AS_ROOT = { COMPOSER_ALLOW_SUPERUSER: "1" };
/** Each block has a shell of its own; a reader's has the virtual environment active from then on. */
const ACTIVE = "if [ -f .venv/bin/activate ]; then . .venv/bin/activate; fi\n";
/**
 * A page's blocks install from the registries. Where `install.mjs` could, so can they; where not, `otherwise` has what comes to the
 * same with the system's packages, by command.
 */
const PAGES = {
  django: { needed: { python }, port: "8000", start: "python manage.py runserver", buy: "/buy/", form: true },
  express: { needed: { express }, port: "9000", start: "node shop.js", buy: "/buy/", form: true },
  next: { needed: { next }, port: "3000", start: "npx next start", buy: "/buy", form: false },
  rails: { needed: { rails }, port: "3000", start: "bin/rails server", buy: "/buy/", form: true, otherwise: { "bundle install": "bundle check" } },
  laravel: {
    needed: { illuminate, composer },
    port: "8000",
    start: "php artisan serve",
    buy: "/buy",
    form: true,
    mode: (mode) => `sed -i s/^BATON_MODE=.*/BATON_MODE=${mode}/ .env`,
    otherwise: { "composer create-project laravel/laravel .": `bash ${shopFile("laravel", "make.sh")}` },
  },
  psr15: {
    needed: { guzzle, composer },
    port: "8000",
    start: "php -S",
    buy: "/buy/",
    form: true,
    otherwise: { "composer require baton/kit:@dev guzzlehttp/psr7": `bash ${shopFile("psr15", "make.sh")}` },
  },
};

for (const [name, { needed, port, start, buy, form, mode: told = (mode) => `export BATON_MODE=${mode}`, otherwise = {} }] of Object.entries(PAGES)) {
  test(`docs/stacks/${name}.md works when it is followed`, { skip: lacking(needed), timeout: 480_000 }, async (t) => {
    const shopPort = await freePort();
    const secret = randomBytes(24).toString("base64url");
    const vars = { ORIGIN_SECRET: secret, BATON_ADMIN_TOKEN: OPERATOR };
    const world = await startWorld(t, { origin: `http://localhost:${shopPort}`, vars, room: { permits: 1 } });
    const literal = (text) =>
      text
        .replaceAll(`localhost:${port}`, `localhost:${shopPort}`)
        .replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(shopPort))
        .replaceAll("the secret that Baton printed", secret)
        .replaceAll("localhost:8787", `localhost:${world.baton.port}`);
    const shop = { cwd: prepared(t), port: shopPort };
    const blocks = blocksOf(readFileSync(inRoot("docs", "stacks", `${name}.md`), "utf8"), otherwise);
    assert.ok(blocks.length >= 4, "the page has its blocks");
    const last = await follow(
      blocks.map((block) => ({ ...block, text: literal(block.text) })),
      { shop, start },
    );
    // The second time the shop is only started again, as the page says.
    const again = last
      .split("\n")
      .filter((line) => line.startsWith("export ") || line.includes(start))
      .join("\n");
    for (const [mode, script] of [
      ["report", last],
      ["enforce", again],
    ]) {
      const server = await running(t, { shop, script: script.replace(start, `${told(mode)}\nexec ${start}`) });
      await purchase(world, { buy, form, sales: mode === "report" ? 1 : 2 });
      await past({ server, shop, buy, mode });
      await server.stop();
    }
  });
}

/** An empty folder for the shop, with Baton's kits at `../baton`. */
function prepared(t) {
  const work = folder(t);
  for (const kit of ["python", "node", "ruby", "php"]) cpSync(inRoot("kits", kit), path.join(work, "baton", "kits", kit), { recursive: true });
  mkdirSync(path.join(work, "shop"));
  return path.join(work, "shop");
}

/** The page's blocks, each with what the text right before it says to do with it. */
function blocksOf(page, otherwise) {
  const blocks = [...page.matchAll(/(?:^|\n)```(\w+)\n([\s\S]*?)```/g)];
  return blocks.map((block) => {
    const before = page.slice(0, block.index).trimEnd().split(/\n\n/).at(-1).replaceAll("\n", " ");
    const [, verb, named, file = named] = [...before.matchAll(/(Write|[Aa]t the (?:end|beginning) of) `([^`]+)`(?: in `([^`]+)`)?/g)].at(-1) ?? [];
    const lines = block[2].split("\n").map((line) => (Object.hasOwn(otherwise, line) ? `${line} || ${otherwise[line]}` : line));
    return {
      language: block[1],
      text: lines.join("\n"),
      verb,
      file,
      inside: file === named ? undefined : named,
      isForSome: /^(?:With .* or newer|Before)\b/.test(before),
      isBatons: /In Baton's folder:$/.test(before),
    };
  });
}

/** The file that a page means: `*` in its name stands for what a generator chose. */
function meant(cwd, file) {
  const [dir, base] = [path.dirname(path.join(cwd, file)), path.basename(file)];
  mkdirSync(dir, { recursive: true });
  if (!base.includes("*")) return path.join(dir, base);
  const [before, after] = base.split("*");
  const found = readdirSync(dir).filter((name) => name.startsWith(before) && name.endsWith(after));
  assert.equal(found.length, 1, `one file is ${file}: ${found}`);
  return path.join(dir, found[0]);
}

/**
 * Lays lines after the line that has `inside`, or before the end of the block that opens there: an `end` or a bracket as far in as that
 * line. Whether the file has it.
 */
function layInside(file, { verb, inside, text }) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const opening = lines.findIndex((line) => line.includes(inside));
  if (opening === -1) return false;
  if (verb.endsWith("beginning of")) return writeFileSync(file, lines.toSpliced(opening + 1, 0, text).join("\n")) ?? true;
  const indent = /^ */.exec(lines[opening])[0];
  const end = lines.findIndex((line, at) => at > opening && line.startsWith(indent) && /^(?:end|[}\])])/.test(line.slice(indent.length)));
  assert.notEqual(end, -1, `${inside} ends in ${file}`);
  writeFileSync(file, lines.toSpliced(end, 0, text).join("\n"));
  return true;
}

/** Does what the blocks say, up to the one that starts the shop; gives that one. */
async function follow(blocks, { shop, start }) {
  let file;
  // The file shows which of several blocks, for some versions each, is meant.
  const forSome = [];
  for (const block of blocks.filter(({ isBatons }) => !isBatons)) {
    if (block.language === "sh") {
      if (block.text.includes(start)) {
        assert.ok(forSome.length === 0 || forSome.includes(true), "one of the blocks for some versions is for this one");
        return block.text;
      }
      const { code, text } = await run("bash", ["-ec", `${ACTIVE}${block.text}`], { cwd: shop.cwd, quiet: true, env: toolEnv(AS_ROOT) });
      assert.equal(code, 0, `${block.text}\n${text}`);
      continue;
    }
    file = block.file ?? file;
    const at = meant(shop.cwd, file);
    if (block.verb === "Write") writeFileSync(at, block.text);
    else if (block.inside) {
      const isLaid = layInside(at, block);
      if (block.isForSome) forSome.push(isLaid);
      else assert.ok(isLaid, `${file} has ${block.inside}`);
    } else appendFileSync(at, `\n${block.text}`);
  }
  throw new Error(`no block starts the shop by ${start}`);
}

/** Starts the shop by its script, in a group of its own: development servers have children. */
async function running(t, { shop, script }) {
  const child = spawn("bash", ["-ec", `${ACTIVE}${script}`], {
    cwd: shop.cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: toolEnv({ PYTHONUNBUFFERED: "1", NEXT_TELEMETRY_DISABLED: "1", NODE_TEST_CONTEXT: undefined, ...AS_ROOT }),
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  const kill = (signal = "SIGKILL") => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      /* gone already */
    }
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
  await eventually(async () => (await answers(shop.port)) || ended(), { timeoutMs: 180_000, what: "the shop listening" });
  return { stop, logs: () => said };
}

const answers = (port) =>
  fetch(`http://localhost:${port}/`, { redirect: "manual" }).then(
    () => true,
    () => false,
  );

/** A visitor of `http://localhost:…` who keeps cookies and follows nothing by itself. */
function visitorOf(world) {
  const base = `http://localhost:${world.baton.port}`;
  const cookies = new Map();
  return async (address, { headers = {}, ...options } = {}) => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(new URL(address, base), {
      redirect: "manual",
      headers: { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", cookie, ...headers },
      ...options,
    });
    for (const { name, value } of answer.headers.getSetCookie().map(cookieOf)) cookies.set(name, value);
    return { status: answer.status, location: answer.headers.get("location"), body: await answer.text() };
  };
}

/** In, the form if the page has one, the thank-you page, and the permit is back. */
async function purchase(world, { buy, form, sales }) {
  const base = `http://localhost:${world.baton.port}`;
  const ask = visitorOf(world);
  const page = await eventually(
    async () => {
      const seen = await ask(buy);
      return /Seat 4-12/.test(seen.body) && seen;
    },
    { what: "the shop's page" },
  );
  assert.equal(page.status, 200);
  const stranger = await visitorOf(world)(buy);
  assert.doesNotMatch(stranger.body, /Seat 4-12/, "the second visitor waits");
  if (form) {
    const [, field, token] = /name="(csrfmiddlewaretoken|authenticity_token|_token)" value="([^"]+)"/.exec(page.body) ?? [];
    const body = new URLSearchParams({ ...(token && { [field]: token }), seat: "4-12" });
    const posted = await ask(buy, { method: "POST", body, headers: { origin: base, referer: `${base}${buy}` } });
    assert.deepEqual([posted.status, posted.location], [302, `${base}/buy/done`], posted.body.slice(0, 500));
  }
  const thanks = await ask("/buy/done");
  assert.deepEqual([thanks.status, thanks.body], [200, "Thank you."]);
  await eventually(
    async () => {
      const { body } = await world.raw("/__baton/admin/rooms", { headers: { authorization: `Bearer ${OPERATOR}` } });
      return JSON.parse(body).rooms[0].report.totals.released === sales;
    },
    { what: "the release" },
  );
}

/** What goes past Baton is answered and said while reporting, and refused while enforcing. */
async function past({ server, shop, buy, mode }) {
  const { status } = await fetch(`http://localhost:${shop.port}${buy}`);
  const expected = mode === "report" ? [200, /would refuse GET ["'][^"']*["'] \(missing\)/] : [403, /refused GET ["'][^"']*["'] \(missing\)/];
  assert.equal(status, expected[0]);
  await eventually(() => expected[1].test(server.logs()), { what: "the line in the log" });
}
