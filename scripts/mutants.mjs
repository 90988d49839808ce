// `npm run mutants`: changes the cores one expression at a time and looks whether a test notices (cargo-mutants). A change that no
// test notices is a *survivor*: it is printed, unless docs/mutants.md explains it, and the command fails when there are too many.
//
//   npm run mutants                      room and lobby, all of them: hours
//   npm run mutants -- --sample 40       forty of them, spread evenly
//   npm run mutants -- --area gate,token other parts: room, lobby, gate, token, journal
//
// It needs cargo-mutants: `cargo install cargo-mutants --locked`.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { fail, findProgram, cargoBin, inRoot, output, run, UserError } from "./common.mjs";
import { prepare } from "./setup.mjs";

const AREAS = ["room", "lobby", "gate", "token", "journal"];
/** At most so many of a hundred may survive in room and lobby. */
const SURVIVORS_MAX_PERCENT = 5;
const OUT = inRoot("target", "mutants");

function asked(argv) {
  const wanted = { areas: ["room", "lobby"], sample: 0 };
  for (let at = 0; at < argv.length; at += 2) {
    const [flag, value] = argv.slice(at, at + 2);
    if (flag === "--sample" && Number(value) > 0) wanted.sample = Number(value);
    else if (flag === "--area" && value?.split(",").every((area) => AREAS.includes(area))) wanted.areas = value.split(",");
    else throw new UserError(`${flag} ${value ?? ""} is not understood. Flags: --sample COUNT, --area ${AREAS.join(",")}`);
  }
  return wanted;
}

/** What docs/mutants.md explains: lines of a list that begin with the mutant as cargo-mutants names it. */
function explained() {
  const file = inRoot("docs", "mutants.md");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return [...text.matchAll(/^- `([^`]+)`:/gm)].map(([, name]) => name);
}

/** A mutant's name without its place, which moves with every line above it. */
const nameOf = (line) => line.replace(/:\d+:\d+:/, ":");
const listOf = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);

async function main() {
  const { areas, sample } = asked(process.argv.slice(2));
  const program = findProgram("cargo-mutants", [cargoBin]);
  if (!program) throw new UserError("cargo-mutants is not installed. Cure: cargo install cargo-mutants --locked");
  const files = areas.flatMap((area) => ["--file", `src/${area}/**`]);
  const all = output(program, ["mutants", "--list", "--package", "baton", ...files], { cwd: inRoot() })?.split("\n").length ?? 0;
  const shards = sample > 0 ? Math.max(1, Math.round(all / sample)) : 1;
  console.log(`mutants: ${all} in ${areas.join(", ")}, one of ${shards} is tried`);
  rmSync(OUT, { recursive: true, force: true });
  const shard = shards > 1 ? ["--shard", `0/${shards}`, "--sharding", "round-robin"] : [];
  await run(program, ["mutants", "--package", "baton", ...files, ...shard, "--output", OUT, "--timeout-multiplier", "4", "--no-shuffle", "--", "--tests"]);
  const [caught, missed, timeouts] = ["caught", "missed", "timeout"].map((name) => listOf(`${OUT}/mutants.out/${name}.txt`));
  const known = explained();
  const news = missed.filter((line) => !known.includes(nameOf(line)));
  const tried = caught.length + missed.length + timeouts.length;
  if (tried === 0) throw new UserError("No mutant was tried. What cargo-mutants printed above says why.");
  for (const line of missed) console.log(`survives: ${nameOf(line)}${known.includes(nameOf(line)) ? " (explained)" : ""}`);
  const percent = (100 * missed.length) / tried;
  console.log(`mutants: ${tried} tried, ${missed.length} survive (${percent.toFixed(1)} %), ${news.length} of them unexplained, ${timeouts.length} ran out of time`);
  if (percent > SURVIVORS_MAX_PERCENT || news.length > 0) process.exitCode = 1;
}

await prepare();
await main().catch(fail);
