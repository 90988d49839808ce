// `npm run operator-token -- mika view`: makes a token for an operator and what goes into wrangler.toml; with the role
// `release`, for a machine of the shop, also its room and how many days it is good. The token is shown
// this once and kept nowhere; the file gets its hash only.

import { createHash, randomBytes } from "node:crypto";
import { fail, UserError } from "./common.mjs";

const ROLES = ["view", "operate"];
/** A hundred years: what is good for longer never ends. */
const DAYS_MAX = 36_500;
const USAGE = "Say who, and what they may do: npm run operator-token -- mika view|operate, or -- hooks release onsale 30 (its room, and for how many days)";

/** Room and end of a machine, as lines of the file. */
function boundsOf(room, days) {
  if (!/^[a-z0-9-]{1,32}$/.test(room) || !(Number(days) > 0)) throw new UserError(USAGE);
  if (Number(days) > DAYS_MAX) throw new UserError(`A token is good for ${DAYS_MAX} days at most, not ${days}. Say fewer; make another before they are over.`);
  const end = new Date(Date.now() + Number(days) * 24 * 3_600_000).toISOString().replace(/\.\d+/, "");
  return `\nroom = "${room}"\nends_at = "${end}"`;
}

function main([name = "", role = "", room = "", days = ""]) {
  const isMachine = role === "release";
  if (!/^[\w.@-]{1,64}$/.test(name) || name === "operator" || !(ROLES.includes(role) || isMachine)) throw new UserError(USAGE);
  const bounds = isMachine ? boundsOf(room, days) : "";
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
