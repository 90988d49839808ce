/* The operator's API, as docs/api.md has it. The cookie goes along by itself; nothing here keeps the token. */

const BASE = document.documentElement.dataset.base;

/** What went wrong: `status` 0 when there was no answer at all. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(path, method = "GET", body, headers = {}, read = json) {
  const sent = { method, headers, cache: "no-store", signal: AbortSignal.timeout(10_000) };
  if (body !== undefined) sent.body = body instanceof Blob ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(BASE + path, sent);
  } catch (error) {
    throw new Refused(0, String(error));
  }
  const text = await answer.text().catch(() => "");
  if (!answer.ok) throw new Refused(answer.status, json(text)?.error?.message ?? String(answer.status));
  return read(text);
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const signIn = (token) => call("session", "POST", { token });
/** `{ token, access, oidc }`: how one signs in here. */
export const ways = () => call("session");
/** Where the identity provider is asked: a link that leaves the desk. */
export const PROVIDER = `${BASE}oidc`;
export const signOut = () => call("session", "DELETE");
/** `{ operator: { name, role, rooms }, rooms }` */
export const rooms = () => call("rooms");
/** Changes live values if the room is still at `revision`. */
export const change = (room, values, revision) => call(`rooms/${room}`, "PATCH", values, { "If-Match": `"${revision}"` });
/** `{ actions, more, silent }`: who did what, of the journal `room`, or of all; before the row `before`. */
export const actions = ({ room, before } = {}) => call(`actions?${new URLSearchParams({ ...(room && { room }), ...(before && { before }) })}`);
/** What the journal says of a ticket, from `from` on. */
export const story = (room, number, from = "") => call(`rooms/${room}/tickets/${number}?from=${encodeURIComponent(from)}`);
/** `{ now_ms, samples }`, a sample a minute. */
export const hour = (room) => call(`rooms/${room}/hour`);
/** What a forecast needs to know of a room, as web/advice/ reads it. */
export const outlook = (room) => call(`rooms/${room}/outlook`);
/** Takes the last change back if that is the one at `revision`. */
export const undo = (room, revision) => call(`rooms/${room}/undo`, "POST", undefined, { "If-Match": `"${revision}"` });
export const release = (room, number) => call(`rooms/${room}/tickets/${number}/release`, "POST");
/** Begins the room anew if it is still at `revision`. The API wants its name said once more. */
export const reset = (room, revision) => call(`rooms/${room}/reset`, "POST", { room }, { "If-Match": `"${revision}"` });
/** How the last rehearsal of a room stands, in the form of a room. */
export const rehearsal = (room) => call(`rooms/${room}/rehearsal`);
/** Rows of the journal after `after`, in their order. */
export const journal = (room, after) => call(`rooms/${room}/journal?after=${after}`, "GET", undefined, {}, (text) => text.split("\n").map(json).filter((row) => row?.version));
const tag = (revision) => ({ "If-Match": `"${revision}"` });
/** `{ revision, rooms, released, undo }`: the rooms that need no deploy. */
export const house = () => call("house");
/** What definitions, by name, would change: `{ changes, problems }`. */
export const planHouse = (rooms) => call("house/plan", "POST", { rooms });
export const applyHouse = (rooms, revision) => call("house/apply", "POST", { rooms }, tag(revision));
export const freeHouse = (room, revision) => call(`house/rooms/${room}/release`, "POST", undefined, tag(revision));
export const undoHouse = (revision) => call("house/undo", "POST", undefined, tag(revision));
/** A room with its settings in force. */
export const room = (name) => call(`rooms/${name}`);
/** What the page of a room shows, over what its table says. */
export const brand = (room, keys, revision) => call(`house/brands/${room}`, "PUT", keys, tag(revision));
export const unbrand = (room, revision) => call(`house/brands/${room}`, "DELETE", undefined, tag(revision));
/** Somebody is this operator; `keys`: what is another, null takes a key away. */
export const setOperator = (name, table, revision) => call(`house/operators/${name}`, "PUT", table, tag(revision));
export const changeOperator = (name, keys, revision) => call(`house/operators/${name}`, "PATCH", keys, tag(revision));
export const removeOperator = (name, revision) => call(`house/operators/${name}`, "DELETE", undefined, tag(revision));
/** How each webhook is doing, with what it did not take. */
export const webhooks = () => call("webhooks");
export const testWebhook = (name) => call(`webhooks/${name}/test`, "POST");
/** `{ messages }`: how many are on their way again; all, or the one with this id. */
export const resend = (name, id) => call(`webhooks/${name}/again${id === undefined ? "" : `?id=${encodeURIComponent(id)}`}`, "POST");
/** Has the house keep a picture: `{ name, address }`. */
export const putImage = (file) => call("images", "PUT", file);
