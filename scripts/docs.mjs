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

Everything an operator decides is in \`wrangler.toml\`: \`ORIGIN\` and one table \`[vars.ROOMS.name]\` for each room. A room's
name is 1 to 32 of \`a-z\`, \`0-9\` and \`-\`. \`npm start\` and \`npm run deploy\` check the file first and name everything that
is wrong, each with its cure; unknown keys are refused. A worker that runs with a bad configuration all the same answers
\`503 bad_config\` on gated paths.

\`ORIGIN\` is a URL, or a service binding of that name; without either the zone's own origin is asked. Several sites behind one
Baton have an origin each, by the host that visitors use; a host that is not named goes to the zone's own origin:

    [vars.ORIGIN]
    "tickets.example.com" = "https://shop.example.net"
    "booking.example.com" = "https://booking.example.net"

An origin behind a URL sees its own name in \`Host\`. With \`ORIGIN_HOST = "public"\` it sees the visitor's, so its links, checks and cookies are right
without being told. Cloudflare can do that only if both names are in the zone: for a site elsewhere add a CNAME record that points there, and name that,
without a port. Outside the zone Cloudflare ignores it without a word; \`npm run doctor\` looks. With \`self-host\` it goes with one \`ORIGIN\`.

\`ORIGIN_TIMEOUT_S\` (100; 1 to 600): an origin that has not begun to answer a GET or HEAD by then counts as down. People see the page for that and keep
the lease. Any other request has six times as long, sending included.

## A room

*live*: can be changed at once while people wait, at the desk or by \`PATCH\` ([operating.md](operating.md)); such a value wins
over the file's until it is cleared. *deploy*: is changed in the file and takes effect with a deploy, which nobody loses a place by.

${table}
Locally every key is a flag too, in kebab-case: \`npm start -- --permits 3 --claim-within-s 10 --no-walk-in\`.

### Paths

| pattern | what it gates |
|---|---|
| \`/buy\` | that path, with or without a slash at its end |
| \`/buy/*\`, \`/buy/**\` | it and everything below |
| \`/buy*\` | whatever begins so: \`/buy\`, \`/buyer/x\` |
| \`/events/*/checkout\` | any one segment where the \`*\` is; \`/events/*/\` is one segment and no more |
| \`POST /api/orders\` | that method alone: GET, POST, PUT, PATCH or DELETE in front of any pattern. HEAD counts as GET. A POST counts as every method but GET, and a method that is none of these as all of them, since many frameworks find another method in a header or a form |

Case, repeated slashes and escapes of ordinary characters make no difference. Where rooms overlap, the room wins that names the host; then the pattern
that is more particular at the first segment where they differ; then the one that names a method. What two origins could read as two rooms' is \`400\`.
Two rooms that could claim one request with equal right are refused before a start.

    npm run check-config -- --explain GET /events/7/checkout

says which room a request belongs to, and why no other. Without \`--explain\` it checks the file.

## The house

The [house](house.md) has rooms that come and go without a deploy. This file says where they may be:

    [vars.GROUNDS]
    paths = ["/events/*"]
    location = "apac"

${grounds}
Without \`GROUNDS\` there is no house. It needs a binding ([deploying.md](deploying.md#a-house-for-a-deployment-that-has-none)). Under \`npm start\` the
grounds are \`/*\` unless the file has some.

## Webhooks

\`[[vars.WEBHOOKS]]\`: who else is told what happens. \`name\` and \`url\` are required; \`rooms\`, \`kinds\` and \`operators\` choose.
[webhooks.md](webhooks.md) says what is sent, when, and how it is signed.

## Operators

The secret \`BATON_ADMIN_TOKEN\` is one token that may do everything. Who shares a room's care gives each their own instead:

    npm run operator-token -- mika view

prints a token, once, and the lines for \`wrangler.toml\`:

    [[vars.OPERATORS]]
    name = "mika"
    role = "view"
    sha256 = "…"

| key | meaning |
|---|---|
| \`name\` | stands in the journal beside what was changed: 1 to 64 of letters, digits and \`.-_@\`; not \`operator\`, \`schedule\`, \`baton\`, \`house\` or \`system\`, which the journal uses itself |
| \`role\` | \`view\` reads everything: rooms, journals, metrics. \`operate\` also changes rooms and releases. \`own\` also changes which rooms the house has and who may operate. \`release\` is for a machine of the shop: it gives leases back by their fence and does nothing else ([payments.md](payments.md)) |
| \`rooms\` | in which rooms, such as \`["onsale"]\`; left out: in all. At most 50. A machine names some |
| \`ends_at\` | until when, such as \`"2027-01-31T00:00:00+09:00"\`; left out: always. A machine has an end |
| \`email\` | the address by which Access or the identity provider knows this one ([operators.md](operators.md)); beside \`sha256\`, or in its place |
| \`sha256\` | the SHA-256 of the token, in hexadecimal. Plain, since the token is random and long; one of less than 32 characters opens nothing, whatever its hash |

Two tables say who vouches for an \`email\`. \`[vars.ACCESS]\` (Cloudflare Access): \`issuer\`, the team's \`https://team.cloudflareaccess.com\`;
\`audience\`, the application's AUD tag; \`certs_url\`, by default the issuer's \`/cdn-cgi/access/certs\`. \`[vars.OIDC]\` (an OpenID provider):
\`issuer\`, \`client_id\`, and \`scopes\`, by default \`"openid email"\`.

At most 20, and 30 in the house. Another role holds from the deploy on; who is removed is out with it, and so are their cookies at the
desk. [operators.md](operators.md) says what each role may do, and how people come in without a token.

## Secrets

Set with \`npx wrangler secret put NAME\`; locally they are made up at each start, or read from \`.dev.vars\`. The
\`ORIGIN_SECRET\` of \`npm start -- --origin URL\` is kept in \`.baton/origin-secret\` and printed, for the shop needs the same.

| name | what it does |
|---|---|
| \`BATON_SECRET\` | signs visitors, tickets and passes; required, at least 32 bytes |
| \`BATON_SECRET_PREVIOUS\` | the one before: what it signed stays valid while you rotate |
| \`ORIGIN_SECRET\` | makes \`Baton-Proof\`, by which the origin knows who came through; unset: no proof |
| \`BATON_ADMIN_TOKEN\` | opens everything for operators: rooms, journals, metrics, changes; unset, and no operators: none of it exists |
| \`TURNSTILE_SECRET\` | asks Turnstile about answers, for rooms with \`turnstile = true\`; goes with the variable \`TURNSTILE_SITE_KEY\` |
| \`BYPASS_SECRET\` | by which your monitors go in without waiting ([invitations.md](invitations.md)) |
| \`OIDC_CLIENT_SECRET\` | by which the provider of \`[vars.OIDC]\` knows Baton; unset where PKCE alone does |
| \`ENTRY_KEYS\` | the keys by which the shop signs who may come, for rooms with \`entry\`: a JSON list ([entry.md](entry.md)) |

Written by \`node scripts/docs.mjs\` from \`src/settings/schema.rs\` and \`src/facts/config.rs\`; do not edit by hand.
`;
}

/** The codes as `src/gate/error.rs` lists them, one line each. */
function errors() {
  const source = readFileSync(inRoot("src", "gate", "error.rs"), "utf8");
  const list = source.slice(source.indexOf("\ncodes! {"));
  const rows = [...list.matchAll(/= "(\w+)", (\d{3}), "([^"]*)";/g)].map(([, code, status, message]) => `| \`${code}\` | ${status} | ${message} |`);
  if (rows.length === 0) throw new UserError("src/gate/error.rs: the list of codes was not found.");
  return `# Errors

What Baton itself answers when something is wrong: \`{"error": {"code", "message"}}\`, with the status below. The codes are
a closed list and part of the contract; the messages are for people and may change. \`room_unavailable\` and
\`too_many_requests\` carry \`Retry-After\`.

Not an error: who asks a gated path for something other than a page and has to wait gets \`429\` with \`Retry-After\` and
\`{"state": "waiting", "room", "join", "retry_after_s"}\`.

| code | status | message |
|---|---|---|
${rows.join("\n")}

Written by \`node scripts/docs.mjs\` from \`src/gate/error.rs\`; do not edit by hand.
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

What is notable is one line of JSON on the console, at its level:

    {"level":"warn","code":"lobby_unreachable","part":"front","room":"onsale","lobby":3,"why":"no answer within 5000 ms","message":"…"}

| field | what it is |
|---|---|
| \`level\` | \`error\`: visitors notice, or something is lost. \`warn\`: it is repeated or done without; often, it deserves a look. \`info\`: somebody did something that will be asked about later |
| \`code\` | one of the list below, which is closed and part of the contract |
| \`part\` | \`front\`, \`lobby\`, \`porter\`, \`room\`, \`house\`, \`outbox\`, or \`isolate\` when all of them are concerned |
| \`room\`, \`lobby\` | which, where it is about one |
| \`count\` | how many, where something is counted |
| \`by\` | the operator's name |
| \`why\` | what else is known: an error of the platform's or of ours, the key of a setting. At most 400 characters |
| \`message\` | what the code means, for people; may change |

There are no secrets, cookies, addresses, names of visitors or URLs in it. The runtime prints a panic's text and place beside these lines.

    npx wrangler tail --format json | jq -c '.logs[].message[] | fromjson? | select(.level == "error")'

In Workers Logs the fields are columns. wrangler.toml logs no requests (\`invocation_logs = false\`) and samples nothing (\`head_sampling_rate = 1\`): a
rate would drop these lines. [Alerts](alerts/README.md) count besides.

| code | level | meaning |
|---|---|---|
${rows.join("\n")}

Written by \`node scripts/docs.mjs\` from \`src/log.rs\`; do not edit by hand.
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
