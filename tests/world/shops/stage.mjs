// One product behind one Baton, as its page says: the page's blocks are run and written in a folder of its own, with other ports and the secret of this run.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { freePort, serve as serveFor } from "../../kits/support/programs.mjs";
import { filesUnder, inRoot, output, run, toolEnv } from "../../../scripts/common.mjs";
import { startRuntime } from "../../../scripts/runtime.mjs";
import { once, withDebian } from "../install.mjs";
import { startWatcher } from "../watcher.mjs";
import { startMail } from "./mail.mjs";
import { instructionsOf } from "./page.mjs";

const SECRET = "c2VjcmV0cy1vZi10aGUtc2hvcHMtYW5kLW9mLW5vYm9keS1lbHNlLWF0LWFsbC1pbi1pdA==";
const OPERATOR = "operator-operator-operator-operator";
/** A block has a shell of its own; a reader's has the virtual environment active from then on. */
const ACTIVE = "if [ -f .venv/bin/activate ]; then . .venv/bin/activate; fi\n";
/** Nobody is late on a busy machine. */
const QUICK = { tick_ms: 200, claim_within_s: 60, linger_s: 300 };

/** Lays the kits beside the shop: pip builds where they lie. */
function copyKits(to) {
  rmSync(to, { recursive: true, force: true });
  for (const each of ["kits/python", "kits/pretix", "kits/node", "kits/vendure", "kits/indico", "tests/world/shops"])
    cpSync(inRoot(each), path.join(to, each), { recursive: true });
}

/** Resolves to the folder in which a shop was made by the first part of its page; `shop` in it is the shop, `made` what of it changes while it sells. */
async function made(product, { make, literal, ports }) {
  const example = filesUnder(inRoot("kits", product.name, "example")).map((file) => readFileSync(file, "utf8"));
  return once(`shop-${product.name}`, [make, product.kept, example], async (folder) => {
    console.log(`${product.name}: making the shop (some minutes)`);
    const shop = path.join(folder, "shop");
    mkdirSync(shop);
    copyKits(path.join(folder, "baton"));
    await follow(
      make.map((block) => literal(block, shop)),
      { shop, env: product.env?.({ shop, ports, mail: { port: 9 } }) },
    );
    await product.made?.({ shop, ports, sh: (text) => shell(text, { cwd: shop, env: product.env?.({ shop, ports, mail: { port: 9 } }) }) });
    mkdirSync(path.join(folder, "made"));
    for (const each of product.kept) cpSync(path.join(shop, each), path.join(folder, "made", each), { recursive: true });
  });
}

async function shell(script, { cwd, env }) {
  const { code, text } = await run("bash", ["-ec", `${ACTIVE}${script}`], { cwd, env: toolEnv(env), quiet: true });
  if (code !== 0) throw new Error(`${script.trim()}\n${text.trim().split("\n").slice(-8).join("\n")}`);
  return text;
}

/** Does what blocks say. */
async function follow(blocks, { shop, env }) {
  for (const { text, file } of blocks) {
    if (file) writeFileSync(path.join(shop, file), text);
    else await shell(text, { cwd: shop, env });
  }
}

/**
 * Opens a product's shop behind Baton, until `t` ends. Resolves to `{ url, shopUrl, mail, asked, rooms, steps, operate, secret, logs }`; `asked` is what Baton
 * asked of the shop, `operate(method, path, body)` an operator's call.
 */
export async function openShop(product, t) {
  await withDebian(product.debian);
  const { make, prepare, serve, rooms, steps } = instructionsOf(product.page);
  const ports = { baton: await freePort() };
  for (const name of Object.keys(product.ports)) ports[name] = await freePort();
  Object.assign(ports, await product.services?.(t));
  const swaps = [
    ["localhost:8787", `localhost:${ports.baton}`],
    ["the secret that Baton printed", SECRET],
    [/python3\.\d+(?=\/)/g, output("python3", ["-c", "import sys; print('python%d.%d' % sys.version_info[:2])"]).trim()],
    ...Object.entries(product.ports).map(([name, port]) => [new RegExp(`\\b${port}\\b`, "g"), `${ports[name]}`]),
  ];
  const literal = (block, shop) => ({
    ...block,
    text: [...swaps, ["/path/to", shop]].reduce((text, [from, to]) => text.replaceAll(from, to), block.text),
  });
  const folder = await made(product, { make, literal, ports });
  const shop = path.join(folder, "shop");
  const mail = await startMail();
  t.after(() => mail.stop());
  for (const each of product.kept) {
    rmSync(path.join(shop, each), { recursive: true, force: true });
    cpSync(path.join(folder, "made", each), path.join(shop, each), { recursive: true });
  }
  copyKits(path.join(folder, "baton"));
  await product.restore?.({ shop, ports, sh: (text) => shell(text, { cwd: shop, env: product.env?.({ shop, ports, mail }) }) });
  const env = { ...product.env?.({ shop, mail, ports }), BATON_MODE: "enforce" };
  const blocks = [...make.filter(({ file }) => file), ...prepare].map((block) => literal(block, shop));
  await follow(blocks, { shop, env });
  const watcher = await startWatcher(ports.front);
  t.after(() => watcher.stop());
  const baton = await startRuntime({
    port: ports.baton,
    vars: {
      ROOMS: Object.fromEntries(Object.entries(rooms).map(([name, room]) => [name, { ...room, ...QUICK }])),
      BATON_SECRET: SECRET,
      ORIGIN_SECRET: SECRET,
      ORIGIN: watcher.url,
      BATON_ADMIN_TOKEN: OPERATOR,
    },
  });
  t.after(() => baton.stop());
  const serveIt = (program, args, options) => serveFor(t, program, args, { cwd: shop, withinMs: 180_000, ...options });
  const script = literal({ text: serve }, shop).text.trimEnd().split("\n");
  const last = script.pop();
  await product.start?.({ shop, folder, ports, serve: serveIt, sh: (text) => shell([...script, text].join("\n"), { cwd: shop, env }), env });
  const server = await serveIt("bash", ["-ec", `${ACTIVE}${[...script, `exec ${last}`].join("\n")}`], { port: ports.inner ?? ports.front, env });
  // A shop takes its time over its first page.
  for (const at of product.open) await fetch(`http://localhost:${ports.baton}${at}`);
  return {
    url: `http://localhost:${ports.baton}`,
    shopUrl: `http://127.0.0.1:${ports.front}`,
    mail,
    asked: watcher.sent,
    rooms,
    steps,
    secret: SECRET,
    logs: () => `${server.logs()}\n${baton.logs()}`,
    shop,
    ports,
    operate: async (method, at, body) => {
      const answer = await fetch(`http://localhost:${ports.baton}/__baton/admin/${at}`, {
        method,
        headers: { authorization: `Bearer ${OPERATOR}` },
        body: body && JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`);
      return answer.status === 204 ? undefined : answer.json();
    },
  };
}
