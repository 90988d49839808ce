/* The desk: asks for the rooms each second while somebody looks, shows them, and carries out what is chosen. Control flow is here; room.js
 * has what a room looks like, situation.js and sentence.js what is said of it, words.en.json and words.ja.json the words. */

import { offered } from "./actions.js";
import * as api from "./api.js";
import { confirmed } from "./ask.js";
import { createBrand } from "./brand.js";
import { filled } from "./filled.js";
import { CALLS, followsOfAll } from "./follows.js";
import { createHistory } from "./history.js";
import { createHouse } from "./house.js";
import { listen, showKeys, showWords } from "./keys.js";
import { createOperators } from "./operators.js";
import { createOverview } from "./overview.js";
import { createRoom } from "./room.js";
import { createWebhooks } from "./webhooks.js";
import { fillWords, language, words } from "./words.js";
import { write } from "./written.js";

const EVERY_MS = 1_000;
/** Baton gives a room five seconds to answer. A look that takes longer than that has no answer yet: until it comes, nothing here is live. */
const LATE_MS = 6_000;
/** So long the line of news says what was done; then it says again that the figures are live. */
const NEWS_MS = 30_000;
/** A longer line of news has a row of its own below the title, so that it stays low on a phone. */
const LONG = 40;
/** The desk asks this often whether a closed room has a rehearsal going on. */
const REHEARSAL_MS = 15_000;
/** For this long, one button resumes all rooms that "pause all" paused. */
const UNDO_MS = 120_000;
const [news, who, door, menu, list, overview, house, history, brand, operators, webhooks] = [
  "news",
  "who",
  "sign-in",
  "menu",
  "rooms",
  "overview",
  "house",
  "history",
  "brand",
  "operators",
  "webhooks",
].map((id) => document.getElementById(id));
const title = document.querySelector("h1");
const rooms = new Map();
/** Who is signed in: `{ name, role, rooms }`. */
let self = { name: "", role: "view", rooms: [] };
let mayChange = false;
let mayOwn = false;
let timer;
let asking = false;
let saidMs = 0;
let heardMs = Infinity;
let askedRehearsals = 0;
/** What "pause all" paused, so that it can be undone. */
let paused = { atMs: 0, rooms: [] };

document.documentElement.lang = language;
document.querySelector("#by-provider a").href = api.PROVIDER;
fillWords(document);
Object.assign(document.getElementById("language"), { href: `?lang=${words.other_tag}${location.hash}`, lang: words.other_tag });

/** Shows a text if it is new: a line that repeats itself each second would be noise to a screen reader. */
function say(text) {
  saidMs = Date.now();
  if (news.textContent === text) return;
  news.textContent = text;
  news.classList.toggle("long", text.length > LONG);
}

/** Says why the figures are the last ones. */
function sayStale(text) {
  say(text);
  document.body.classList.add("stale");
}

/** Shows the form to sign in, or the rooms. */
function show(signedIn) {
  door.hidden = signedIn;
  menu.hidden = list.hidden = !signedIn;
  if (signedIn) return;
  clearTimeout(timer);
  for (const part of [overview, house, history, brand, operators, webhooks]) part.hidden = true;
  for (const { leave, forget } of Object.values(screens)) [leave, forget].forEach((end) => end?.());
  list.replaceChildren();
  rooms.clear();
}

async function look() {
  clearTimeout(timer);
  if (document.hidden || asking) return;
  asking = true;
  // The page was hidden, or its machine asleep: until Baton answers, these are the figures of that time.
  if (Date.now() - heardMs > LATE_MS && news.textContent !== words.unreachable) sayStale(words.asking);
  const late = setTimeout(sayStale, LATE_MS, words.unreachable);
  try {
    const [told, open] = await Promise.all([api.rooms(), askOpen()]);
    take(told, open);
    if (list.hidden) show(true);
    if (location.hash.startsWith("#sign-in=")) window.history.replaceState(null, "", location.pathname + location.search);
    route();
    heardMs = Date.now();
    if (["", words.asking, words.unreachable, words.fault].includes(news.textContent) || Date.now() - saidMs >= NEWS_MS) say(words.live);
    document.body.classList.remove("stale");
  } catch (error) {
    if ([401, 404].includes(error.status)) return turnAway(error.status);
    // A mistake of this page's ends no poll: the next look may go well, and until then nothing says that this is live.
    const isOurs = !(error instanceof api.Refused);
    if (isOurs) console.error(error);
    sayStale(isOurs ? words.fault : words.unreachable);
  } finally {
    clearTimeout(late);
    asking = false;
  }
  timer = setTimeout(look, EVERY_MS);
}

/** Shows the form to sign in again: nobody is signed in (401), or there is nobody to sign in as (404). */
async function turnAway(status) {
  const why = new URLSearchParams(location.hash.slice(1)).get("sign-in");
  say(status === 401 ? (words.doors[why] ?? words.ended) : words.no_desk);
  show(false);
  const ways = await doors();
  for (const [id, is] of [
    ["by-token", ways.token],
    ["by-provider", ways.oidc],
    ["by-access", ways.access],
  ])
    document.getElementById(id).hidden = !is;
  if (status === 401 && document.activeElement === document.body) document.querySelector(ways.oidc ? "#by-provider a" : "#token").focus();
}

/** Resolves to the ways to sign in here; to a token alone if they cannot be learnt. */
const doors = () => api.ways().catch(() => ({ token: true, access: false, oidc: false }));

const desk = {
  api,
  say,
  why: (error) => why(error),
  change,
  undo,
  release,
  reset,
  story,
  hour,
  outlook: api.outlook,
  journal,
  mayChange: () => mayChange,
};

/**
 * Asks the room on the screen itself if it is one of the house, since of those a list tells only what they last said. Resolves to the room, with
 * `report` null if it does not answer, or to null if it is not to be asked.
 */
async function askOpen() {
  const { room } = list.hidden ? {} : chosen();
  if (!room?.isOfHouse()) return null;
  const silent = { room: room.name, of_house: true, report: null };
  const told = await api.room(room.name).catch(({ status }) => (status === 503 ? silent : null));
  return told && { ...told, isAsked: true };
}

/** Shows what the API tells of the rooms; `open` is what the room on the screen says itself, if it was asked. */
function take({ operator, rooms: told }, open) {
  mayChange = ["operate", "own"].includes(operator.role);
  mayOwn = operator.role === "own";
  self = operator;
  who.textContent = mayChange ? operator.name : `${operator.name}: ${words.looking}`;
  const nowMs = Date.now();
  for (const one of told) {
    if (!rooms.has(one.room)) {
      const room = createRoom(one.room, desk);
      room.element.hidden = true;
      rooms.set(one.room, room);
      list.append(room.element);
    }
    takeRoom(rooms.get(one.room), one.room === open?.room ? { ...one, ...open, as_of_ms: undefined } : one, nowMs);
  }
  for (const [name, room] of rooms) {
    if (told.some((one) => one.room === name)) continue;
    room.element.remove();
    rooms.delete(name);
  }
  if (nowMs - askedRehearsals >= REHEARSAL_MS) {
    askedRehearsals = nowMs;
    for (const { room, report } of told)
      if (report?.mode === "closed") lookAtRehearsal(room);
      else rooms.get(room).rehearses(null);
  }
}

/** Shows one room. An error in one stops nothing else. */
function takeRoom(room, told, nowMs) {
  try {
    room.take(told, nowMs);
  } catch (error) {
    console.error(error);
    room.fail();
  }
}

/** Looks whether a room has a rehearsal going on: the stage is open, and somebody is there. */
async function lookAtRehearsal(room) {
  const told = await api.rehearsal(room).catch(() => null);
  const report = told?.report;
  rooms.get(room)?.rehearses(report?.mode === "open" && report.waiting + report.inside > 0 ? report : null);
}

/** Returns what the address asks for: a room, its brand, a screen of all rooms, or all rooms. A single room needs no list. */
function chosen() {
  const hash = location.hash.slice(1);
  if (screens[hash]) return { screen: hash };
  const [kind, name] = hash.split("/");
  if (kind === "brand" && rooms.has(name)) return { brand: name };
  if (kind === "room" && rooms.has(name)) return { room: rooms.get(name) };
  return rooms.size === 1 ? { room: [...rooms.values()][0] } : {};
}

const showOverview = createOverview(overview);

function route() {
  if (list.hidden) return;
  const { room, screen: at, brand: branded } = chosen();
  for (const one of rooms.values()) if (one.element.hidden !== (one !== room)) one.show(one === room);
  overview.hidden = Boolean(room || at || branded);
  const back = document.getElementById("back");
  back.hidden = !(at || branded || (room && rooms.size > 1));
  const [to, text] = screens[at]?.isOfHouse ? ["#house", words.back_to_house] : ["#", words.all_rooms];
  if (back.textContent !== text) Object.assign(back, { href: to, textContent: text });
  // The way back takes the place of the title, which is still there for whoever goes by headings.
  title.classList.toggle("spoken", !back.hidden);
  title.firstElementChild.tabIndex = back.hidden ? 0 : -1;
  for (const [name, { place, look: lookAt, leave }] of Object.entries(screens)) {
    if (place.hidden !== (name === at)) continue;
    place.hidden = name !== at;
    if (name === at) lookAt();
    else leave?.();
  }
  if (brand.dataset.room !== branded) {
    brand.hidden = !branded;
    if (branded) brand.dataset.room = branded;
    else delete brand.dataset.room;
    if (branded) branding.open(branded);
  }
  if (overview.hidden) return;
  const isFresh = Date.now() - paused.atMs < UNDO_MS;
  showOverview(
    [...rooms.values()].map((one) => one.glance()),
    { mayChange, callable: callable().length, undo: isFresh ? paused.rooms.length : 0 },
  );
}

const callable = () => [...rooms.values()].map((room) => room.told()).filter((told) => told && CALLS.includes(told.report.mode));

/** Asks, changes the room, and says so. Resolves to the room as it is then, or to null if nothing was changed. */
async function change(room, values, revision, { asked, question, consequence, yes, done }) {
  if (!asked && !(await confirmed(question, consequence, yes))) return null;
  return attempted(
    room,
    () => api.change(room, values, revision),
    () => done,
  );
}

function undo(room, revision, done) {
  return attempted(
    room,
    () => api.undo(room, revision),
    () => done,
  );
}

/** Makes a call and says what came of it: `done(told)` if it was done. If somebody else was faster, the knobs show what is there now. */
async function attempted(room, call, done) {
  try {
    const told = await call();
    say(done(told));
    return told;
  } catch (error) {
    if (error.status === 412) rooms.get(room)?.forget();
    say(why(error));
    look();
    return null;
  }
}

/** Returns what went wrong, in words for the operator. */
const why = ({ status, message }) => (status === 412 ? words.conflict : status === 0 ? words.unreachable : message);

/** Pauses every room that calls people, if it is as it was seen. What somebody changed in the meantime is left alone, and the desk says so. */
async function pauseAll() {
  const all = callable();
  if (!mayChange || all.length === 0) return;
  const question = filled(words.ask.pause_all, { rooms: write.number(all.length) });
  if (
    !(await confirmed(
      question,
      followsOfAll(
        all.map(({ report }) => report),
        write,
      ),
      words.actions.pause_all,
    ))
  )
    return;
  const done = await Promise.all(
    all.map(({ room, revision }) =>
      attempted(
        room,
        () => api.change(room, { mode: "paused" }, revision),
        () => filled(words.changed, { key: "mode", room, to: "paused" }),
      ),
    ),
  );
  paused = { atMs: Date.now(), rooms: done.filter(Boolean) };
  look();
}

async function undoAll() {
  const { rooms: all } = paused;
  paused = { atMs: 0, rooms: [] };
  await Promise.all(
    all.map(({ room, revision }) =>
      attempted(
        room,
        () => api.undo(room, revision),
        () => filled(words.undone, { room, changes: filled(words.back, { key: "mode", to: "open" }) }),
      ),
    ),
  );
  look();
}

async function release(room, number, { question, consequence, yes, done }) {
  if (!(await confirmed(question, consequence, yes))) return;
  await api.release(room, number).then(
    () => say(done),
    (error) => say(why(error)),
  );
  look();
}

/** Resolves to a page of a ticket's story. If it cannot be had, says why and resolves to null. */
async function story(room, number, from) {
  return api.story(room, number, from).catch((error) => {
    say(why(error));
    return null;
  });
}

/** Resolves to rows of the journal. If they cannot be had, says why and resolves to none. */
async function journal(room, after) {
  return api.journal(room, after).catch((error) => {
    say(why(error));
    return [];
  });
}

/** Resolves to the last hour as `[s, waiting, inside, admitted, permits, in hall, answer p50 ms, p95 ms]` by this device's clock, or to none if it cannot be had. */
async function hour(room) {
  const { now_ms: nowMs, samples } = await api.hour(room).catch(() => ({ samples: [] }));
  const here = Date.now();
  return samples.map(({ at_ms: atMs, waiting, inside, admitted, free, in_hall: hall, answer_p50_ms: half, answer_p95_ms: most }) => [
    (here - (nowMs - atMs)) / 1_000,
    waiting,
    inside,
    admitted,
    inside + free,
    hall,
    half,
    most,
  ]);
}

/** Begins a room's next edition once its name was typed. Resolves to the room as it is then, or to null. */
async function reset(room, revision, { question, consequence, yes, label, done }) {
  if (!(await confirmed(question, consequence, yes, { label, word: room }))) return null;
  return attempted(room, () => api.reset(room, revision), done);
}

const branding = createBrand(
  brand,
  { api, say, why, mayChange: () => mayChange, mayUndo: () => mayOwn && isEverywhere() },
  JSON.parse(document.documentElement.dataset.pages),
);
const go = (hash) => {
  location.hash = hash;
};
/** Returns whether this operator may do what concerns all rooms: only one without a list of rooms may. */
const isEverywhere = () => self.rooms.length === 0;
const deeper = () => [mayOwn && isEverywhere() && "operators", isEverywhere() && "webhooks"].filter(Boolean);
/** @type {Record<string, { place: HTMLElement, look(): Promise<any>, leave?(): void, forget?(): void, isOfHouse?: boolean }>} */
const screens = {
  house: {
    place: house,
    ...createHouse(house, {
      api,
      say,
      why,
      mayChange: () => mayOwn,
      deeper,
      rooms: () => [...rooms.values()].map((room) => room.told()).filter(Boolean),
    }),
  },
  operators: {
    place: operators,
    isOfHouse: true,
    ...createOperators(operators, { api, say, why, rooms: () => [...rooms.keys()], self: () => self.name }),
  },
  webhooks: { place: webhooks, isOfHouse: true, ...createWebhooks(webhooks, { api, say, why, mayChange: () => mayChange && isEverywhere() }) },
  history: { place: history, ...createHistory(history, { read: api.actions, why }) },
};
listen({
  go,
  pauseAll,
  isSignedIn: () => !list.hidden,
  room: () => chosen().room,
  rooms: () => [...rooms.keys()],
  first: (room) => room.told() && offered(room.told().report)[0],
});

overview.addEventListener("click", (event) => {
  const { do: what } = event.target.closest("[data-do]")?.dataset ?? {};
  if (what) ({ pause_all: pauseAll, undo_all: undoAll })[what]();
});
document.getElementById("words-open").addEventListener("click", () => showWords());
document.getElementById("keys-open").addEventListener("click", showKeys);
menu.addEventListener("click", (event) => {
  if (event.target.closest("a, button")) menu.open = false;
});
addEventListener("hashchange", () => {
  route();
  scrollTo(0, 0);
  look();
});

door.addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = document.getElementById("token");
  try {
    await api.signIn(field.value);
    field.value = "";
    say("");
    await look();
  } catch (error) {
    say({ 0: words.unreachable, 401: words.wrong_token, 404: words.no_desk }[error.status] ?? error.message);
    field.select();
  }
});
document.getElementById("sign-out").addEventListener("click", async () => {
  try {
    await api.signOut();
    // An operator who came through Access is still signed in there, and would be signed in here at once.
    if ((await doors()).access) return location.assign("/cdn-cgi/access/logout");
    await turnAway(401);
    say(words.signed_out);
  } catch (error) {
    say(error.message);
  }
});
document.addEventListener("visibilitychange", look);

/** Signs in by a link that ends in `#token=…`, as `npm start` prints one. No server sees that part, and it leaves the address at once. */
async function signInByLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  window.history.replaceState(null, "", location.pathname + location.search);
  await api.signIn(token).catch((error) => say(error.status === 401 ? words.wrong_token : why(error)));
}

signInByLink().then(look);
