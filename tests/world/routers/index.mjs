// `npm run check-world -- routers`: every client, every question, one table.

import { build } from "../../../scripts/build.mjs";
import { Browsers } from "./browsers.mjs";
import { QUESTIONS } from "./questions.mjs";
import { chosen, writeTable } from "../table.mjs";
import { writeFixtures } from "./fixtures.mjs";
import { Stage } from "./stage.mjs";
import { CLIENTS, starter } from "./start.mjs";

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

/** Returns the row of a client. */
function rowOf({ name, wrong }) {
  const shown = [name, versionOf(CLIENTS[name])].join(" ").trim() + (CLIENTS[name].keep ? ", keep.js" : "");
  return [shown, ...Object.keys(QUESTIONS).map((title) => (wrong[title] ? "✖" : "✓"))];
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
  const asked = chosen(CLIENTS, names);
  if (!process.env.BATON_AS_BUILT) await build({});
  const browsers = new Browsers();
  const rows = [],
    sent = [];
  for (const [name, client] of asked) {
    const lacks = Browsers.lacks(client);
    if (lacks) console.log(`- ${name}: ${lacks}`);
    else rows.push(await row(browsers, name, client, sent));
  }
  await browsers.close();
  if (docs) writeTable("docs/routers.md", "routers", ["client", ...Object.keys(QUESTIONS)], rows.map(rowOf), Object.keys(CLIENTS));
  if (fixtures)
    writeFixtures(
      sent,
      rows.map(({ name }) => name),
    );
  const bad = rows.reduce((sum, { wrong }) => sum + Object.keys(wrong).length, 0);
  const all = rows.length * Object.keys(QUESTIONS).length;
  console.log(`${all - bad} of ${all} as a person would want it`);
  return bad === 0;
}
