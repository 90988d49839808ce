// `npm run check-world -- routers`: every client, every question, one table.

import { readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "../../../scripts/common.mjs";
import { build } from "../../../scripts/build.mjs";
import { Browsers } from "./browsers.mjs";
import { QUESTIONS } from "./questions.mjs";
import { writeFixtures } from "./fixtures.mjs";
import { Stage } from "./stage.mjs";
import { CLIENTS, known, starter } from "./start.mjs";

async function answers(browsers, client, start, { ask, permits = 1 }) {
  const stage = await Stage.open({ browsers, client, start, room: { permits } });
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

/** Asks every question of one client. Returns what was wrong, by question; what the client sent goes to `sent`. */
async function row(browsers, name, client, sent) {
  const { start, stop } = await starter(name, client);
  const wrong = {};
  for (const [title, question] of Object.entries(QUESTIONS)) {
    const answer = await answers(browsers, client, start, question);
    console.log(`${answer.wrong ? "✖" : "✓"} ${name}: ${title}${answer.wrong ? `: ${answer.wrong}` : ""}`);
    if (answer.wrong) wrong[title] = answer.wrong;
    sent.push(...answer.sent.map((request) => ({ client: name, question: title, ...request })));
    if (process.env.BATON_TRACE) for (const { method, path: at, status } of answer.sent) console.log("   ", method, at, status);
  }
  stop();
  return { name, wrong };
}

/** Asks. Resolves to whether every answer is as a person would want it. `docs` writes the table, `fixtures` what each client sent. */
export async function check({ names, docs, fixtures }) {
  known(names);
  if (!process.env.BATON_AS_BUILT) await build({});
  const browsers = new Browsers();
  const rows = [], sent = [];
  for (const [name, client] of Object.entries(CLIENTS).filter(([each]) => names.length === 0 || names.includes(each))) {
    const lacks = Browsers.lacks(client);
    if (lacks) console.log(`- ${name}: ${lacks}`);
    else rows.push(await row(browsers, name, client, sent));
  }
  await browsers.close();
  if (docs) writeTable(rows);
  if (fixtures) writeFixtures(sent, rows.map(({ name }) => name));
  const bad = rows.reduce((sum, { wrong }) => sum + Object.keys(wrong).length, 0);
  const all = rows.length * Object.keys(QUESTIONS).length;
  console.log(`${all - bad} of ${all} as a person would want it`);
  return bad === 0;
}
