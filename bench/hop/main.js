// The driver of the hop: all waiting happens here. wasm is called with text and returns text at once; it never calls back and holds nothing of the
// platform. What it returns is described in src/front.rs and src/lobby.rs.
//
// A call into wasm that dies costs its own visit an answer. A new instance takes over; visits of the old one are told so here, not in wasm.

import * as wasm from "packed";

let instance = 0;
let isReady = false;

/** Calls into wasm. After a death the next call begins a new instance. */
function inside(env, call) {
  if (!isReady) {
    wasm.configure(env.CONFIG, env.BATON_SECRET);
    isReady = true;
  }
  try {
    return call();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      wasm.__wbg_reset_state();
      instance += 1;
      isReady = false;
    }
    throw error;
  }
}

// ------------------------------------------------------------------------------------------------ front

function linesOf(request) {
  let text = `${request.method}\n${request.url}`;
  request.headers.forEach((value, name) => (text += `\n${name}\n${value}`));
  return text;
}

/** Makes the answer of a step. */
function answerOf(parts) {
  const bodyAt = 3 + Number(parts[2]);
  const headers = new Headers();
  for (let at = 3; at < bodyAt; at += 2) headers.append(parts[at], parts[at + 1]);
  const body = parts.length === bodyAt + 1 ? parts[bodyAt] : parts.slice(bodyAt).join("\n");
  return new Response(body === "" ? null : body, { status: Number(parts[1]), headers });
}

/** The depth of the event that a front's call begins (src/edge/peers.js). */
const DEPTH = 2;

/** Resolves to a lobby's message; undefined if none came in time. */
async function told(env, [, , name, place, patienceMs, message]) {
  const [locationHint, jurisdiction] = place.split(" ");
  const objects = jurisdiction === "" ? env.LOBBY : env.LOBBY.jurisdiction(jurisdiction);
  const stub = objects.getByName(name, locationHint === "" ? undefined : { locationHint });
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, Number(patienceMs))));
  try {
    const answer = await Promise.race([stub.fetch("https://baton/ask", { method: "POST", headers: { "Baton-Said": `${DEPTH} ${message}` } }), late]);
    return answer?.headers.get("Baton-Said") ?? undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function visit(env, parts) {
  const of = instance;
  for (let step = parts; ; ) {
    const message = await told(env, step);
    if (of !== instance) return new Response("Something went wrong. Please try again.\n", { status: 503 });
    step = inside(env, () => wasm.resume(Number(step[1]), message, Date.now())).split("\n");
    if (step[0] === "a") return answerOf(step);
  }
}

export default {
  fetch(request, env, ctx) {
    const parts = inside(env, () => wasm.begin(linesOf(request), Date.now())).split("\n");
    if (parts[0] === "a") return answerOf(parts);
    const answered = visit(env, parts);
    ctx.waitUntil(answered);
    return answered;
  },
};

// ------------------------------------------------------------------------------------------------ lobby

let objects = 0;

export class Lobby {
  #ctx;
  #env;
  #id = ++objects;
  #instance = instance;
  #askers = new Map();
  #timer;
  #room;
  #depth = 0;
  #chance = chance();

  constructor(ctx, env) {
    this.#ctx = ctx;
    this.#env = env;
  }

  fetch(request) {
    const header = request.headers.get("Baton-Said");
    const at = header.indexOf(" ");
    this.#depth = Number(header.slice(0, at));
    const followed = this.#call(() => wasm.ask(this.#id, header.slice(at + 1), this.#chance, Date.now()));
    if (followed === undefined) return new Response(null, { status: 400 });
    if (followed.charCodeAt(0) === 61) return said(followed.slice(1));
    this.#room ??= roomOf(header.slice(at + 1));
    const { asker } = JSON.parse(followed);
    const answer = new Promise((resolve) => this.#askers.set(asker, resolve));
    this.#carryOut(followed);
    return answer.then((message) => (message === null ? new Response(null, { status: 503 }) : said(message)));
  }

  alarm() {
    this.#carryOut(this.#call(() => wasm.alarm_rang(this.#id, Date.now())));
  }

  #call(run) {
    if (this.#instance !== instance) [this.#id, this.#instance] = [++objects, instance];
    return inside(this.#env, run);
  }

  #carryOut(followed) {
    if (followed === undefined) return;
    const { effects, timer_ms: timerMs, alarm_ms: alarmMs } = JSON.parse(followed);
    for (const effect of effects) {
      if ("call" in effect) this.#ctx.waitUntil(this.#callRoom(effect));
      else {
        this.#askers.get(effect.answer)?.(effect.said);
        this.#askers.delete(effect.answer);
      }
    }
    if (timerMs !== null) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#carryOut(this.#call(() => wasm.timer_rang(this.#id, Date.now()))), timerMs);
    }
    if (alarmMs !== null) this.#ctx.storage.setAlarm(Date.now() + alarmMs);
  }

  async #callRoom({ call, said: message, patience_ms: patienceMs }) {
    const [room, home] = this.#room;
    const headers = { "Baton-Room": room, "Baton-Home": home, "Baton-Depth": String(this.#depth + 1), "Baton-Said": message };
    const objects = this.#env.ROOM;
    const answer = await objects
      .getByName(`${room}@${home}`)
      .fetch("https://baton/room", { method: "POST", headers, signal: AbortSignal.timeout(patienceMs) })
      .catch(() => undefined);
    const told = answer && (answer.headers.get("Baton-Said") ?? new Uint8Array(await answer.arrayBuffer()).toBase64());
    this.#carryOut(this.#call(() => wasm.answered(this.#id, call, told, Date.now())));
  }
}

const said = (message) => new Response(null, { headers: { "Baton-Said": message } });
const chance = () => crypto.getRandomValues(new BigUint64Array(1))[0];

/** The room's name and home, from a front's message. */
function roomOf(message) {
  const [room, home] = new TextDecoder().decode(Uint8Array.fromBase64(message)).split("\n", 2);
  return [room, home];
}
