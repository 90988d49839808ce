// Installs what the kits are tested with into the project's own folders: Django with gunicorn and uvicorn, Express, Next.js, and drivers of databases. Python,
// Ruby with Puma, PHP, and the databases are the system's (`.ci/run` names the packages). It names and leaves out what cannot be had.
//
//   node tests/kits/install.mjs

import { findProgram, inRoot, run } from "../../scripts/common.mjs";

const venv = inRoot(".baton", "kits");

async function step(program, args) {
  const found = program.includes("/") ? program : findProgram(program);
  const done = found && (await run(found, args).catch((error) => ({ code: error.message })));
  if (done?.code !== 0) console.log(`not installed: ${program} ${args.join(" ")} (${done ? done.code : "there is no such program"})`);
}

await step("python3", ["-m", "venv", venv]);
await step(`${venv}/bin/pip`, ["install", "--quiet", "--requirement", inRoot("tests", "kits", "shops", "requirements.txt")]);
await step("npm", ["ci", "--no-audit", "--no-fund", "--prefix", inRoot("tests", "kits", "shops")]);
// Without a lock: one names Next's compilers for every system, and a registry need not have all of them.
await step("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund", "--prefix", inRoot("tests", "kits", "shops", "next")]);
