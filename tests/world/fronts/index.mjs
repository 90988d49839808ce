// `npm run check-world -- fronts`: each proxy in front of one Baton, as docs/fronts.md says, asked all questions at once.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "../../../scripts/build.mjs";
import { startRuntime } from "../../../scripts/runtime.mjs";
import { unpacked, withPython } from "../install.mjs";
import { certificates } from "../rooms.mjs";
import { chosen, writeTable } from "../table.mjs";
import { FRONTS } from "./fronts.mjs";
import { HEAD, isFine, rowOf } from "./judge.mjs";
import { HOST } from "./person.mjs";
import { askAll } from "./questions.mjs";
import { startShop } from "./shop.mjs";
import { PAGE, startFront } from "./start.mjs";

const ROOM = { permits: 0, tick_ms: 200, linger_s: 60, grace_s: 600, hosts: [HOST] };
/** The limit by address that the questions look for: five numbers at once. */
const CROWD = { joins_per_ip_per_minute: 1, ipv4_share: 1, tickets_per_ip_max: 0 };
const SECRET = "c2VjcmV0cy1vZi10aGUtd29ybGQtYW5kLW9mLW5vYm9keS1lbHNlLWF0LWFsbC1pbi1pdA==";

const roomsOf = (name) =>
  Object.fromEntries(
    [
      ["", {}],
      ["-poll", {}],
      ["-crowd", CROWD],
    ].map(([part, more]) => [`${name}${part}`, { ...ROOM, ...more, paths: [`/${name}${part}/*`] }]),
  );

/** Installs what a proxy needs. Resolves to `{ root, version }`, or throws. */
async function ready(name, { debian, pip }) {
  if (pip) return { root: await withPython(name, pip), version: Object.values(pip)[0] };
  const { folder, version } = await unpacked(name, debian);
  return { root: folder, version };
}

/** Starts a proxy, also with its cache if it has one, and asks. Resolves to question → what is wrong. */
async function asked(name, front, stage) {
  const start = (isCached) => startFront(front, { ...stage, dir: path.join(stage.folder, isCached ? `${name}-cached` : name), isCached });
  const plain = await start(false);
  const cached =
    front.cached &&
    (await start(true).catch(async (error) => {
      await plain.stop();
      throw error;
    }));
  try {
    return await askAll({ at: plain.at, cached: cached?.at, room: name, shop: stage.shop });
  } finally {
    if (process.env.BATON_TRACE) console.log(plain.said(), cached?.said());
    await Promise.all([plain, cached].map((each) => each?.stop()));
  }
}

/** Asks. Resolves to whether each proxy that could be had does what its section says. `docs` writes the table. */
export async function check({ names, docs }) {
  const fronts = chosen(FRONTS, names);
  if (!process.env.BATON_AS_BUILT) await build({});
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-fronts-"));
  chmodSync(folder, 0o755);
  const tls = await certificates(folder, HOST);
  for (const [file, text] of [
    ["tickets.crt", tls.cert],
    ["tickets.key", tls.key],
    ["tickets.pem", Buffer.concat([tls.cert, tls.key])],
  ])
    writeFileSync(path.join(folder, file), text);
  const shop = await startShop();
  const rooms = Object.assign({}, ...fronts.map(([name]) => roomsOf(name)));
  const stage = { folder, ssl: folder, ca: readFileSync(path.join(folder, "ca.pem")), shop };
  const runtimes = new Map();
  for (const addressHeader of new Set(fronts.map(([, front]) => front.addressHeader))) {
    runtimes.set(
      addressHeader,
      await startRuntime({ behindProxy: true, addressHeader, vars: { ROOMS: rooms, BATON_SECRET: SECRET, ORIGIN: shop.url } }),
    );
  }
  const leftOut = [],
    places = [];
  try {
    for (const [name, front] of fronts) {
      const place = await ready(name, front).catch((error) => void leftOut.push(`${front.name}: ${error.message.split("\n")[0]}`));
      if (place) places.push([name, front, place]);
    }
    const judged = await Promise.all(
      places.map(async ([name, front, { root, version }]) => {
        const told = await asked(name, front, { ...stage, root, baton: runtimes.get(front.addressHeader).port }).catch(
          (error) => void leftOut.push(`${front.name}: ${error.message}`),
        );
        return told && { row: rowOf({ ...front, version }, told), fine: isFine(front, told) };
      }),
    );
    const rows = judged.filter(Boolean).map(({ row }) => row);
    for (const row of rows) console.log(row.join(" | "));
    if (docs)
      writeTable(
        PAGE,
        "fronts",
        HEAD,
        rows,
        Object.values(FRONTS).map(({ name }) => name),
      );
    for (const each of leftOut) console.log(`left out: ${each}`);
    return judged.every((each) => each?.fine);
  } finally {
    await Promise.all([...runtimes.values()].map((runtime) => runtime.stop()));
    shop.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
