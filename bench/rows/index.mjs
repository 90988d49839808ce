// Every group of rows, in the order of the table. A group is `{ name, begin(stage) }`; `begin` resolves to `{ steps, rows(of), curve? }`. A step runs
// once a round and resolves to its figures by name; `of(step, figure)` is the median of the rounds; a row is
// `{ what, value, unit?, ceiling?, ceiling_of?, target? }`. A group that `isByName` runs only when it is named.

import { theBaton } from "./baton.mjs";
import { calls } from "./calls.mjs";
import { cold } from "./cold.mjs";
import { core } from "./core.mjs";
import { curve } from "./curve.mjs";
import { forwarding } from "./forwarding.mjs";
import { frames } from "./frames.mjs";
import { growth } from "./growth.mjs";
import { idle } from "./idle.mjs";
import { joins } from "./joins.mjs";
import { model } from "./model.mjs";
import { older } from "./older.mjs";
import { restart } from "./restart.mjs";
import { sizes } from "./sizes.mjs";
import { strangers } from "./strangers.mjs";

export const groups = [core, joins, calls, forwarding, strangers, theBaton, frames, restart, idle, curve, growth, cold, sizes, model, older];
