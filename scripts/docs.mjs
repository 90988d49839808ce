// Writes the parts of the docs that the code knows: docs/configuration.md (from the settings' schema), docs/errors.md and docs/logs.md (from
// the closed lists of error codes and log codes), docs/limits.md (from the limits' constants), docs/promises.md (from
// tests/promises.json), and what is made of the API's document (scripts/docs/api.mjs). Nobody edits these by hand. Then it says what is wrong with the other pages (scripts/docs/checks.mjs).
//
//   npm run docs                writes them
//   npm run docs -- --check     changes nothing; exit code 1 if one of them is out of date
//
// Either exits with 1 if a link leads nowhere, if a command, flag, file or test that the docs name does not exist, or if they are too long.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { checker } from "./build.mjs";
import { fail, inRoot, UserError } from "./common.mjs";
import { deskCalls, kept, withList } from "./docs/api.mjs";
import { problems } from "./docs/checks.mjs";
import { limitsPage } from "./docs/limits.mjs";
import { promisesPage } from "./docs/promises.mjs";

/** Resolves to the tables of all keys, as the schema prints them: those of a room, and those of the house's grounds. */
async function reference() {
  const [rooms, grounds] = (await checker()).reference().split("\n## The house\n\n");
  if (!grounds) throw new UserError("The schema's reference has lost its table of the house (tools/check).");
  return { rooms, grounds };
}

/** Long because it is the whole page, with two tables put in. */
function configuration({ rooms: table, grounds }) {
  return `# Configuration

All settings are in \`wrangler.toml\`: \`ORIGIN\`, and one table \`[vars.ROOMS.name]\` for each room. Its name has 1 to 32 of
\`a-z\`, \`0-9\` and \`-\`. \`npm start\` and \`npm run deploy\` name each fault with its cure. A worker with a bad
configuration answers \`503 bad_config\` on gated paths.

\`ORIGIN\` is a URL, or a service binding of that name; without either Baton asks the zone's own origin. Several sites behind one Baton each have an
origin, by the visitors' host; other hosts go to the zone's own origin:

    [vars.ORIGIN]
    "tickets.example.com" = "https://shop.example.net"
    "booking.example.com" = "https://booking.example.net"

An origin behind a URL sees its own name in \`Host\`; with \`ORIGIN_HOST = "public"\`, the visitor's. On Cloudflare both names must be in the zone, else
Cloudflare ignores this silently (\`npm run doctor\` looks): for a site elsewhere name a CNAME record of the zone that points there, without a port.

\`ORIGIN_TIMEOUT_S\` (100; 1 to 600): an origin that has not begun to answer a GET or HEAD by then counts as down. Other requests have six times as long,
sending included.

\`CLEAR_SITE_DATA\` (\`"keep"\`): a shop that signs out with \`Clear-Site-Data: "cookies"\` would take the visitor's place along. While a visitor has one,
Baton takes the cookies out of that header and expires each that the request showed; with \`"through"\` the header stays ([protocol.md](protocol.md)).

\`PASS_HEADERS\`, \`FRONT_HEADERS\` (\`[]\`; at most 64 names each): headers that go on to the shop although their
[names keep them back](protocol.md#what-a-client-cannot-send). \`PASS_HEADERS = ["api_key"]\` names those of the shop's own clients, which anybody may then send;
\`FRONT_HEADERS = ["X-Real-IP"]\` those that what stands in front of Baton sets on *every* request, over whatever a client sent.

## A room

*live*: you can change it at once, at the desk or by [\`PATCH\`](operating.md#with-curl); that value wins over the file's until you clear it. *deploy*: it
changes with a deploy, and nobody loses a place.

${table}
Every key is a flag of \`npm start\` too: \`npm start -- --permits 3 --no-walk-in\`.

### Paths

| pattern | what it gates |
|---|---|
| \`/buy\` | that path, with or without a slash at its end |
| \`/buy/*\`, \`/buy/**\` | it and everything below |
| \`/buy*\` | whatever begins so: \`/buy\`, \`/buyer/x\` |
| \`/events/*/checkout\` | any one segment for the \`*\` |
| \`POST /api/orders\` | that method alone: GET, POST, PUT, PATCH or DELETE. HEAD counts as GET, any other method as all of them. POST counts as all but GET, since a form can name another; and as GET where no room has it otherwise |

A method alone is a fence only where the shop looks at methods: a PHP script serves \`PUT /buy/x\` like \`GET /buy/x\`. And Rails, Laravel or Symfony take a POSTed form with \`_method=GET\` for
a GET: give a hook that \`bypass_paths\` names a path that is no page.

\`bypass_paths\` may name parameters: \`GET /event/*/registrations/*?token=*\`. Anybody can write one.

Case, repeated slashes and escapes of ordinary characters make no difference. A pattern may be in any script (\`/größe/*\`, \`/チケット/*\`). No room gates below \`/__baton/\`. Where rooms overlap, the room that names the host wins; then the pattern
that is more specific at the first different segment; then the one that names a method. Two equal claims are a fault.

    npm run check-config -- --explain GET /events/7/checkout      # which room, and why; without --explain: check the file

## The house

\`[vars.GROUNDS]\` says where the [house](house.md) may have rooms:

${grounds}
Without it there is no house; \`npm start\` takes \`/*\`.

## Webhooks

\`[[vars.WEBHOOKS]]\`: see [webhooks.md](webhooks.md).

## Operators

\`npm run operator-token -- mika view\` prints a token, once, and these lines:

    [[vars.OPERATORS]]
    name = "mika"
    role = "view"
    sha256 = "…"

| key | meaning |
|---|---|
| \`name\` | 1 to 64 letters, digits and \`.-_@\`; not \`operator\`, \`schedule\`, \`baton\`, \`house\` or \`system\`, and no two that differ by case alone, or by \`0\` for \`O\`, or \`1\` or \`I\` for \`l\` |
| \`role\` | \`view\`, \`operate\`, \`own\`, or \`release\` for a machine of the shop ([operators.md](operators.md)) |
| \`rooms\` | such as \`["onsale"]\`, at most 50; left out: all. A machine must name some |
| \`ends_at\` | such as \`"2027-01-31T00:00:00+09:00"\`; left out: never. A machine must have an end |
| \`email\` | the address at Access or the identity provider, beside \`sha256\` or in its place |
| \`sha256\` | the SHA-256 of the token, in hexadecimal. A token has 32 characters at least |

At most 20, and 30 in the house. A deploy puts a removed operator out, desk cookies included.

[operators.md](operators.md#without-a-token-cloudflare-access) shows \`[vars.ACCESS]\` and \`[vars.OIDC]\`, which vouch for an \`email\`. The one also takes
\`certs_url\` (else the issuer's \`/cdn-cgi/access/certs\`), the other \`scopes\` (else \`"openid email"\`).

## Secrets

\`npx wrangler secret put NAME\` sets them. \`npm start\` makes them, or reads \`.dev.vars\`.

| name | what it does |
|---|---|
| \`BATON_SECRET\` | signs visitors, tickets and passes; required, at least 32 bytes |
| \`BATON_SECRET_NEXT\`, \`BATON_SECRET_PREVIOUS\` | while you [change it](deploying.md#upgrade-and-roll-back) |
| \`ORIGIN_SECRET\` | makes \`Baton-Proof\` for the origin; unset: no proof |
| \`BATON_ADMIN_TOKEN\` | its holder may do everything |
| \`TURNSTILE_SECRET\` | for rooms with \`turnstile = true\`, with the variable \`TURNSTILE_SITE_KEY\` |
| \`BYPASS_SECRET\` | lets your monitors in without waiting ([invitations.md](invitations.md#monitors)) |
| \`OIDC_CLIENT_SECRET\` | for the provider of \`[vars.OIDC]\`; unset where PKCE suffices |
| \`ENTRY_KEYS\` | the shop's keys for rooms with \`entry\`: a JSON list ([entry.md](entry.md)) |

Written by \`npm run docs\`.
`;
}

/** Returns docs/errors.md, from the codes that `src/gate/error.rs` lists, one line each. */
function errors() {
  const source = readFileSync(inRoot("src", "gate", "error.rs"), "utf8");
  const list = source.slice(source.indexOf("\ncodes! {"));
  const rows = [...list.matchAll(/= "(\w+)", (\d{3}), "([^"]*)";/g)].map(([, code, status, message]) => `| \`${code}\` | ${status} | ${message} |`);
  if (rows.length === 0) throw new UserError("src/gate/error.rs: the list of codes was not found.");
  return `# Errors

When something is wrong Baton answers \`{"error": {"code", "message"}}\`. The codes are a closed list and part of the contract; messages may change.
\`room_unavailable\`, \`too_many_requests\` and \`line_full\` carry \`Retry-After\`. The waiting answer \`429\` is no error ([client.md](client.md#calls)).
A shop's 520 to 527 and 530, by which Cloudflare says that it got no answer, become \`origin_unreachable\`. \`400 invalid URI\` is workerd's own.

| code | status | message |
|---|---|---|
${rows.join("\n")}

Written by \`npm run docs\`.
`;
}

/** Returns docs/logs.md, from the codes that `src/facts/log.rs` lists, the gravest first. */
function logs() {
  const source = readFileSync(inRoot("src", "facts", "log.rs"), "utf8");
  const list = source.slice(source.indexOf("\ncodes! {"));
  const codes = [...list.matchAll(/= "(\w+)", (\w+), "([^"]*)";/g)].map(([, code, level, message]) => ({
    code,
    level: level.toLowerCase(),
    message,
  }));
  if (codes.length === 0) throw new UserError("src/facts/log.rs: the list of codes was not found.");
  const rowsOf = (wanted) => codes.filter(({ level }) => level === wanted).map(({ code, message }) => `| \`${code}\` | ${message} |`);
  const tables = ["error", "warn", "info"].map((level) => [`## \`${level}\``, "", "| code | meaning |", "|---|---|", ...rowsOf(level)].join("\n"));
  return `# Logs

Baton writes lines of JSON to the console:

    {"level":"warn","code":"lobby_unreachable","part":"front","room":"onsale","lobby":3,"why":"no answer within 5000 ms","message":"…"}

| field | what it is |
|---|---|
| \`level\` | \`error\`: visitors notice, or something is lost. \`warn\`: Baton repeats it or does without; if frequent, look |
| \`code\` | one of those below, part of the contract. \`message\` has its meaning, and may change |
| \`part\` | \`front\`, \`lobby\`, \`porter\`, \`room\`, \`house\`, \`outbox\`, or \`isolate\` for all |
| \`room\`, \`lobby\` | which |
| \`count\` | how many; of a step of the schedule its time, Unix ms; of a sheet its number |
| \`by\` | the operator's name |
| \`header\` | a header's name, as a client sent it: at most 64 characters |
| \`why\` | an error, the key of a setting, whose staff link: at most 400 characters |

No line has secrets, cookies, addresses, visitors' names or URLs. \`key_unknown\`, \`house_unreachable\`, \`bypass_refused\`, \`stock_refused\`, \`observed_only\` of a room and each reason of
\`identity_refused\` come once in ten seconds at most. 

    npx wrangler tail --format json | jq -c '.logs[].message[] | fromjson? | select(.level == "error")'

wrangler.toml logs no requests (\`invocation_logs = false\`). Keep \`head_sampling_rate = 1\`: a lower rate drops these lines.

${tables.join("\n\n")}

Written by \`npm run docs\`.
`;
}

async function main() {
  const document = JSON.parse((await checker()).openapi());
  const files = {
    "docs/openapi.json": kept(document),
    "docs/api.md": withList(readFileSync(inRoot("docs", "api.md"), "utf8"), document),
    "web/desk/endpoints.js": deskCalls(document),
    "docs/configuration.md": configuration(await reference()),
    "docs/errors.md": errors(),
    "docs/logs.md": logs(),
    "docs/limits.md": limitsPage(),
    "docs/promises.md": promisesPage(),
  };
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
