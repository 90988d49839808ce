// Indico, as docs/stacks/indico.md has it: PostgreSQL, Redis, gunicorn, Celery for its mails, the plugin.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { must, output } from "../../../scripts/common.mjs";
import { startRedis } from "../../kits/support/databases.mjs";
import { dumps, emptyDatabase, restores } from "./database.mjs";

/** Where pyenv keeps Pythons, its newest 3.12 is `python3.12`. Indico 3.3 asks for 3.12.2; with 3.12.1 it does the same. */
const PYTHON = { PYENV_VERSION: output("pyenv", ["latest", "3.12"]), PIP_IGNORE_REQUIRES_PYTHON: "1" };

const FORMS = { free: "Free ticket", paid: "Paid ticket" };

/** The address of a form on the list of forms; true if this is a form. */
const formOf = (title) => {
  if (document.readyState !== "complete") return undefined;
  if (document.querySelector("input[name=email]")) return true;
  return [...document.querySelectorAll("tr")].find((row) => row.innerText.includes(title))?.querySelector("a").href;
};

export const indico = {
  name: "indico",
  page: "docs/stacks/indico.md",
  debian: ["postgresql", "postgresql-contrib", "redis-server", "python3-venv", "libpq-dev"],
  ports: { front: "8345", postgres: "5432", redis: "6379" },
  kept: ["kept", "data"],
  env: ({ mail }) => ({
    INDICO_CONF_OVERRIDE: `{'SMTP_SERVER': ('127.0.0.1', ${mail.port})}`,
    // Indico's own word for "nobody looks a mail's domain up": here there is no name server.
    PYTEST_CURRENT_TEST: "shops",
    C_FORCE_ROOT: "1",
    ...PYTHON,
  }),
  async services(t) {
    const [postgres, { port: redis }] = await Promise.all([emptyDatabase(t, "indico"), startRedis(t)]);
    const say = `CREATE EXTENSION unaccent; CREATE EXTENSION pg_trgm;`;
    await must("psql", ["--quiet", "--dbname", `postgres://baton@127.0.0.1:${postgres}/indico`, "--command", say], { quiet: true });
    return { postgres, redis };
  },
  made: ({ sh, ports }) => sh(dumps("indico", ports)),
  restore: ({ sh, ports }) => sh(restores("indico", ports)),
  async start({ shop, ports, serve, sh, env }) {
    // "Administration, Plugins, Baton": an administrator's click.
    writeFileSync(path.join(shop, "name_event.py"), NAME_EVENT);
    await sh("python name_event.py");
    await serve("bash", ["-ec", `. .venv/bin/activate; INDICO_CONFIG=${shop}/indico.conf exec indico celery worker --pool solo`], {
      port: ports.redis,
      env,
    });
  },
  entrance: "/event/1/registrations/",
  goods: FORMS,
  isEntrance: () =>
    document.readyState === "complete" && [...document.querySelectorAll("a")].some(({ innerText }) => innerText.trim() === "Register"),
  async fill(person, goods) {
    const form = await person.until(formOf, FORMS[goods]);
    if (form !== true) await person.goto(form);
    await person.type("input[name=first_name]", "Some");
    await person.type("input[name=last_name]", "Body");
    await person.type("input[name=email]", `somebody-${++indico.people}@example.com`);
    await person.until(indico.isLast);
  },
  people: 0,
  /** Once Indico has looked at the address: what it says of it moves the button. */
  isLast: () => document.readyState === "complete" && document.body.innerText.includes("will not be associated with any Indico account"),
  order: (person) => person.click("button[type=submit]", "Register"),
  isReceipt: () =>
    document.readyState === "complete" && location.search.startsWith("?token=") && document.body.innerText.includes("Reference:") && location.href,
  mailed: /http:\S+\/registrations\/\d+\/\?token=[\w-]+/,
  /** The page begins anew, and its form is empty. */
  isBack: () => document.readyState === "complete" && document.querySelector("input[name=email]") !== null,
  crowd: 1,
  /** Indico has no page by another scheme than its BASE_URL's, and find-permits takes the visitors' for https. */
  scheme: "http",
  health: "/ping",
  open: ["/event/1/", "/event/1/registrations/participants", "/login/"],
  guarded: {
    method: "POST",
    path: "/event/1/registrations/1/",
    // Indico's word against forgery for whoever has no session yet, so that the plugin is what refuses.
    headers: { "content-type": "application/json", "x-csrf-token": "00000000-0000-0000-0000-000000000000" },
    body: "{}",
  },
  reserve: { path: "/event/1/registrations/1/", body: "email=a" },
};

const NAME_EVENT = `from indico.web.flask.app import make_app
with make_app().test_request_context():
    from indico.core.db import db
    from indico_baton import BatonPlugin
    BatonPlugin.settings.set("events", ["1"])
    db.session.commit()
`;
