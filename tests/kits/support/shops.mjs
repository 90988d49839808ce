// The test's shop in each framework, under each server. All have the same routes, those of story.mjs.

import { cpSync } from "node:fs";
import path from "node:path";
import { inRoot, must, toolEnv } from "../../../scripts/common.mjs";
import {
  express,
  folder,
  fpm,
  freePort,
  gunicorn,
  guzzle,
  HOST,
  illuminate,
  lacking,
  next,
  nginx,
  node,
  php,
  puma,
  python,
  rails,
  ruby,
  serve,
  shopFile,
  sqlite3,
  uvicorn,
} from "./programs.mjs";
import { fastcgiTo, proxyTo, startFpm, startNginx } from "./nginx.mjs";

const PYTHONPATH = [inRoot("kits", "python", "src"), shopFile()].join(path.delimiter);

/** Rails' own environment; no Bundler, which would look for a Gemfile. */
const RUBY = { RAILS_ENV: "production" };

let built;
/** Builds the Next shop with the kit as it is now, once in a run. Turbopack reads nothing outside the shop's folder. */
function buildNext() {
  built ??= (async () => {
    for (const part of ["package.json", "src"])
      cpSync(inRoot("kits", "node", part), shopFile("next", "node_modules", "baton-kit", part), { recursive: true });
    await must(node, [next, "build"], { cwd: shopFile("next"), env: toolEnv({ NEXT_TELEMETRY_DISABLED: "1" }), quiet: true });
  })();
  return built;
}

/** Creates the shop's tables before a server starts: each of gunicorn's workers loads the shop for itself. */
const migrated = (env) => must(python, [shopFile("django_shop.py"), "migrate"], { env: toolEnv(env), quiet: true });
/** As docs/stacks/django.md has it for gunicorn alone. */
const djangoUnderGunicorn = shop(
  { python, gunicorn },
  (port) => [gunicorn, ["--bind", `127.0.0.1:${port}`, "--workers", "2", "--threads", "8", "django_shop:application"]],
  { PYTHONPATH },
  migrated,
);

/** By name: `lacking()` says what is not there, `start(t, { secret, mode, port })` resolves to `{ port, logs }`, without nginx `stop` too. */
export const SHOPS = {
  "Django under runserver": shop({ python }, (port) => [python, [shopFile("django_shop.py"), "runserver", String(port)]], { PYTHONPATH }, migrated),
  "Django under uvicorn": shop(
    { python, uvicorn },
    (port) => [uvicorn, ["--port", String(port), "--lifespan", "off", "--no-proxy-headers", "django_shop:asgi"]],
    { PYTHONPATH },
    migrated,
  ),
  "Django under gunicorn": djangoUnderGunicorn,
  Express: shop({ express }, () => [node, ["--disable-warning=ExperimentalWarning", shopFile("express_shop.mjs")]]),
  "Next.js": shop(
    { next },
    (port) => [node, [next, "start", shopFile("next"), "--hostname", "127.0.0.1", "--port", String(port)]],
    { NODE_OPTIONS: "--disable-warning=ExperimentalWarning", NEXT_TELEMETRY_DISABLED: "1" },
    buildNext,
  ),
  "Rack under Puma": shop(
    { ruby, puma, sqlite3 },
    (port) => [puma, ["--bind", `tcp://127.0.0.1:${port}`, "--threads", "4", shopFile("rack_shop.ru")]],
    RUBY,
  ),
  "Rails under Puma": shop(
    { ruby, puma, rails },
    (port) => [puma, ["--bind", `tcp://127.0.0.1:${port}`, "--threads", "4", "--environment", "production", shopFile("rails_shop.ru")]],
    RUBY,
  ),
  "PSR-15 under php -S": shop({ php, guzzle }, (port) => [php, ["-S", `127.0.0.1:${port}`, shopFile("psr15_shop.php")]]),
  "Laravel's router under php -S": shop({ php, illuminate }, (port) => [php, ["-S", `127.0.0.1:${port}`, shopFile("laravel_shop.php")]]),
  "Django under gunicorn, behind nginx": behindNginx({ python, gunicorn, nginx }, async (t, settings) => {
    const inner = await djangoUnderGunicorn.start(t, settings);
    return { inner, lines: proxyTo(inner.port) };
  }),
  "PSR-15 under FPM, behind nginx": behindNginx({ fpm, guzzle, nginx }, async (t, settings) => {
    const inner = await startFpm(t, { port: await freePort(), env: environment(t, settings) });
    return { inner, lines: fastcgiTo(inner.port, shopFile("psr15_shop.php")) };
  }),
};

/** What a shop is told by its environment. */
const environment = (t, { secret, mode }) => ({
  ORIGIN_SECRET: secret,
  BATON_HOSTS: HOST,
  BATON_MODE: mode,
  SHOP_DATABASE: path.join(folder(t), "shop.sqlite3"),
});

/** A shop with nginx in front of it, which `startInner` starts; it resolves to `{ inner, lines }`, nginx's lines. */
function behindNginx(needed, startInner) {
  return {
    lacking: () => lacking(needed),
    start: async (t, settings) => {
      const { inner, lines } = await startInner(t, settings);
      const outer = await startNginx(t, { port: await freePort(), lines });
      return { port: outer.port, logs: () => inner.logs() + outer.logs() };
    },
  };
}

/** `command(port)` starts it in the environment `env`; `prepare` is called before, with the environment that it will have. */
function shop(needed, command, env, prepare = () => {}) {
  return {
    lacking: () => lacking(needed),
    start: async (t, { secret, mode, port: wanted }) => {
      const port = wanted ?? (await freePort());
      const settings = { ...env, ...environment(t, { secret, mode }), PORT: String(port) };
      await prepare(settings);
      const [program, args] = command(port);
      return serve(t, program, args, { port, env: settings });
    },
  };
}
