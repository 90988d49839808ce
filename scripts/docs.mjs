// Writes the parts of the docs that the code knows: docs/configuration.md (from the settings' schema), docs/errors.md and docs/logs.md (from
// the closed lists of error codes and of what is in the log), docs/limits.md (from the limits' constants) and docs/promises.md (from
// tests/promises.json). Nothing in those is written by hand. Then it says what is wrong with the rest (scripts/docs/checks.mjs).
//
//   npm run docs                writes them
//   npm run docs -- --check     changes nothing; exit code 1 when one of them is out of date
//
// Either ends with 1 when a link leads nowhere, a command, flag, file or test that the docs name does not exist, or they are too long.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { checker } from "./build.mjs";
import { fail, inRoot, UserError } from "./common.mjs";
import { problems } from "./docs/checks.mjs";
import { limitsPage } from "./docs/limits.mjs";
import { promisesPage } from "./docs/promises.mjs";

/** The tables of all keys, as the schema prints them: of a room, and of the house's grounds. */
async function reference() {
  const [rooms, grounds] = (await checker()).reference().split("\n## The house\n\n");
  if (!grounds) throw new UserError("The schema's reference has lost its table of the house (tools/check).");
  return { rooms, grounds };
}

function configuration({ rooms: table, grounds }) {
  return `# Configuration

All settings are in \`wrangler.toml\`: \`ORIGIN\` and one table \`[vars.ROOMS.name]\` for each room. A room's name is 1 to 32 of
\`a-z\`, \`0-9\` and \`-\`. \`npm start\` and \`npm run deploy\` check the file first and name what is wrong, each with its cure; unknown keys are
refused. A worker with a bad configuration answers \`503 bad_config\` on gated paths.

\`ORIGIN\` is a URL, or a service binding of that name; without either Baton asks the zone's own origin. Several sites behind one Baton have an origin
each, by the visitors' host; other hosts go to the zone's own origin:

    [vars.ORIGIN]
    "tickets.example.com" = "https://shop.example.net"
    "booking.example.com" = "https://booking.example.net"

An origin behind a URL sees its own name in \`Host\`. With \`ORIGIN_HOST = "public"\` it sees the visitor's, so its links, checks and cookies are right.
On Cloudflare both names must be in the zone, else it is ignored without a word (\`npm run doctor\` looks): for a site elsewhere name a CNAME record of
the zone that points there, without a port. With \`self-host\` it goes with one \`ORIGIN\`.

\`ORIGIN_TIMEOUT_S\` (100; 1 to 600): an origin that has not begun to answer a GET or HEAD by then counts as down. People see the page for that and keep
the lease. Any other request has six times as long, sending included.

## A room

*live*: changes at once, at the desk or by \`PATCH\` ([operating.md](operating.md)), and wins over the file until it is cleared. *deploy*: changes
with a deploy; nobody loses a place by that.

${table}
Locally every key is a flag too, in kebab-case: \`npm start -- --permits 3 --claim-within-s 10 --no-walk-in\`.

### Paths

| pattern | what it gates |
|---|---|
| \`/buy\` | that path, with or without a slash at its end |
| \`/buy/*\`, \`/buy/**\` | it and everything below |
| \`/buy*\` | whatever begins so: \`/buy\`, \`/buyer/x\` |
| \`/events/*/checkout\` | any one segment where the \`*\` is; \`/events/*/\` is one segment and no more |
| \`POST /api/orders\` | that method alone: GET, POST, PUT, PATCH or DELETE. HEAD counts as GET. A POST counts as every method but GET, since frameworks find another method in a header or form. A method outside this list counts as all of them |

Case, repeated slashes and escapes of ordinary characters make no difference. Where rooms overlap, the room that names the host wins; then the pattern
that is more specific at the first different segment; then the one that names a method. Baton refuses two equal claims before a start. It answers
\`400\` to a path that two origins could read as two rooms'.

    npm run check-config -- --explain GET /events/7/checkout      # which room, and why; without --explain: check the file

## The house

\`[vars.GROUNDS]\` says where the [house](house.md) may have rooms:

${grounds}
Without \`GROUNDS\` there is no house. Under \`npm start\` the grounds are \`/*\` unless the file has some.

## Webhooks

\`[[vars.WEBHOOKS]]\`: \`name\` and \`url\`, and \`rooms\`, \`kinds\`, \`operators\` to choose ([webhooks.md](webhooks.md)).

## Operators

\`npm run operator-token -- mika view\` prints a token, once, and these lines. [operators.md](operators.md) says what each role may do.

    [[vars.OPERATORS]]
    name = "mika"
    role = "view"
    sha256 = "…"

| key | meaning |
|---|---|
| \`name\` | for the journal: 1 to 64 of letters, digits and \`.-_@\`; not \`operator\`, \`schedule\`, \`baton\`, \`house\` or \`system\`, which the journal uses itself |
| \`role\` | \`view\`, \`operate\`, \`own\`, or \`release\` for a machine of the shop |
| \`rooms\` | such as \`["onsale"]\`, at most 50; left out: all. A machine names some |
| \`ends_at\` | such as \`"2027-01-31T00:00:00+09:00"\`; left out: never. A machine has an end |
| \`email\` | the address at Access or the identity provider; beside \`sha256\`, or in its place |
| \`sha256\` | the SHA-256 of the token, in hexadecimal. A token of less than 32 characters opens nothing |

At most 20, and 30 in the house. A changed role holds from the deploy on; a removed operator is out with it, desk cookies included.

Two tables say who vouches for an \`email\`. \`[vars.ACCESS]\` (Cloudflare Access): \`issuer\`, the team's \`https://team.cloudflareaccess.com\`;
\`audience\`, the application's AUD tag; \`certs_url\`, by default the issuer's \`/cdn-cgi/access/certs\`. \`[vars.OIDC]\` (an OpenID provider):
\`issuer\`, \`client_id\`, and \`scopes\`, by default \`"openid email"\`.

## Secrets

Set with \`npx wrangler secret put NAME\`. Locally they are made at each start, or read from \`.dev.vars\`; \`npm start -- --origin URL\` keeps its
\`ORIGIN_SECRET\` in \`.baton/origin-secret\` and prints it for the shop.

| name | what it does |
|---|---|
| \`BATON_SECRET\` | signs visitors, tickets and passes; required, at least 32 bytes |
| \`BATON_SECRET_PREVIOUS\` | the one before, valid while you rotate |
| \`ORIGIN_SECRET\` | makes \`Baton-Proof\` for the origin; unset: no proof |
| \`BATON_ADMIN_TOKEN\` | lets operators do everything; without it and without operators no operator's address exists |
| \`TURNSTILE_SECRET\` | for rooms with \`turnstile = true\`, with the variable \`TURNSTILE_SITE_KEY\` |
| \`BYPASS_SECRET\` | lets your monitors in without waiting ([invitations.md](invitations.md#monitors)) |
| \`OIDC_CLIENT_SECRET\` | for the provider of \`[vars.OIDC]\`; unset where PKCE suffices |
| \`ENTRY_KEYS\` | the shop's keys for rooms with \`entry\`: a JSON list ([entry.md](entry.md)) |

Written by \`node scripts/docs.mjs\`; do not edit by hand.
`;
}

/** The codes as `src/gate/error.rs` lists them, one line each. */
function errors() {
  const source = readFileSync(inRoot("src", "gate", "error.rs"), "utf8");
  const list = source.slice(source.indexOf("\ncodes! {"));
  const rows = [...list.matchAll(/= "(\w+)", (\d{3}), "([^"]*)";/g)].map(([, code, status, message]) => `| \`${code}\` | ${status} | ${message} |`);
  if (rows.length === 0) throw new UserError("src/gate/error.rs: the list of codes was not found.");
  return `# Errors

What Baton answers when something is wrong: \`{"error": {"code", "message"}}\` with the status below. The codes are a closed list and part of the
contract; messages may change. \`room_unavailable\` and \`too_many_requests\` carry \`Retry-After\`. The waiting answer \`429\` is no error
([client.md](client.md#calls)).

| code | status | message |
|---|---|---|
${rows.join("\n")}

Written by \`node scripts/docs.mjs\`; do not edit by hand.
`;
}

/** The log's codes as `src/log.rs` lists them, the gravest first. */
function logs() {
  const source = readFileSync(inRoot("src", "log.rs"), "utf8");
  const list = source.slice(source.indexOf("\ncodes! {"));
  const codes = [...list.matchAll(/= "(\w+)", (\w+), "([^"]*)";/g)].map(([, code, level, message]) => ({ code, level: level.toLowerCase(), message }));
  if (codes.length === 0) throw new UserError("src/log.rs: the list of codes was not found.");
  const rows = ["error", "warn", "info"].flatMap((wanted) => codes.filter(({ level }) => level === wanted)).map(({ code, level, message }) => `| \`${code}\` | ${level} | ${message} |`);
  return `# Logs

Baton writes notable things to the console, one line of JSON each, at its level:

    {"level":"warn","code":"lobby_unreachable","part":"front","room":"onsale","lobby":3,"why":"no answer within 5000 ms","message":"…"}

| field | what it is |
|---|---|
| \`level\` | \`error\`: visitors notice, or something is lost. \`warn\`: Baton repeats it or does without; if frequent, look. \`info\`: somebody did something that may be asked about later |
| \`code\` | one of the closed list below, part of the contract |
| \`part\` | \`front\`, \`lobby\`, \`porter\`, \`room\`, \`house\`, \`outbox\`, or \`isolate\` for all |
| \`room\`, \`lobby\`, \`count\` | which, and how many, where it applies |
| \`by\` | the operator's name |
| \`why\` | details: an error, the key of a setting. At most 400 characters |
| \`message\` | the code's meaning, for people; may change |

No line has secrets, cookies, addresses, visitors' names or URLs. The runtime prints a panic's text and place beside these lines.

    npx wrangler tail --format json | jq -c '.logs[].message[] | fromjson? | select(.level == "error")'

In Workers Logs the fields are columns. wrangler.toml logs no requests (\`invocation_logs = false\`). Keep \`head_sampling_rate = 1\`: a lower rate drops
these lines. [Alerts](alerts/README.md) count besides.

| code | level | meaning |
|---|---|---|
${rows.join("\n")}

Written by \`node scripts/docs.mjs\`; do not edit by hand.
`;
}

async function main() {
  const files = { "docs/configuration.md": configuration(await reference()), "docs/errors.md": errors(), "docs/logs.md": logs(), "docs/limits.md": limitsPage(), "docs/promises.md": promisesPage() };
  const isOld = ([name, text]) => !existsSync(inRoot(name)) || readFileSync(inRoot(name), "utf8") !== text;
  const old = Object.entries(files).filter(isOld);
  const isCheck = process.argv.includes("--check");
  if (isCheck && old.length > 0) throw new UserError(`Out of date: ${old.map(([name]) => name).join(", ")}. Cure: npm run docs`);
  for (const [name, text] of old) writeFileSync(inRoot(name), text);
  const wrong = problems();
  if (wrong.length > 0) throw new UserError(`The docs are not true:\n${wrong.map((what) => `- ${what}`).join("\n")}`);
  if (!isCheck) console.log(old.length > 0 ? `docs: wrote ${old.map(([name]) => name).join(", ")}` : "docs: up to date");
}

await main().catch(fail);
