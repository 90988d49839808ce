// `npm run operator-token -- mika view`: makes a token for an operator and what goes into wrangler.toml. The token is shown
// this once and kept nowhere; the file gets its hash only.

import { createHash, randomBytes } from "node:crypto";
import { fail, UserError } from "./common.mjs";

const ROLES = ["view", "operate"];

function main([name = "", role = ""]) {
  if (!/^[\w.@-]{1,64}$/.test(name) || name === "operator" || !ROLES.includes(role)) {
    throw new UserError("Say who, and what they may do: npm run operator-token -- mika view|operate");
  }
  const token = randomBytes(32).toString("base64url");
  const sha256 = createHash("sha256").update(token).digest("hex");
  console.log(`The token of ${name}, shown only now; it belongs into a password manager:\n\n    ${token}\n`);
  console.log(`Into wrangler.toml:\n\n[[vars.OPERATORS]]\nname = "${name}"\nrole = "${role}"\nsha256 = "${sha256}"`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  fail(error);
}
