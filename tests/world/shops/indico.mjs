// Indico, as docs/stacks/indico.md has it: PostgreSQL, Redis, gunicorn, Celery for its mails, the plugin.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { must } from "../../../scripts/common.mjs";
import { startRedis } from "../../kits/support/databases.mjs";
import { dumps, emptyDatabase, restores } from "./database.mjs";

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
  env: ({ shop, mail }) => ({
    INDICO_CONF_OVERRIDE: `{'SMTP_SERVER': ('127.0.0.1', ${mail.port})}`,
    PYTHONPATH: path.join(shop, "offline"),
    C_FORCE_ROOT: "1",
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
    // No domain can be looked up here.
    mkdirSync(path.join(shop, "offline"), { recursive: true });
    writeFileSync(path.join(shop, "offline", "sitecustomize.py"), OFFLINE);
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
  isLast: () => document.readyState === "complete" && document.querySelector("input[name=email]")?.value.includes("@"),
  order: (person) => person.click("button[type=submit]", "Register"),
  isReceipt: () =>
    document.readyState === "complete" && location.search.startsWith("?token=") && document.body.innerText.includes("Some Body") && location.href,
  mailed: /http:\S+\/registrations\/\d+\/\?token=[\w-]+/,
  /** The page begins anew, and its form is empty. */
  isBack: () => document.readyState === "complete" && document.querySelector("input[name=email]") !== null,
  crowd: 1,
  health: "/ping",
  open: ["/event/1/", "/event/1/registrations/participants", "/login/"],
  guarded: { method: "POST", path: "/event/01/registrations/1/", headers: { "content-type": "application/json" }, body: "{}" },
  reserve: { path: "/event/1/registrations/1/", body: "email=a" },
};

const NAME_EVENT = `from indico.web.flask.app import make_app
with make_app().test_request_context():
    from indico.core.db import db
    from indico_baton import BatonPlugin
    BatonPlugin.settings.set("events", ["1"])
    db.session.commit()
`;

const OFFLINE = `try:
    import email_validator
    asked = email_validator.validate_email
    email_validator.validate_email = lambda *args, **others: asked(*args, **{**others, "check_deliverability": False})
except ImportError:
    pass
`;
