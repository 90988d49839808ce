/* Answers a desk of the gallery: its page, and the API's calls as the situation has them. Nothing that is pressed changes anything. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { outlookOf } from "./desk_outlook.mjs";
import { SCREENS } from "./desk_screens.mjs";
import { SITUATIONS, hourOf, sheetsOf } from "./desk_states.mjs";

/** For each page that was loaded: how often it has asked for the rooms, and since when. */
const pages = [];

/** Answers a request. `send(code, type, body, headers)` sends; `path` is what follows `/desk/{situation}:{page}/`. */
export async function answerDesk({ situation: name, path: rest, statics, send }) {
  const [situation, page] = name.split(":");
  const state = SITUATIONS[situation] ?? SCREENS[situation];
  const json = (code, body) => send(code, "json", JSON.stringify(body));
  if (!state) return json(404, {});
  if (rest === "") {
    pages.push({ looks: 0, fromMs: Date.now() });
    const html = await readFile(path.join(statics, "desk.html"), "utf8");
    return send(200, "html", html.replace('data-base="/__baton/admin/"', `data-base="/desk/${situation}:${pages.length - 1}/"`));
  }
  if (rest === "rooms") return json(200, { operator: { name: "aiko", role: state.role ?? "operate", rooms: [] }, rooms: told(state, pages[page]) });
  const asked = state.asked?.[/^rooms\/([\w-]+)$/.exec(rest)?.[1]];
  if (asked) return json(200, flowing(asked(), pages[page]));
  if (rest.endsWith("/hour"))
    return json(200, { now_ms: Date.now(), samples: hourOf(state.hour ?? { waiting: (at) => 4_310 * (1.2 - 0.2 * at), inside: () => 200 }) });
  if (rest.endsWith("/sheets")) return json(200, { sheets: sheetsOf() });
  if (rest.endsWith("/outlook")) return json(200, outlookOf());
  if (rest.endsWith("/rehearsal") && state.rehearsal) return json(200, state.rehearsal());
  if (rest === "webhooks" && state.webhooks) return json(200, state.webhooks());
  if (rest === "house" && state.house?.()) return json(200, state.house());
  return json(404, { error: { code: "not_found", message: "The gallery has no such call." } });
}

/** Returns the rooms. Where the situation is about that, they are silent after the first look, or have just changed. */
function told(state, page) {
  const { looks } = page;
  page.looks++;
  return state.rooms().map((each) => {
    const room = each.report ? flowing(each, page) : each;
    if (state.silent && looks > 0) return { ...room, report: null, revision: null, settings: null, changed: null, undo: null };
    return state.changes && looks > 0 ? { ...room, revision: room.revision + 1 } : room;
  });
}

/** Returns a room as it is by now: while it calls, people join, go in and leave at a steady rate, so its totals rise. */
function flowing(room, { fromMs }) {
  const { report } = room;
  if (report.mode !== "open" || report.origin !== "well") return room;
  const people = Math.round((report.permits / 63) * ((Date.now() - fromMs) / 1_000));
  for (const key of ["joined", "claimed", "released", "called"]) report.totals[key] += people;
  return room;
}
