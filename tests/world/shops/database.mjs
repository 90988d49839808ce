// PostgreSQL of a shop: each run has a server of its own, and what a shop's page made is kept as a file in between.

import { must } from "../../../scripts/common.mjs";
import { startPostgres } from "../../kits/support/databases.mjs";

const url = ({ postgres }, name) => `postgres://baton@127.0.0.1:${postgres}/${name}`;

/** The commands that keep a database in the shop's folder, and bring it back. */
export const dumps = (name, ports) =>
  `mkdir -p kept && pg_dump --no-owner --clean --if-exists --dbname "${url(ports, name)}" --file kept/database.sql\n`;
export const restores = (name, ports) => `psql --quiet --set ON_ERROR_STOP=1 --dbname "${url(ports, name)}" --file kept/database.sql\n`;

/** Starts a server with an empty database. Resolves to the port. */
export async function emptyDatabase(t, name) {
  const { port, host, user } = await startPostgres(t);
  await must("createdb", ["--host", host, "--port", `${port}`, "--username", user, name], { quiet: true });
  return port;
}
