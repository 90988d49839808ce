// `npm run check-world -- routers`: every client, every question, one table.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";
import { inRoot } from "../../../scripts/common.mjs";
import { build } from "../../../scripts/build.mjs";
import { launch } from "../../page/browser.mjs";
import { installed } from "../install.mjs";
import { CLIENTS as SCRIPTS } from "./clients.mjs";
import { FRAMEWORKS, serving } from "./frameworks.mjs";
import { QUESTIONS } from "./questions.mjs";
import { startShop } from "./shop.mjs";
import { writeFixtures } from "./fixtures.mjs";
import { Stage } from "./stage.mjs";

const CLIENTS = { ...SCRIPTS, ...FRAMEWORKS };

/** Returns how a client's shop starts, and how what serves it stops. */
async function starter(name, client) {
  const folder = client.packages ? await installed(name, client.packages, client) : undefined;
  if (client.serve) return serving(client, folder);
  const files = Object.fromEntries(Object.entries(client.files ?? {}).map(([at, file]) => [at, path.join(folder, "node_modules", file)]));
  for (const [at, contents] of Object.entries(client.bundles ?? {})) {
    files[at] = path.join(folder, `bundle${at}`);
    buildSync({ stdin: { contents, resolveDir: folder }, bundle: true, minify: true, outfile: files[at], define: { "process.env.NODE_ENV": '"production"' } });
  }
  return { start: () => startShop(client, files), stop() {} };
}

async function answers(browser, client, start, { ask, permits }) {
  const stage = await Stage.open({ browser, client, start, permits });
  try {
    return { wrong: await ask(stage), sent: stage.watcher.sent };
  } catch (error) {
    return { wrong: error.message.split("\n")[0], sent: stage.watcher.sent };
  } finally {
    await stage.close();
  }
}

/** Returns the versions of a client's packages that are not beside the point, as one text. */
const versionOf = ({ packages = {} }) => Object.values(packages)[0] ?? "";

/** Writes the table of what was seen between the marks of docs/routers.md. The row of a client that was not asked stays. */
function writeTable(rows) {
  const titles = Object.keys(QUESTIONS);
  const file = inRoot("docs", "routers.md");
  const page = readFileSync(file, "utf8");
  const nameOf = (name) => [name, versionOf(CLIENTS[name])].join(" ").trim() + (CLIENTS[name].keep ? ", keep.js" : "");
  const lineOf = (name) => {
    const row = rows.find((each) => each.name === name);
    if (row) return `| ${nameOf(name)} | ${titles.map((title) => (row.wrong[title] ? "✖" : "✓")).join(" | ")} |`;
    return page.split("\n").find((line) => line.startsWith(`| ${nameOf(name)} |`));
  };
  const table = [`| client | ${titles.join(" | ")} |`, `|---|${titles.map(() => "---").join("|")}|`, ...Object.keys(CLIENTS).map(lineOf).filter(Boolean)].join("\n");
  writeFileSync(file, page.replace(/(<!-- routers -->\n)[^]*(<!-- \/routers -->)/, `$1${table}\n$2`));
}

/** Asks. Resolves to whether every answer is as a person would want it. `docs` writes the table, `fixtures` what each client sent. */
export async function check({ names, docs, fixtures }) {
  const unknown = names.filter((name) => !(name in CLIENTS));
  if (unknown.length > 0) throw new Error(`No client is called ${unknown.join(", ")}; there are ${Object.keys(CLIENTS).join(", ")}.`);
  if (!process.env.BATON_AS_BUILT) await build({});
  const browser = await launch();
  const rows = [], sent = [];
  for (const [name, client] of Object.entries(CLIENTS).filter(([each]) => names.length === 0 || names.includes(each))) {
    const { start, stop } = await starter(name, client);
    const wrong = {};
    for (const [title, question] of Object.entries(QUESTIONS)) {
      const answer = await answers(browser, client, start, question);
      console.log(`${answer.wrong ? "✖" : "✓"} ${name}: ${title}${answer.wrong ? `: ${answer.wrong}` : ""}`);
      if (answer.wrong) wrong[title] = answer.wrong;
      sent.push(...answer.sent.map((request) => ({ client: name, question: title, ...request })));
      if (process.env.BATON_TRACE) for (const { method, path: at, status } of answer.sent) console.log("   ", method, at, status);
    }
    stop();
    rows.push({ name, wrong });
  }
  await browser.close();
  if (docs) writeTable(rows);
  if (fixtures) writeFixtures(sent);
  const bad = rows.reduce((sum, { wrong }) => sum + Object.keys(wrong).length, 0);
  console.log(bad === 0 ? "all as a person would want it" : `${bad} are not as a person would want them`);
  return bad === 0;
}
