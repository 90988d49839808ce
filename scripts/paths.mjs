// `npm run paths`: reads a browser's recording of one purchase and says what to gate, what to leave, and where the release belongs.
//
//   npm run paths -- purchase.har                    says it, with a first `paths` and `bypass_paths`, and the steps for find-permits
//   npm run paths -- purchase.har --out FOLDER       writes those as room.toml and checkout.toml instead
//   npm run paths -- purchase.har --host SHOP        if the recording visits several hosts: the shop's
//   npm run paths -- purchase.har --room NAME        the room's name; otherwise onsale
//   npm run paths -- purchase.har --scrub FILE       writes the recording without cookies, bodies, values, ids and hosts, to show to others
//
// `check-config` checks what it writes. docs/paths.md says how to record, and what it was tried on.
// Exit code 0: done; 1: the recording cannot be used, or check-config refuses the result; 2: wrong use.

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { fail, UsageError, UserError } from "./common.mjs";
import { text } from "./options.mjs";
import { HAR_BYTES_MAX, incomplete, readHar } from "./paths/har.mjs";
import { judge } from "./paths/judge.mjs";
import { patternsOf } from "./paths/patterns.mjs";
import { requestsOf } from "./paths/request.mjs";
import { scrubbed } from "./paths/scrub.mjs";
import { reportOf } from "./paths/text.mjs";
import { roomToml, stepsToml } from "./paths/toml.mjs";
import { prepare } from "./setup.mjs";

function textOf(file) {
  let bytes;
  try {
    bytes = statSync(file).size;
  } catch (error) {
    throw new UserError(`${file} cannot be read (${error.code}).`);
  }
  if (bytes > HAR_BYTES_MAX)
    throw new UserError(
      `${file}: ${Math.round(bytes / 1_048_576)} MB are too much to read; the most is ${HAR_BYTES_MAX / 1_048_576}. Cure: record one purchase alone, or export without content.`,
    );
  return readFileSync(file, "utf8");
}

const LACKS = {
  "no page": () => "the recording holds no page: no browser went anywhere",
  "no host": ({ host }) => `the recording holds no request to ${host}`,
  "no act": ({ host }) => `nothing was sent to ${host}: the recording shows somebody who looked and bought nothing, or only the last page`,
};

/** Returns everything that is to be said and written of a recording: `{ report, room, steps, paths, bypass, … }`. Pure. */
export function pathsOf(name, text, /** @type {{ host?: string, room?: string }} */ { host, room = "onsale" } = {}) {
  const judged = judge(requestsOf(readHar(name, text)), { host });
  if ("lacks" in judged) throw incomplete(name, LACKS[judged.lacks](judged));
  const whole = { ...judged, ...patternsOf(judged) };
  return { ...whole, report: reportOf(whole), room: roomToml(room, whole), steps: stepsToml(whole) };
}

/** Has check-config judge the room that was found, in the place of the configured one. Throws what it says. */
async function check({ paths, bypass, page_start }, room) {
  const { askConfig, wranglerConfig } = await import("./settings.mjs");
  const { vars } = wranglerConfig();
  const found = { permits: 50, crowd: 20_000, paths, bypass_paths: bypass, ...(page_start && { page_start }) };
  const { status, stdout, stderr } = await askConfig({ ...vars, ROOMS: { [room]: found } });
  if (status !== 0) throw new UserError(`check-config refuses what was found:\n${(stdout + stderr).trimEnd()}`);
}

async function main() {
  const {
    values,
    positionals: [file, ...more],
  } = parseArgs({ allowPositionals: true, options: { host: text, out: text, room: text, scrub: text } });
  if (file === undefined || more.length > 0) throw new UsageError("Name one recording: npm run paths -- purchase.har");
  const recording = textOf(file);
  const found = pathsOf(file, recording, values);
  if (values.scrub) {
    writeFileSync(values.scrub, `${JSON.stringify(scrubbed(readHar(file, recording), found.host), null, 1)}\n`);
    console.log(`${values.scrub} is written. Read it before you show it to anybody.`);
    return;
  }
  // It may start this command anew under another Node, so nothing is printed before.
  if (found.paths.length > 0) await prepare();
  console.log(found.report);
  if (found.paths.length > 0) await check(found, values.room ?? "onsale");
  const files = { ...(found.paths.length > 0 && { "room.toml": found.room }), "checkout.toml": found.steps };
  if (!values.out) return void console.log(Object.values(files).join("\n"));
  mkdirSync(values.out, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(values.out, name), content);
  console.log(
    `Written: ${Object.keys(files)
      .map((name) => path.join(values.out, name))
      .join(", ")}`,
  );
}

if (process.argv[1] === import.meta.filename) await main().catch(fail);
