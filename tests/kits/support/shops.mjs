// The test's shop in each framework, under each server. All have the same routes, those of story.mjs.

import path from "node:path";
import { inRoot } from "../../../scripts/common.mjs";
import { express, folder, freePort, gunicorn, HOST, lacking, node, php, puma, python, ruby, serve, shopFile, uvicorn } from "./programs.mjs";

const PYTHONPATH = [inRoot("kits", "python", "src"), shopFile()].join(path.delimiter);

/** By name: `lacking()` says what is not there, `start(t, { secret, mode })` resolves to `{ port, logs }`. */
export const SHOPS = {
  "Django under runserver": shop({ python }, (port) => [python, [shopFile("django_shop.py"), "runserver", String(port)]], { PYTHONPATH }),
  "Django under gunicorn": shop({ python, gunicorn }, (port) => [gunicorn, ["--bind", `127.0.0.1:${port}`, "--workers", "2", "django_shop:application"]], { PYTHONPATH }),
  "Django under uvicorn": shop({ python, uvicorn }, (port) => [uvicorn, ["--port", String(port), "--lifespan", "off", "--no-proxy-headers", "django_shop:asgi"]], { PYTHONPATH }),
};

function shop(needed, command, env) {
  return {
    lacking: () => lacking(needed),
    start: async (t, { secret, mode }) => {
      const port = await freePort();
      const [program, args] = command(port);
      const settings = { ORIGIN_SECRET: secret, BATON_HOSTS: HOST, BATON_MODE: mode, PORT: String(port), SHOP_DATABASE: path.join(folder(t), "shop.sqlite3") };
      return serve(t, program, args, { port, env: { ...env, ...settings } });
    },
  };
}
