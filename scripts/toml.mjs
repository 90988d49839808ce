// Reads TOML that somebody wrote by hand: whatever is wrong with it is told with its file, its line and the cure. Needs npm packages: import it after
// set-up.

import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { UserError } from "./common.mjs";

/** Returns the table in a text. `name` is the file's; `also` ends the sentence that says what to do. */
export function tomlOf(name, text, also = "") {
  try {
    return parse(text);
  } catch (error) {
    const why = error.message.split("\n")[0].replace(/^Invalid TOML document: /, "");
    throw new UserError(`${name}:${error.line}: this is not TOML: ${why}. Correct that line${also}.`);
  }
}

/** Returns the table in a file. `name` is what the file is called in a message. */
export function readToml(file, name) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`${name} cannot be read (${error.code}). It stands at the head of the project.`);
  }
  return tomlOf(name, text);
}
