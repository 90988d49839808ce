// `npm run operator-token -- mika view`: makes a token for an operator, and the lines that go into wrangler.toml or into the house. Names of
// rooms limit the token to those rooms. A machine of the shop (`release`) also needs the days for which the token is good. The token is
// shown this once and kept nowhere; the file gets its hash only.
//
//   npm run operator-token -- mika view
//   npm run operator-token -- hooks release onsale 30       its room, and for how many days

import { createHash, randomBytes } from "node:crypto";
import { fail, UsageError } from "./common.mjs";

const ROLES = ["view", "operate", "own"];
/** Names that no operator may have: the journal uses them for others. */
const RESERVED = ["operator", "schedule", "baton", "house", "system"];
/** A hundred years: a token that is good for longer would never end. */
const DAYS_MAX = 36_500;
const USAGE =
  "Say who, and what they may do: npm run operator-token -- mika view|operate|own [ROOM,ROOM], or -- hooks release onsale 30 (its room, and for how many days)";

/** Returns the rooms as a line of the file. */
function roomsOf(text) {
  const rooms = text.split(",");
  if (!rooms.every((room) => /^[a-z0-9-]{1,32}$/.test(room))) throw new UsageError(USAGE);
  return `\nrooms = [${rooms.map((room) => `"${room}"`).join(", ")}]`;
}

/** Returns the end of a machine's token as a line of the file. */
function endOf(days) {
  if (!(Number(days) > 0)) throw new UsageError(USAGE);
  if (Number(days) > DAYS_MAX)
    throw new UsageError(`A token is good for ${DAYS_MAX} days at most, not ${days}. Say fewer; make another before they are over.`);
  const end = new Date(Date.now() + Number(days) * 24 * 3_600_000).toISOString().replace(/\.\d+/, "");
  return `\nends_at = "${end}"`;
}

/** @param {string[]} words */
function main([name = "", role = "", rooms = "", days = ""]) {
  const isMachine = role === "release";
  if (!/^[\w.@-]{1,64}$/.test(name) || RESERVED.includes(name) || !(ROLES.includes(role) || isMachine)) throw new UsageError(USAGE);
  const bounds = (isMachine || rooms ? roomsOf(rooms) : "") + (isMachine || days ? endOf(days) : "");
  const token = randomBytes(32).toString("base64url");
  const sha256 = createHash("sha256").update(token).digest("hex");
  console.log(`The token of ${name}, shown only now; it belongs into a password manager:\n\n    ${token}\n`);
  console.log(`Into wrangler.toml:\n\n[[vars.OPERATORS]]\nname = "${name}"\nrole = "${role}"\nsha256 = "${sha256}"${bounds}`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  fail(error);
}
