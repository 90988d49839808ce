// What a guest with a place of her own can try: takes one number, plays with her own cookies, and goes. If her turn comes
// while she is there she goes in, and tries the pass as well.

import { Visitor } from "../support/visitor.mjs";
import { isWaiting } from "./attempts.mjs";

const SCRIPT = { accept: "application/json" };
const CALL_WAIT_S = 10;
const FLIPS = 12;

/** A token with one bit turned. */
function flipped(token, bit) {
  const bytes = Buffer.from(token, "base64url");
  bytes[bit >> 3] ^= 1 << (bit & 7);
  return bytes.toString("base64url");
}

const bitsOf = (token) => {
  const all = Buffer.from(token, "base64url").length * 8;
  return Array.from({ length: FLIPS }, (_, i) => Math.floor((i * all) / FLIPS) + (i % 8));
};

/** A visitor whose requests go through the paced client. */
class Guest {
  constructor({ client, room, names }) {
    this.client = client;
    this.room = room;
    this.names = names;
    this.jar = new Visitor({ url: client.origin }).jar;
  }

  async call(name, { method = "POST", cookie = this.jar.header() } = {}) {
    const answer = await this.client.ask(`/__baton/${this.room}/${name}`, { method, headers: { ...SCRIPT, cookie } });
    return answer;
  }

  async own(name, method) {
    const answer = await this.call(name, { method });
    this.jar.take(answer.headers["set-cookie"]);
    return answer;
  }
}

export async function* guestAttempts(it) {
  const guest = new Guest(it);
  const { names } = it;
  await guest.own("status", "GET");
  const joined = await guest.own("join");
  if (![200, 201].includes(joined.status))
    return yield ["c01", "altered cookies of a guest", () => ({ skipped: `joining: ${joined.status} ${joined.json?.error?.code ?? ""}` })];
  try {
    yield* ticketAttempts(guest, it);
    const called = await turnOf(guest);
    if (called) yield* passAttempts(guest, it);
    else yield ["c01", "an altered pass", () => ({ skipped: `the turn did not come within ${CALL_WAIT_S} s` })];
  } finally {
    await guest.own("leave");
  }
  const left = await guest.call("status", { method: "GET", cookie: `${names.visitor}=${guest.jar.get(names.visitor)}` });
  yield [
    "c94",
    "a place after it was given up",
    () => ({ refused: !["waiting", "called", "admitted"].includes(left.json?.state), seen: `${left.status} ${left.json?.state}` }),
  ];
}

async function turnOf(guest) {
  const { json } = await guest.own(`status?wait_s=${CALL_WAIT_S}`, "GET");
  return ["called", "admitted"].includes(json?.state);
}

function* ticketAttempts(guest, { client, path, names }) {
  const [visitor, ticket] = [guest.jar.get(names.visitor), guest.jar.get(names.ticket)];
  const waits = async (cookie) => {
    const answer = await client.ask(path, { headers: { ...SCRIPT, cookie } });
    return { refused: isWaiting(answer), seen: `${answer.status} ${answer.json?.state ?? ""}` };
  };
  for (const [what, value] of [
    ["ticket", ticket],
    ["visitor's cookie", visitor],
  ])
    yield ["c03", `her ${what} as a pass`, () => waits(`${names.pass}=${value}`)];
  for (const bit of bitsOf(ticket)) {
    yield [
      "c01",
      `her ticket, bit ${bit} turned`,
      async () => {
        const { status } = await guest.call("status", {
          method: "GET",
          cookie: `${names.visitor}=${visitor}; ${names.ticket}=${flipped(ticket, bit)}`,
        });
        return { refused: status === 401, seen: String(status) };
      },
    ];
  }
  yield [
    "c125",
    "her name beside another's",
    async () => {
      const other = await guest.call("status", { method: "GET", cookie: "" });
      const set = (other.headers["set-cookie"] ?? []).find((line) => line.startsWith(`${names.visitor}=`));
      if (!set) return { skipped: "no other name was given" };
      const { json } = await guest.call("status", { method: "GET", cookie: `${names.visitor}=${visitor}; ${set.split(";")[0]}` });
      return { refused: json?.state !== "waiting" && json?.state !== "called", seen: String(json?.state ?? json?.error?.code) };
    },
  ];
  yield [
    "c63",
    "her ticket without her name",
    async () => {
      const { status, json } = await guest.call("claim", { cookie: `${names.ticket}=${ticket}` });
      return { refused: status === 403, seen: `${status} ${json?.error?.code ?? ""}` };
    },
  ];
  yield [
    "c96",
    "another number in the body",
    async () => {
      const answer = await client.ask(`/__baton/${guest.room}/join`, {
        method: "POST",
        headers: { ...SCRIPT, "content-type": "application/json", cookie: guest.jar.header() },
        body: '{"number":1,"ahead":0}',
      });
      const own = (await guest.call("status", { method: "GET" })).json?.number;
      return { refused: answer.json?.number === own, seen: `${answer.status} number ${answer.json?.number}` };
    },
  ];
}

async function* passAttempts(guest, { client, path, names, passTtlS }) {
  const claimed = await guest.own("claim");
  const pass = guest.jar.get(names.pass);
  if (claimed.status !== 200 || !pass) return yield ["c01", "an altered pass", () => ({ skipped: `claiming: ${claimed.status}` })];
  const shown = async (value) => client.ask(path, { headers: { ...SCRIPT, cookie: `${names.pass}=${value}` } });
  const waits = async (value) => {
    const answer = await shown(value);
    return { refused: isWaiting(answer), seen: `${answer.status} ${answer.json?.state ?? ""}` };
  };
  for (const bit of bitsOf(pass)) yield ["c01", `her pass, bit ${bit} turned`, () => waits(flipped(pass, bit))];
  yield ["c02", "her pass, cut", () => waits(pass.slice(0, -4))];
  yield ["c06", "her pass, padded", () => waits(`${pass}=`)];
  yield [
    "c124",
    "her pass alone, for her name",
    async () => {
      const { headers } = await client.ask(`/__baton/${guest.room}/status`, { headers: { ...SCRIPT, cookie: `${names.pass}=${pass}` } });
      const set = String(headers["set-cookie"] ?? "");
      return { refused: !set.includes(`${names.visitor}=`) && !set.includes(`${names.ticket}=`), seen: set.split("=")[0] || "no cookie" };
    },
  ];
  yield [
    "c65",
    "her pass under another name",
    async () => {
      const answer = await client.ask(path, { headers: { ...SCRIPT, cookie: `${names.pass.toUpperCase()}=${pass}` } });
      return { refused: isWaiting(answer), seen: `${answer.status}` };
    },
  ];
  await guest.own("leave");
  const leftAtMs = Date.now();
  yield [
    "c09",
    "her pass, once she has left",
    async () => {
      const limitMs = (passTtlS + 5) * 1_000;
      for (;;) {
        const refused = isWaiting(await shown(pass));
        const afterMs = Date.now() - leftAtMs;
        if (refused || afterMs > limitMs) return { refused, seen: `${refused ? "refused" : "let in"} after ${(afterMs / 1_000).toFixed(1)} s` };
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    },
  ];
}
