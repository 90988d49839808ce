// Installs the origins of this folder's tests into the project's own folders: Node's frameworks, Django, Tomcat. nginx, Python and Java are
// the system's. It names and leaves out what cannot be had: the test runs with what is there, and in CI refuses to.
//
//   node tests/spellings/install.mjs

import { mkdirSync, readdirSync } from "node:fs";
import { findProgram, inRoot, run } from "../../scripts/common.mjs";

const django = inRoot(".baton", "django");
const tomcat = inRoot(".baton", "tomcat");

async function step(program, args, options = {}) {
  const found = program.includes("/") ? program : findProgram(program);
  const done = found && (await run(found, args, options).catch((error) => ({ code: error.message })));
  if (done?.code !== 0) console.log(`not installed: ${program} ${args.join(" ")} (${done ? done.code : "there is no such program"})`);
}

await step("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", inRoot("tests", "spellings", "node")]);
await step("python3", ["-m", "venv", django]);
await step(`${django}/bin/pip`, ["install", "--quiet", "Django==5.2.*"]);
mkdirSync(tomcat, { recursive: true });
await step("apt-get", ["download", "libtomcat10-embed-java", "libtomcat10-java"], { cwd: tomcat });
for (const name of readdirSync(tomcat).filter((file) => file.endsWith(".deb"))) await step("dpkg", ["-x", `${tomcat}/${name}`, tomcat]);
