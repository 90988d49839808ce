// Works out from wrangler.toml what a deploy sends, without sending anything, so that it can be checked, measured and tested.

import { UsageError, UserError } from "./common.mjs";

/** Cloudflare refuses a longer text binding ("Text binding too large"). */
export const VARIABLE_BYTES_MAX = 5 * 1024;
/** The limit of a paid plan; a free one takes 64. */
const VARIABLES_MAX = 128;
/** Rooms, operators and grounds are part of the code, which may have 10 MB compressed; a hundred rooms with logos are 0.9 MB. */
const SETTINGS_BYTES_MAX = 4 * 1024 * 1024;
const BUNDLED = ["ROOMS", "OPERATORS", "GROUNDS", "WEBHOOKS"];
/** The name under which these are measured. */
const BESIDE = "rooms, operators, grounds and webhooks";
/** Variables by which tests replace other services, on this machine alone. */
const FOR_TESTS = ["TURNSTILE_VERIFY_URL", "WEBHOOK_STAND_IN"];
const NO_GRADUAL = ["--percentage", "--version-id"];

const bytesOf = (value) => Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));

/**
 * Returns `{ config, settings, measured }`: the configuration for wrangler without what goes beside the code; what goes beside the code; and the size
 * in bytes of each variable and of that. `env` is wrangler's `--env`: then only the variables of that environment count, as for wrangler. Throws an
 * error that says everything that Cloudflare would refuse and that the operator would regret.
 * @param {import("./settings.mjs").Wrangler} wrangler
 * @param {{ env?: string }} [options]
 */
export function deployment(wrangler, { env } = {}) {
  const environment = env === undefined ? wrangler : wrangler.env?.[env];
  if (environment === undefined) throw new UsageError(`wrangler.toml has no [env.${env}]. Write that table, or leave --env out.`);
  const vars = environment.vars ?? {};
  /** @type {import("./settings.mjs").Vars} */
  const settings = Object.fromEntries(BUNDLED.filter((name) => vars[name] !== undefined).map((name) => [name, vars[name]]));
  const rest = Object.fromEntries(Object.entries(vars).filter(([name]) => !BUNDLED.includes(name)));
  const measured = Object.fromEntries([...Object.entries(rest), [BESIDE, settings]].map(([name, value]) => [name, bytesOf(value)]));
  const problems = [
    ...tooMuch(rest, measured),
    ...unchosen(settings.ROOMS ?? {}),
    ...forTests(rest),
    ...houseless(settings, environment, wrangler),
    ...porterless(settings.ROOMS ?? {}, environment, wrangler),
    ...unsent(settings.WEBHOOKS ?? [], environment, wrangler),
    ...unwise(wrangler),
  ];
  if (problems.length > 0)
    throw new UserError(`This configuration cannot be deployed. Nothing was sent:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  const { build: _, ...config } = wrangler;
  return { config: withVars(config, env, rest), settings, measured };
}

function withVars(config, env, vars) {
  if (env === undefined) return { ...config, vars };
  return { ...config, env: { ...config.env, [env]: { ...config.env[env], vars } } };
}

function* tooMuch(vars, measured) {
  for (const name of Object.keys(vars)) {
    if (measured[name] > VARIABLE_BYTES_MAX)
      yield `${name} has ${measured[name]} bytes; Cloudflare takes ${VARIABLE_BYTES_MAX} for a variable. Make it shorter.`;
  }
  const count = Object.keys(vars).length;
  if (count > VARIABLES_MAX) yield `There are ${count} variables; Cloudflare takes ${VARIABLES_MAX}.`;
  const bytes = measured[BESIDE];
  if (bytes > SETTINGS_BYTES_MAX)
    yield `Rooms, operators, grounds and webhooks have ${bytes} bytes together, ${SETTINGS_BYTES_MAX} is the limit: name logos by their path instead of writing them into page_logo.`;
}

function* unchosen(rooms) {
  for (const [name, { location }] of Object.entries(rooms)) {
    if (location === undefined)
      yield `ROOMS.${name}.location is not chosen. The first request decides for ever where a room's objects live: write the one that is near the buyers (wnam, enam, sam, weur, eeur, apac, oc, afr, me), or "auto" to leave it to whoever comes first.`;
  }
}

/** Yields what the house lacks: its object cannot be made, or would live wherever the first request comes from. Sessions of the desk need its class too. */
function* houseless(/** @type {import("./settings.mjs").Vars} */ { GROUNDS: grounds, OPERATORS: operators = [] }, environment, wrangler) {
  if (grounds === undefined) {
    if (operators.length > 0)
      yield* objectless(
        { of: "OPERATORS", object: "house to remember who signed out of the desk", binding: "HOUSE", className: "HouseObject" },
        environment,
        wrangler,
      );
    return;
  }
  if (grounds.location === undefined)
    yield `GROUNDS.location is not chosen. The first request decides for ever where the house's object lives: write the one that is near the buyers, or "auto" to leave it to whoever comes first.`;
  yield* objectless({ of: "GROUNDS", object: "house", binding: "HOUSE", className: "HouseObject" }, environment, wrangler);
}

/** Yields what webhooks lack: the outbox, or a host that is not a route of this worker. */
function* unsent(webhooks, environment, wrangler) {
  if (webhooks.length === 0) return;
  yield* objectless({ of: "WEBHOOKS", object: "outbox", binding: "OUTBOX", className: "OutboxObject" }, environment, wrangler);
  const own = sitesOf({ ...wrangler, ...environment }).map((site) => new URL(site).hostname);
  for (const { name, url } of webhooks) {
    if (URL.canParse(url) && own.includes(new URL(url).hostname))
      yield `The webhook ${name} goes to ${new URL(url).hostname}, which is a route of this worker: Baton would call itself. Give it another host.`;
  }
}

/** Yields a sentence if an object that something needs is not bound, and one if no migration makes it. */
function* objectless({ of, object, binding, className }, environment, wrangler) {
  const { durable_objects: objects, migrations } = { ...wrangler, ...environment };
  const isBound = objects?.bindings?.some(({ name, class_name }) => name === binding && class_name === className);
  if (!isBound) yield `${of} are there, but no ${object}: add [[durable_objects.bindings]] with name = "${binding}" and class_name = "${className}".`;
  const isMade = migrations?.some(({ new_sqlite_classes: classes = [] }) => classes.includes(className));
  if (!isMade)
    yield `${of} are there, but no migration makes the ${object}: add [[migrations]] with a new tag, such as "v2", and new_sqlite_classes = ["${className}"].`;
}

function* forTests(vars) {
  for (const name of FOR_TESTS.filter((each) => vars[each] !== undefined)) yield `${name} is for tests on this machine. Remove it.`;
}

/** The largest crowd whose room has no porters between lobbies and room: src/settings/schema.rs. */
const CROWD_WITHOUT_PORTERS = 40_000;

function* porterless(rooms, environment, wrangler) {
  const large = Object.entries(rooms).find(([, { crowd }]) => crowd > CROWD_WITHOUT_PORTERS);
  if (large === undefined) return;
  yield* objectless(
    { of: `ROOMS.${large[0]}.crowd is ${large[1].crowd}: lobbies beyond four`, object: "porter", binding: "PORTER", className: "PorterObject" },
    environment,
    wrangler,
  );
}

function* unwise(
  /** @type {import("./settings.mjs").Wrangler} */ {
    durable_objects: objects,
    workers_dev: isOnWorkersDev,
    preview_urls: hasPreviews,
    compatibility_flags: flags = [],
    assets,
    observability,
  },
) {
  if (objects?.code_update_strategy?.mode !== "immediate")
    yield `durable_objects.code_update_strategy is not "immediate": for five minutes old objects would answer new fronts, and then all sockets drop at once.`;
  if (isOnWorkersDev !== false) yield "workers_dev is not false: *.workers.dev would be a way around the line.";
  if (hasPreviews !== false) yield "preview_urls is not false: preview addresses would be a way around the line.";
  if (!flags.includes("no_web_socket_compression"))
    yield `compatibility_flags lacks "no_web_socket_compression": each socket would take three times the memory.`;
  const rates = [observability?.head_sampling_rate, observability?.logs?.head_sampling_rate].filter((rate) => rate !== undefined);
  if (observability?.enabled && Math.min(1, ...rates) < 1)
    yield `observability samples ${Math.min(...rates)} of the requests: Baton's own lines would be dropped with the others. Set head_sampling_rate = 1, and invocation_logs = false to leave the requests out.`;
  if (assets?.html_handling !== "none") yield `assets.html_handling is not "none": the page's templates would be answered with redirects.`;
}

/** Returns the environment that the arguments for wrangler name. Throws if one of them would run two versions side by side. */
export function checkArguments(args) {
  const gradual = args.find((arg) => NO_GRADUAL.includes(arg.split("=")[0]));
  if (gradual)
    throw new UsageError(
      `${gradual}: Baton does not deploy gradually: rooms and lobbies would run different versions for as long as it takes. Cure: npm run deploy, or npx wrangler rollback`,
    );
  const at = args.findIndex((arg) => arg === "--env" || arg === "-e");
  return { env: at >= 0 ? args[at + 1] : args.find((arg) => arg.startsWith("--env="))?.slice("--env=".length) };
}

/** Returns the sites that the routes stand for, such as `https://tickets.example.com`, from which the files of earlier builds are fetched. */
export function sitesOf({ route, routes = [] }) {
  const patterns = [route ?? [], routes].flat().map((each) => (typeof each === "string" ? each : each.pattern));
  const hosts = patterns.map((pattern) => pattern.replace(/^https?:\/\//, "").split("/")[0]).filter((host) => /^[\w.-]+$/.test(host));
  return [...new Set(hosts)].map((host) => `https://${host}`);
}
