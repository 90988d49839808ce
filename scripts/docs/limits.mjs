// Writes docs/limits.md: what is bounded, and by which number, read from the source of each limit. A limit that is no longer
// found by its name is an error.

import { readFileSync } from "node:fs";
import { inRoot, UserError } from "../common.mjs";

/** By shelf: what is limited, the file, the constant, and what happens at the limit. */
const LIMITS = {
  "A room": [
    ["permits", "src/facts/limits.rs", "PERMITS_MAX", "refused"],
    ["tickets in line", "src/facts/limits.rs", "LINE_MAX", "the line is full"],
    ["entries of its halls", "src/facts/limits.rs", "HALL_MAX", "the hall is full"],
    ["lobbies, of 10,000 people each", "src/facts/limits.rs", "LOBBIES_MAX", "refused"],
    ["numbers of one edition", "src/facts/limits.rs", "NUMBERS_MAX", "the line is full"],
  ],
  "A lobby": [
    ["living tickets", "src/lobby/lib.rs", "TICKETS_MAX", "newcomers go to the next lobby"],
    ["sockets", "src/edge/sockets.rs", "SOCKETS_MAX", "the page polls"],
    ["sockets on one ticket", "src/edge/sockets.rs", "SOCKETS_PER_TICKET_MAX", "the oldest is closed"],
    ["long polls on one ticket", "src/lobby/lib.rs", "POLLS_PER_TICKET_MAX", "the oldest is answered"],
    ["frames a second", "src/lobby/frames.rs", "FRAMES_PER_S", "frames are rarer"],
    ["bytes of a socket's message", "src/edge/sockets.rs", "TEXT_BYTES_MAX", "the socket is closed"],
    ["messages of a socket in 10 s", "src/edge/sockets.rs", "MESSAGES_MAX", "the socket is closed"],
  ],
  "A deployment": [
    ["rooms in wrangler.toml", "src/settings/schema.rs", "ROOMS_MAX", "refused"],
    ["operators", "src/settings/operators.rs", "OPERATORS_MAX", "refused"],
    ["origins by host", "src/settings/origins.rs", "ORIGINS_MAX", "refused"],
    ["rooms of the house, archived included", "src/facts/limits.rs", "HOUSE_ROOMS_MAX", "refused"],
    ["names that it remembers", "src/facts/limits.rs", "HOUSE_NAMES_MAX", "refused"],
    ["bytes of one definition", "src/facts/limits.rs", "TABLE_BYTES_MAX", "`413` or `400`. Name logos by their path"],
    ["bytes of all definitions", "src/facts/limits.rs", "HOUSE_BYTES_MAX", "refused"],
    [
      "wrong operators' tokens of one address",
      "src/gate/guesses.rs",
      "GUESSES_MAX",
      "`429` for a minute; a right one is heard where no address is known",
    ],
    ["bytes of an entry token", "src/token/entry/jws.rs", "ENTRY_BYTES_MAX", "`malformed`"],
  ],
};

/**
 * Returns the number of `const name: … = …;` in this source: a whole number, a product, or a power of two less something.
 * Throws if it is none of these.
 */
export function constantOf(source, name, where) {
  const text = new RegExp(`const ${name}: \\w+ = ([^;]+);`).exec(source)?.[1].replaceAll("_", "") ?? "";
  if (/^\d+( \* \d+)*$/.test(text)) return text.split(" * ").reduce((product, factor) => product * Number(factor), 1);
  const power = /^\(?1 << (\d+)\)?(?: - (\d+))?$/.exec(text);
  if (power) return 2 ** Number(power[1]) - Number(power[2] ?? 0);
  throw new UserError(`${where} has no whole number ${name} any more. Cure: name the limit anew in scripts/docs/limits.mjs`);
}

function rowsOf(limits) {
  return limits.map(([what, file, name, then]) => {
    const value = constantOf(readFileSync(inRoot(file), "utf8"), name, file);
    return `| ${what} | [${value.toLocaleString("en")}](../${file}) | ${then} |`;
  });
}

/** Returns docs/limits.md. */
export function limitsPage() {
  const tables = Object.entries(LIMITS).map(([shelf, limits]) =>
    [`## ${shelf}`, "", "| what | at most | then |", "|---|---:|---|", ...rowsOf(limits)].join("\n"),
  );
  return `# Limits, and Cloudflare's plans

Each limit links to its arithmetic. [configuration.md](configuration.md) has the limits of single settings; [scale.md](scale.md) says what a growing
room reaches first.

## Cloudflare's plans

| | |
|---|---|
| the free plan | ends after 100,000 requests of the worker a day, or of its objects: no sale |
| the paid plan | what Baton is made for; [what it costs](cost.md) |
| an object | one thread, 128 MB (as an isolate), 10 GB of storage, 32,768 sockets; Cloudflare's guidance is 200 to 500 writes a second |
| a variable | 5 KB, so \`npm run deploy\` puts rooms into the code |

${tables.join("\n\n")}

## Shares of an address and of a visitor

By default an address may have 10 tickets, 6 numbers a minute and 20 walk-ins whose cookie has not come back, and a visitor 30 numbers a minute; five
numbers, or a tenth of a minute's worth, at once. Over it: \`429\` with \`Retry-After\`, for walk-ins the page.

- **An address** is \`CF-Connecting-IP\`, of IPv6 the first 64 bits. An IPv4 address may take \`ipv4_share\` times as much (20), since a carrier or an
  office may stand behind it; so may a /64 of Akamai's part of iCloud Private Relay, behind which a city is. Without the header Baton limits no
  address. Those that cannot be read (\`1.2.3.4:555\`, two addresses) count together as one, with \`address_unreadable\` in the [log](logs.md).
- **A network** of IPv6 is counted too, since whoever has one has all its addresses: a /56 may take 4 times as much as one address, a /48 twice as much
  as an IPv4 address. So one IPv4 address takes 200 places in line, a /48 400.
- **The address from which somebody joins pays**, wherever its cookie was given. Codes that give no place also count where it was given.
- **One address walks in** while it holds fewer than five leases, or \`walk_ins_per_ip_max_percent\` of the permits (5 %) if that is more; a /48 to
  twice as many. Every lease of its visitors counts, however they got it, and an IPv4 address has no multiple. Beyond that people take a number like
  everybody: nobody in line is passed over for an address, and no permit waits. A room of five permits has no such limit. The desk says when one
  address holds a fifth of the permits.
- **Places that are left alone shut out no neighbour.** Where an address or a network has all its places, the next who joins gets the share of a place
  whose holder never came back after joining, or has been away for five minutes; the longest away gives way first. A restarted lobby counts from its start.
- **The count is exact**, but the two rates start afresh when a lobby restarts, and after a new \`crowd\` or \`BATON_SECRET\` an address may have twice its
  share for a while.
- **A hundred addresses have a hundred shares**; [security.md](security.md#what-a-held-permit-costs) says what that costs. In \`tests/bots.rs\` 1,500 people beside 1,000 greedy clients and 100,000 requests
  without cookies wait 5 % longer than alone; without limits, 2.8 times.
- **Cloudflare's rate limit**, if bound as \`JOIN_LIMITER\`, is asked first. Each data centre counts by itself.

For visitors behind one proxy set the [limits](configuration.md#a-room) higher, or to 0.

Written by \`npm run docs\`.
`;
}
