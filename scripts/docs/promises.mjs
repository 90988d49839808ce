// Writes docs/promises.md, promise → test, from tests/promises.json, and finds the tests named there that do not exist. Pure but for reading files. A
// test is `file: name`: a function of a Rust file, or the beginning of a title in a file of Node's.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { inRoot } from "../common.mjs";

const shelves = () => JSON.parse(readFileSync(inRoot("tests", "promises.json"), "utf8"));

/** Splits `file: name` into `{ file, name }`. */
function placed(test) {
  const at = test.indexOf(": ");
  return at < 0 ? { file: test, name: "" } : { file: test.slice(0, at), name: test.slice(at + 2) };
}

const escaped = (text) => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");

/** Returns whether this text of a test file has a test of this name. A title in Node's tests may go on after it. */
export function hasTest(file, text, name) {
  if (name === "") return false;
  if (file.endsWith(".rs")) return new RegExp(`#\\[test\\][^{}]*\\bfn ${name}\\(`).test(text);
  // Stories on the runtime begin with `play(`, rows of the catalogue with `row(`; both make a test.
  return ['"', "`", "'"].some((quote) => ["test", "play", "row"].some((made) => new RegExp(`\\b${made}\\(\\s*${escaped(quote + name)}`).test(text)));
}

/** Returns a sentence for each test of `tests/promises.json` that does not exist. */
export function missingTests(all = shelves()) {
  return all
    .flatMap(({ promises }) => promises)
    .flatMap(({ promise, tests }) => {
      if (tests.length === 0) return [`tests/promises.json: "${promise}" names no test. Cure: name one, or promise less`];
      return tests.map(placed).flatMap(({ file, name }) => {
        if (!existsSync(inRoot(file))) return [`tests/promises.json: "${promise}" names ${file}, which does not exist`];
        return hasTest(file, readFileSync(inRoot(file), "utf8"), name) ? [] : [`tests/promises.json: "${promise}": ${file} has no test "${name}"`];
      });
    });
}

/** Returns a test as the page shows it: its name, or its file's if the name is a whole sentence. */
const shown = ({ file, name }) => `[${/\s/.test(name) ? path.basename(file).split(".")[0] : name}](../${file})`;

/** Returns docs/promises.md. */
export function promisesPage(all = shelves()) {
  const list = ({ shelf, promises }) =>
    [`## ${shelf}`, "", ...promises.map(({ promise, tests }) => `- **${promise}**: ${tests.map((test) => shown(placed(test))).join("; ")}`)].join(
      "\n",
    );
  return `# What is promised, and which test holds it

Each promise with tests that fail when it is broken; \`tests/promises.json\` has their whole names. See also
[security.md](security.md#where-each-is-checked) and [correctness.md](correctness.md).

${all.map(list).join("\n\n")}

Written by \`npm run docs\`.
`;
}
