// The house of the scripted sale: the file that its owner writes and applies, when the room changes by itself, and who may operate it. The owner uses
// `npm run house` and `npm run report`, as on a live site.

import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot, run, toolEnv, UserError } from "../common.mjs";
import { callsAt } from "../house/calls.mjs";
import { until } from "./until.mjs";

export const ROOM = "onsale";
/** A room of the variables, in which the sale's operator may do nothing. */
export const OTHER = "lounge";
export const [OWNER, OPERATOR] = ["mika@tickets", "noor@tickets"];
/** What `wrangler.toml` would say of rooms: where the house may put some, and one of its own. */
export const TERRITORY = { GROUNDS: { paths: ["/buy/*"] }, ROOMS: { [OTHER]: { paths: ["/lounge/*"], permits: 1 } } };
export const BRAND = {
  page_title: "Spring Tour",
  page_colours: { light: { accent: "#c2410c", ground: "#fff7ed", ink: "#431407" }, dark: { accent: "#fb923c" } },
};

/** A minute of this sale stands for several of a real one. */
const SETTINGS = {
  paths: ["/buy/*"],
  permits: 40,
  tick_ms: 200,
  hall_s: 3_600,
  claim_within_s: 10,
  linger_s: 30,
  grace_s: 600,
  lease_idle_s: 60,
  lease_max_s: 300,
};
/** A front knows a change of the house within 5 s; a busy machine takes longer to ask. */
const KNOWN_WITHIN_MS = 15_000;

/** Returns what the room does by itself, and when. The opening is none of these steps: the hours say it. */
export function scheduleOf({ opensAtMs, endsAtMs }) {
  const at = (ms) => new Date(ms).toISOString();
  return [
    { at: at(opensAtMs + 6_000), set: { permits: { to: 80, over_s: 8 } } },
    { at: at(opensAtMs + 30_000), set: { permits: 60 } },
    { at: at(endsAtMs), set: { mode: "sold_out" } },
  ];
}

/** Returns the file that the owner applies: the room with its hours and its schedule, and what its page shows. */
export function houseFile({ people, opensAtMs, schedule }) {
  const room = { ...SETTINGS, crowd: people, opens_at: new Date(opensAtMs).toISOString(), schedule };
  return { rooms: { [ROOM]: room }, brands: { [ROOM]: BRAND } };
}

/** Makes an operator: `{ name, token, table }`; the table is what the file or the house keeps. */
export function operatorOf(name, role, rooms) {
  const token = randomBytes(32).toString("base64url");
  const sha256 = createHash("sha256").update(token).digest("hex");
  return { name, token, table: { role, sha256, ...(rooms && { rooms }) } };
}

/** Runs one of our commands as this operator. Resolves to what it printed. */
export async function commandAs({ token }, script, ...args) {
  const env = toolEnv({ BATON_PREPARED: "1", BATON_ADMIN_TOKEN: token });
  const { code, text } = await run(process.execPath, [inRoot("scripts", script), ...args], { capture: true, quiet: true, env });
  if (code !== 0)
    throw new UserError(
      `node scripts/${script} ${args.join(" ")} ended with ${code}: ${text.trim()}\n  cure: run it again after what it says is mended`,
    );
  return text;
}

/** Plans and applies the file, and lets the operator in. Resolves when the site shows all of it. */
export async function makeRoom({ url, owner, operator, file, folder }) {
  const name = path.join(folder, "rooms.json");
  writeFileSync(name, `${JSON.stringify(file, null, 2)}\n`);
  const plan = await commandAs(owner, "house.mjs", "plan", name, "--url", url);
  await commandAs(owner, "house.mjs", "apply", name, "--yes", "--url", url);
  const call = callsAt({ url: new URL(url), token: owner.token });
  await call(`house/operators/${operator.name}`, { method: "PUT", body: operator.table });
  const asked = { where: url, withinMs: KNOWN_WITHIN_MS, cure: "see whether the machine is busy, and try again" };
  await until(() => isIn(url, operator), { ...asked, what: `that ${operator.name} may operate` });
  await until(() => isBranded(url), { ...asked, what: `the page of ${ROOM} with its brand` });
  return { plan, house: await call("house") };
}

const isIn = async (url, { token }) =>
  (await fetch(new URL("/__baton/admin/rooms", url), { headers: { authorization: `Bearer ${token}` } })).status === 200;

/** Asks as a browser does, but keeps no cookie, so that nobody takes a place. */
async function isBranded(url) {
  const answer = await fetch(new URL("/buy/", url), { headers: { accept: "text/html", "sec-fetch-dest": "document" } });
  const { title, accent } = brandOf(await answer.text());
  return title === BRAND.page_title && accent === BRAND.page_colours.light.accent;
}

/** Returns what a waiting page shows of the brand: `{ title, accent }`. */
export function brandOf(html) {
  const [, title] = /<header>[^]*?<p>([^<]*)</.exec(html) ?? [];
  const [, accent] = /<style>[^<]*?--accent:(#[0-9a-f]{6})/.exec(html) ?? [];
  return { title, accent };
}

/** Resolves to who did what, the oldest first: in the house and the rooms of the file, and in the room. */
export async function whoDidWhat(owner, url) {
  const pages = await Promise.all([[], ["--room", ROOM]].map((flags) => commandAs(owner, "house.mjs", "actions", "--url", url, ...flags)));
  return pages
    .flatMap((text) =>
      text
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    )
    .sort((a, b) => a.at_ms - b.at_ms || a.row - b.row);
}
