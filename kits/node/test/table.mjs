// The shared table of test vectors, and checkers whose clock is the table's.

import { readFileSync } from "node:fs";
import { Checker, MemoryStore } from "baton-kit";

export const TABLE = JSON.parse(readFileSync(new URL("../../vectors.json", import.meta.url), "utf8"));
export const named = (name) => TABLE.requests.find((one) => one.name === name);

/** A checker of the table's shop; what it logs is in `said`. */
export function checker(settings = {}) {
  const said = [];
  const made = new Checker({
    secret: TABLE.secret,
    hosts: TABLE.hosts,
    mode: "enforce",
    now: () => TABLE.now_ms,
    log: (line) => said.push(line),
    ...settings,
  });
  return Object.assign(made, { said });
}

/** A checker with a store and the settings of a case. */
export const checkerOf = ({ rooms, answers_preflights: answersPreflights }, settings = {}) =>
  checker({ rooms, answersPreflights, store: new MemoryStore(), ...settings });
