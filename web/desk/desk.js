/* The desk: asks for the rooms each second while somebody looks, shows them, and turns knobs. Control flow is here; what a
 * room looks like is in room.js, what is said in words.json. */

import * as api from "./api.js";
import { confirmed } from "./confirm.js";
import { createRoom } from "./room.js";
import words from "./words.json";

const EVERY_MS = 1_000;
const [news, who, door, leave, list] = ["news", "who", "sign-in", "sign-out", "rooms"].map((id) => document.getElementById(id));
const rooms = new Map();
let mayChange = false;
let timer;
let asking = false;

/** Says it once: a line that repeats itself each second is noise to whoever listens. */
function say(text) {
  if (news.textContent !== text) news.textContent = text;
}

/** Shows the door, or the rooms. */
function show(signedIn) {
  door.hidden = signedIn;
  leave.hidden = list.hidden = who.hidden = !signedIn;
  if (signedIn) return;
  clearTimeout(timer);
  list.replaceChildren();
  rooms.clear();
}

async function look() {
  clearTimeout(timer);
  if (document.hidden || asking) return;
  asking = true;
  try {
    take(await api.rooms());
    show(true);
    if (["", words.unreachable].includes(news.textContent)) say(words.live);
  } catch (error) {
    if ([401, 404].includes(error.status)) return turnAway(error.status);
    say(words.unreachable);
  } finally {
    asking = false;
  }
  timer = setTimeout(look, EVERY_MS);
}

/** Back to the door: nobody is signed in (401), or there is nobody whom one could be (404). */
function turnAway(status) {
  say(status === 401 ? words.ended : words.no_desk);
  show(false);
  if (status === 401 && document.activeElement === document.body) document.getElementById("token").focus();
}

function take({ operator, rooms: told }) {
  mayChange = operator.role === "operate";
  who.textContent = mayChange ? operator.name : `${operator.name}: ${words.looking}`;
  for (const one of told) {
    if (!rooms.has(one.room)) {
      rooms.set(one.room, createRoom(one.room, { change, undo, release, reset, story, hour, outlook: api.outlook, mayChange: () => mayChange }));
      list.append(rooms.get(one.room).element);
    }
    rooms.get(one.room).take(one, Date.now());
  }
}

/** Asks, changes, tells. Resolves to the room as it is then, or null when nothing was changed. */
async function change(room, values, revision, { question, consequence, yes, done }) {
  if (!(await confirmed(question, consequence, yes))) return null;
  return attempted(room, () => api.change(room, values, revision), () => done);
}

const undo = (room, revision, done) => attempted(room, () => api.undo(room, revision), () => done);

/** Calls, and says what came of it: `done(told)` when it was done. Where somebody else was faster, knobs show that. */
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

/** What went wrong, in words for the operator. */
const why = ({ status, message }) => (status === 412 ? words.conflict : status === 0 ? words.unreachable : message);

async function release(room, number, { question, consequence, yes, done }) {
  if (!(await confirmed(question, consequence, yes))) return;
  await api.release(room, number).then(() => say(done), (error) => say(why(error)));
  look();
}

/** A page of a ticket's story, or null when it could not be had, which is said. */
async function story(room, number, from) {
  return api.story(room, number, from).catch((error) => {
    say(why(error));
    return null;
  });
}

/** The last hour as `[s, waiting, inside, admissions a second]` by this device's clock; none when it could not be had. */
async function hour(room) {
  const { now_ms, samples } = await api.hour(room).catch(() => ({ samples: [] }));
  const here = Date.now();
  return samples.map(({ at_ms, waiting, inside, admitted }, at) => {
    const before = at > 0 ? samples[at - 1].admitted : null;
    // A total that fell began anew.
    const rise = before === null || before > admitted ? null : (admitted - before) / 60;
    return [(here - (now_ms - at_ms)) / 1_000, waiting, inside, rise];
  });
}

/** Begins a room anew, once its name was typed. Resolves to the room as it is then, or null. */
async function reset(room, revision, { question, consequence, yes, label, done }) {
  if (!(await confirmed(question, consequence, yes, { label, word: room }))) return null;
  return attempted(room, () => api.reset(room, revision), done);
}

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
leave.addEventListener("click", async () => {
  await api.signOut().then(() => { show(false); say(words.signed_out); }, (error) => say(error.message));
});
document.addEventListener("visibilitychange", look);

/** A link that ends in `#token=…` signs in, as `npm start` prints one. No server sees that part; it leaves the address at once. */
async function signInByLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  await api.signIn(token).catch((error) => say(error.status === 401 ? words.wrong_token : why(error)));
}

signInByLink().then(look);
