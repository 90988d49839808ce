/* Writes who did what when, for people to read and as a table for other programs. Pure. */

import { csv } from "../csv.js";

const COLUMNS = ["at", "by", "room", "does", "what", "row"];

/** Returns the cells of an action that the API tells, in the order of `COLUMNS`. */
const cells = ({ at_ms: atMs, by, room, does, what, row }) => [new Date(atMs).toISOString(), by, room, does, JSON.stringify(what), row];

/** Returns actions as CSV, a line each, with a head. */
export const csvOf = (actions) => csv([COLUMNS, ...actions.map(cells)]);

/** Returns exactly what was done, in the API's own names: `permits 300, mode "paused"`. */
export const whatOf = (what) =>
  Object.entries(what)
    .map(([key, value]) => `${key} ${value === null ? "–" : JSON.stringify(value)}`)
    .join(", ");
