// `npm run doctor`: looks at a live Baton from outside and, with an operator's token, from inside. It prints a table of what it saw, with a
// cure for whatever is wrong.
//
//   npm run doctor -- --url https://tickets.example.com [--origin https://shop.example.net] [--token FILE] [--json]
//                     [--room onsale --path '/buy/*']
//
// `--token` names a file with an operator's token (role view); BATON_ADMIN_TOKEN does as well. If CLOUDFLARE_API_TOKEN is set, the doctor
// asks Cloudflare for routes and their fail mode. It changes nothing and takes no number. Exit 0: nothing is bad; 1: something is;
// 2: it could not be asked.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { fail, UserError } from "./common.mjs";
import { ask } from "./doctor/ask.mjs";
import { CHECKS, bad, unknown } from "./doctor/checks.mjs";
import { text } from "./options.mjs";

const USAGE = "npm run doctor -- --url https://… [--origin https://…] [--token FILE] [--room NAME --path '/buy/*'] [--json]";
const CLOUDFLARE = "https://api.cloudflare.com";
const MARKS = { ok: "ok  ", warn: "WARN", bad: "BAD ", unknown: "?   " };

function addressOf(name, text) {
  if (!URL.canParse(text) || !["http:", "https:"].includes(new URL(text).protocol))
    throw new UserError(`--${name} needs an address, such as https://tickets.example.com, not "${text}".\n${USAGE}`);
  return new URL(new URL(text).origin);
}

/** @typedef {import("./doctor/checks.mjs").Finding} Finding */

/**
 * Returns everything that the checks share.
 * @param {{ url: string, origin?: string, token?: string, room?: string, path?: string, cloudflare?: { api: string, token: string },
 *   config?: import("./settings.mjs").Wrangler }} of `url`, `origin`: addresses; `room`, `path`: a gated room and one of its patterns
 */
export function patientOf({ url, origin, token, room, path, cloudflare, config }) {
  const rooms = path ? [{ name: room ?? "onsale", patterns: [path] }] : [];
  return { url: addressOf("url", url), origin: origin && addressOf("origin", origin), token, rooms, probes: [], told: null, cloudflare, config };
}

/** Whether a GET belongs to a pattern. The doctor tries nothing else on a shop: a request that got through would change something. */
const mayBeRead = (pattern) => /^(GET )?\//.test(pattern);

/** Fetches what an operator is told of the rooms, and the way to each as its objects measure it. @returns {Promise<[string, Finding][]>} */
async function lookInside(patient) {
  if (!patient.token) return [];
  const headers = { authorization: `Bearer ${patient.token}`, accept: "application/json" };
  const inside = async (path) => {
    const answer = await ask(new URL(path, patient.url), { headers });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    return JSON.parse(answer.body);
  };
  try {
    const { rooms } = await inside("/__baton/admin/rooms");
    const valueOf = (settings, name) => settings?.[name]?.value;
    patient.told = rooms.map(({ room: name, report }) => ({
      name,
      totals: report?.totals,
      depth: report?.call_depth ?? 0,
      unreached: report?.unreached ?? 0,
    }));
    const told = rooms.map(({ room: name, settings }) => ({
      name,
      patterns: (valueOf(settings, "paths") ?? []).filter(mayBeRead),
      location: valueOf(settings, "location"),
    }));
    const known = told.filter(({ patterns }) => patterns.length > 0);
    if (known.length > 0) patient.rooms = known;
    for (const { room: name } of rooms) {
      const askedAtMs = Date.now();
      patient.probes.push({ name, askedAtMs, ...(await inside(`/__baton/admin/rooms/${name}/probe`)) });
    }
    return [["operator", { is: "ok", seen: `${rooms.length} rooms` }]];
  } catch (error) {
    return [["operator", bad(error.message, "See that the token is an operator's, and that BATON_ADMIN_TOKEN or OPERATORS is set.")]];
  }
}

/**
 * Resolves to every check's finding, by its name. A question that cannot even be asked is bad.
 * @returns {Promise<[string, Finding][]>}
 */
export async function examine(patient) {
  /** @type {[string, Finding][]} */
  const found = [];
  for (const [name, check] of CHECKS) {
    if (name === "gate") found.push(...(await lookInside(patient)));
    found.push([name, await check(patient).catch((error) => bad(error.message || error.code, "It could not be asked: see the checks above."))]);
    if (name !== "reached" || found.at(-1)[1].is !== "bad") continue;
    for (const [rest] of CHECKS.slice(1)) found.push([rest, unknown("not looked at")]);
    break;
  }
  return found;
}

export function table(found) {
  const width = Math.max(...found.map(([name]) => name.length));
  return found
    .map(
      ([name, { is, seen, cure }]) =>
        `${MARKS[is]}  ${name.padEnd(width)}  ${seen}${cure && is !== "ok" ? `\n${" ".repeat(width + 8)}-> ${cure}` : ""}`,
    )
    .join("\n");
}

async function main() {
  const { values } = parseArgs({ options: { url: text, origin: text, token: text, room: text, path: text, json: { type: "boolean" } } });
  if (!values.url) throw new UserError(USAGE);
  const token = values.token ? readFileSync(values.token, "utf8").trim() : process.env.BATON_ADMIN_TOKEN;
  const api = process.env.CLOUDFLARE_API_TOKEN;
  const { wranglerConfig } = await import("./settings.mjs");
  const patient = patientOf({ ...values, token, config: wranglerConfig(), cloudflare: api && { api: CLOUDFLARE, token: api } });
  const found = await examine(patient);
  const findings = found.map(([check, finding]) => ({ check, ...finding }));
  console.log(values.json ? JSON.stringify({ url: patient.url.origin, at: new Date().toISOString(), findings }, null, 2) : table(found));
  process.exitCode = findings.some(({ is }) => is === "bad") ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await main().catch((error) =>
    error instanceof UserError || error.code?.startsWith("ERR_PARSE_ARGS") || error.code === "ENOENT"
      ? (console.error(error.message), process.exit(2))
      : fail(error),
  );
}
