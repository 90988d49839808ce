// `npm run mutants`: changes the cores one expression at a time and looks whether a test notices (cargo-mutants). A change that no
// test notices is a *survivor*. It is printed, and the command fails unless tests/mutants.md explains why the change makes no difference.
//
//   npm run mutants                      room and lobby, all of them: hours
//   npm run mutants -- --sample 40       forty of them, spread evenly
//   npm run mutants -- --sample 40 --skip 1   forty others
//   npm run mutants -- --area gate,token other parts: room, lobby, front, gate, control, token, journal
//
// There are two rounds. The first runs an area's own tests, which take seconds. The second tries what survived the first, and is not
// explained, with every test of the cores and with whole simulated worlds.
//
// It needs cargo-mutants: `cargo install cargo-mutants --locked`.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { alone } from "./alone.mjs";
import { cargoBin, fail, findProgram, inRoot, output, run, toolEnv, UsageError, UserError } from "./common.mjs";
import { text } from "./options.mjs";
import { prepare } from "./setup.mjs";

/** What a visit is made of. The rest of src/gate/ is the area `gate`. */
const FRONT = ["visit/*", "arrival.rs", "asked.rs", "by_pass.rs", "entry.rs", "identity.rs", "issuer.rs", "nearer.rs", "outcome.rs"];
/** Each part of the cores with the tests that are about it. */
const AREAS = {
  room: [
    "courier",
    "room_absent",
    "room_accounts",
    "room_book",
    "room_cap",
    "room_edges",
    "room_entry",
    "room_hall",
    "room_health",
    "room_in_order",
    "room_lanes",
    "room_line",
    "room_pace",
    "room_proofs",
    "room_ramp",
    "room_random",
    "room_stock",
    "room_systems",
    "room_vouchers",
    "outlook",
    "schedule",
    "woken",
    "frame",
    "times",
    "tale",
    "journal",
    "journal_pages",
  ],
  lobby: ["lobby", "courier", "limits", "porter"],
  front: ["gate"],
  gate: ["gate", "fail_open", "pace", "turnstile"],
  control: ["gate", "metrics_form", "openapi", "operator", "roles"],
  token: ["token", "operator", "roles", "settings"],
  journal: ["journal", "journal_pages", "journal_bytes", "forget", "tale"],
};
const OUT = inRoot("target", "mutants");
/** Both rounds build in one folder, without debug information. */
const ENV = {
  CARGO_TARGET_DIR: inRoot("target", "mutants-build"),
  CARGO_PROFILE_DEV_DEBUG: "0",
  CARGO_PROFILE_TEST_DEBUG: "0",
  CARGO_INCREMENTAL: "1",
};
/** cargo-mutants ends with these codes when mutants survive or tests run out of time: results, not failures. */
const RESULTS = [0, 2, 3];

function asked() {
  const { area = "room,lobby", sample, skip = "0" } = parseArgs({ options: { area: text, sample: text, skip: text } }).values;
  const areas = area.split(",");
  if (!areas.every((name) => Object.hasOwn(AREAS, name)))
    throw new UsageError(`--area ${area}: there is no such area. Say some of ${Object.keys(AREAS).join(",")}.`);
  if ((sample !== undefined && !/^[1-9]\d*$/.test(sample)) || !/^\d+$/.test(skip))
    throw new UsageError("--sample needs a whole number from 1, --skip one from 0.");
  return { areas, sample: Number(sample ?? 0), skip: Number(skip) };
}

const cratesOf = (areas) => [...new Set(areas.map((area) => `baton-${area === "front" ? "gate" : area}`))];

/** Returns the flags that keep cargo-mutants to the files of these areas. */
function filesOf(areas) {
  const front = FRONT.map((name) => `src/gate/${name}`);
  const files = areas.flatMap((area) => (area === "front" ? front : [`src/${area}/**`]));
  const others = areas.includes("front") ? [] : front;
  return [...files.flatMap((file) => ["--file", file]), ...others.flatMap((file) => ["--exclude", file])];
}

/** Returns what tests/mutants.md explains: lines of a list that begin with the mutant as cargo-mutants names it. */
function explained() {
  const file = inRoot("tests", "mutants.md");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return [...text.matchAll(/^- `([^`]+)`:/gm)].map(([, name]) => name);
}

/** The guard of a planted bug, which never holds where no bug is planted. */
const PLANTED = /replace match guard planted::is\(Bug::\w+\) with false/;

/** Returns a mutant's name without its place, which moves with every line above it. */
const nameOf = (line) => line.replace(/:\d+:\d+:/, ":");
const listOf = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
const exactly = (name) => `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;

/**
 * Returns the flags that make cargo-mutants try these again, and little else. It tries every "delete field" of a file, whatever `--re` says. So it is
 * shown a change of the lines that are meant, and the caller counts only the mutants that it asked for.
 */
function among(mutants) {
  const diff = mutants.map((mutant) => {
    const [file, line] = mutant.split(":");
    const text = readFileSync(inRoot(file), "utf8").split("\n")[Number(line) - 1];
    return `--- a/${file}\n+++ b/${file}\n@@ -${line - 1},0 +${line},1 @@\n+${text}\n`;
  });
  const file = `${OUT}/again.diff`;
  writeFileSync(file, diff.join(""));
  return ["--in-diff", file, ...mutants.flatMap((mutant) => ["--re", exactly(mutant)])];
}

/**
 * Runs cargo-mutants once. Resolves to what was caught, what was missed and what ran out of time. `tests` are flags of `cargo test`: cargo-mutants
 * gives them to the tree before any mutant too, which it gives no `--test-package`, and to the build, which else builds every test.
 */
async function round(program, folder, which, tests) {
  const out = `${OUT}/${folder}`;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const flags = ["--output", out, "--gitignore=true", "--timeout-multiplier", "4", "--no-shuffle", ...tests.map((flag) => `--cargo-arg=${flag}`)];
  const { code } = await run(program, ["mutants", ...which, ...flags], {
    env: { ...toolEnv(), ...ENV },
  });
  if (!RESULTS.includes(code))
    throw new UserError(`cargo-mutants failed (exit code ${code}). What it printed above says why; ${out}/mutants.out/log has the rest.`);
  const [caught, missed, timeouts] = ["caught", "missed", "timeout"].map((name) => listOf(`${out}/mutants.out/${name}.txt`));
  return { caught, missed, timeouts };
}

async function main() {
  const { areas, sample, skip } = asked();
  const program = findProgram("cargo-mutants", [cargoBin]);
  if (!program) throw new UserError("cargo-mutants is not installed. Cure: cargo install cargo-mutants --locked");
  const crates = cratesOf(areas);
  const ofCrates = crates.flatMap((name) => ["--package", name]);
  const of = [...ofCrates, ...filesOf(areas)];
  const [all, listed] = [ofCrates, of].map((which) =>
    output(program, ["mutants", "--list", ...which], { cwd: inRoot() })
      ?.split("\n")
      .map(nameOf),
  );
  if (!all || !listed)
    throw new UserError("cargo-mutants could not list the mutants. Cure: run `cargo check`, which says what is wrong with the code.");
  const known = explained();
  const stale = known.filter((name) => crates.some((crate) => name.startsWith(`src/${crate.slice("baton-".length)}/`)) && !all.includes(name));
  if (stale.length > 0) throw new UserError(`tests/mutants.md explains what there is no more: ${stale.join("; ")}. Cure: take it out.`);
  const shards = sample > 0 ? Math.max(1, Math.round(listed.length / sample)) : 1;
  if (skip >= shards) throw new UsageError(`--skip ${skip} leaves nothing: there are ${shards} samples. Say 0 to ${shards - 1}, beside --sample.`);
  console.log(`mutants: ${listed.length} in ${areas.join(", ")}, one of ${shards} is tried, the first ${skip} left out`);
  const shard = shards > 1 ? ["--shard", `${skip}/${shards}`, "--sharding", "round-robin"] : [];
  const own = [...new Set(areas.flatMap((area) => AREAS[area]))].map((name) => `--test=${name}`);
  const first = await round(program, "own", [...of, ...shard], ["--package=baton", "--lib", ...own]);
  const tried = Object.values(first).reduce((sum, { length }) => sum + length, 0);
  if (tried === 0) throw new UserError("No mutant was tried. What cargo-mutants printed above says why.");
  const [old, open] = [true, false].map((is) => first.missed.filter((line) => (PLANTED.test(line) || known.includes(nameOf(line))) === is));
  const second =
    open.length > 0
      ? await round(program, "all", [...of, ...among(open)], ["--package=baton", "--package=baton-tools"])
      : { missed: [], timeouts: [] };
  const [news, timeouts] = [second.missed, second.timeouts].map((lines) => lines.filter((line) => open.includes(line)));
  const missed = [...old, ...news];
  for (const line of missed) console.log(`survives: ${nameOf(line)}${old.includes(line) ? " (explained)" : ""}`);
  const percent = (lines) => `${((100 * lines.length) / tried).toFixed(1)} %`;
  console.log(
    `mutants: ${tried} tried, ${missed.length} survive (${percent(missed)}), ${news.length} of them unexplained (${percent(news)}), ${first.timeouts.length + timeouts.length} ran out of time`,
  );
  if (news.length > 0) process.exitCode = 1;
}

await prepare();
// Two would build in one folder, and each would test the other's changes.
const waits = (holder) => console.log(`mutants: waiting for process ${holder}, which tries some too`);
await alone(inRoot(".baton", "mutants"), main, waits).catch(fail);
