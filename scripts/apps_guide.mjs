// Writes the exchange in docs/apps.md, what an app sends and is answered, from a real one. It starts a Baton with one permit, lets a first app in,
// and the reference client (kits/reference) enters behind it, is called, buys and leaves.
//
//   npm run apps-guide               writes it
//   npm run apps-guide -- --check    changes nothing; exit code 1 if the guide says something else
//
// What differs each time is written as `…`: tokens, instants, durations, the room's version.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createInterface } from "node:readline";
import { Baton } from "../kits/js/src/index.js";
import { fail, inRoot, UserError } from "./common.mjs";
import { prepare } from "./setup.mjs";

const GUIDE = inRoot("docs", "apps.md");
const PART = /(<!-- exchange -->\n)[\s\S]*?(<!-- \/exchange -->)/;
const ROOM = { paths: ["/buy/*"], permits: 1, tick_ms: 50, linger_s: 60 };
/** The headers of an answer that an app reads. */
const LOOKED_AT = ["Baton-Credentials", "Baton-State", "Cache-Control", "Retry-After"];

const steady = (text) =>
  text
    .replace(/=[\w-]{40,}/g, "=…")
    .replace(/("(?:version|\w+_at_ms|\w+_s)":)\d+/g, "$1…")
    .replace(/(Retry-After: )\d+/g, "$1…");

/** Returns one exchange as the guide shows it. */
function written({ method, path, shown, body, status, headers, told }) {
  const head = [`${method} ${path}`, ...["Baton-Credentials"].map((name) => `${name}: ${shown[name]}`.trimEnd())];
  const found = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const seen = LOOKED_AT.filter((name) => found[name.toLowerCase()] !== undefined).map((name) => `${name}: ${found[name.toLowerCase()]}`.trimEnd());
  const text = typeof told === "string" ? told : JSON.stringify(told);
  const answer = [String(status), ...seen, ...(text ? ["", text] : [])];
  return `\`\`\`http\n${steady([...head, ...(body ? ["", body] : [])].join("\n"))}\n\`\`\`\n\n\`\`\`http\n${steady(answer.join("\n"))}\n\`\`\`\n`;
}

/** Plays the reference client against a Baton. Resolves to its exchanges. `ahead()` gives back the permit of the first app. */
async function played({ url, ahead }) {
  const client = spawn(
    "python3",
    [inRoot("kits", "reference", "baton_app.py"), "--url", url, "--room", "onsale", "--then", "POST /buy/order", "--leave"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exchanges = [];
  for await (const line of createInterface({ input: client.stdout })) {
    exchanges.push(JSON.parse(line));
    // An app that asks how things are waits for a change: this is the change.
    if (exchanges.length === 2) ahead();
  }
  return exchanges;
}

async function exchangesOfOwn() {
  await prepare();
  const [{ build }, { startRuntime }] = await Promise.all([import("./build.mjs"), import("./runtime.mjs")]);
  if (!process.env.BATON_AS_BUILT) await build();
  const shop = http.createServer((_, response) => response.end("sold"));
  await once(shop.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (shop.address());
  const vars = { ROOMS: { onsale: ROOM }, BATON_SECRET: randomBytes(48).toString("base64"), ORIGIN: `http://127.0.0.1:${port}` };
  const runtime = await startRuntime({ vars });
  try {
    const first = new Baton({ url: runtime.url });
    await first.enter("onsale");
    return await played({ url: runtime.url, ahead: () => first.leave("onsale") });
  } finally {
    await runtime.stop();
    shop.close();
  }
}

const STEPS = [
  "Without a visitor's token: a fresh one, which goes with every request from now on.",
  "The same call again. There is no permit free, so the app has a place.",
  "How are things? The answer comes when they change, after `wait_s` at the latest.",
  "Called. The same call claims the permit.",
  "Inside. The origin answers; credentials come along only when they have changed.",
  "Done: the permit goes to the next in line.",
];

async function main(args) {
  const exchanges = await exchangesOfOwn();
  if (exchanges.length !== STEPS.length)
    throw new UserError(`The client had ${exchanges.length} exchanges, and the guide has words for ${STEPS.length}.`);
  const part = exchanges.map((exchange, at) => `**${at + 1}.** ${STEPS[at]}\n\n${written(exchange)}`).join("\n");
  const before = readFileSync(GUIDE, "utf8");
  const after = before.replace(PART, (_, start, end) => `${start}\n${part}\n${end}`);
  if (args.includes("--check")) {
    if (after !== before) throw new UserError("docs/apps.md does not say what is really exchanged. Run: npm run apps-guide");
    return console.log("docs/apps.md says what is exchanged");
  }
  writeFileSync(GUIDE, after);
  console.log("docs/apps.md written");
}

await main(process.argv.slice(2)).catch(fail);
