/* The operator's API, as docs/api.md describes it. The browser sends the cookie by itself; nothing here keeps the token. */

const BASE = document.documentElement.dataset.base;

/** What went wrong. `status` is 0 if there was no answer at all. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(path, method = "GET", body, headers = {}, read = json) {
  /** @type {RequestInit} */
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
/** Resolves to `{ token, access, oidc }`: the ways to sign in here. */
export const ways = () => call("session");
/** The address that asks the identity provider: a link that leaves the desk. */
export const PROVIDER = `${BASE}oidc`;
export const signOut = () => call("session", "DELETE");
/** Resolves to `{ operator: { name, role, rooms }, rooms }`. */
export const rooms = () => call("rooms");
/** Changes live values if the room is still at `revision`. */
export const change = (room, values, revision) => call(`rooms/${room}`, "PATCH", values, { "If-Match": `"${revision}"` });
/** Resolves to `{ actions, more, silent }`: who did what in the journal `room`, or in all journals, before the row `before`. */
export const actions = (/** @type {{ room?: string, before?: string }} */ { room, before } = {}) =>
  call(`actions?${new URLSearchParams({ ...(room && { room }), ...(before && { before }) })}`);
/** Resolves to what the journal says of a ticket, from `from` on. */
export const story = (room, number, from = "") => call(`rooms/${room}/tickets/${number}?from=${encodeURIComponent(from)}`);
/** Resolves to `{ now_ms, samples }`, with one sample a minute. */
export const hour = (room) => call(`rooms/${room}/hour`);
/** Resolves to what a forecast needs to know of a room, as web/advice/ reads it. */
export const outlook = (room) => call(`rooms/${room}/outlook`);
/** Takes back the last change if it is the one at `revision`. */
export const undo = (room, revision) => call(`rooms/${room}/undo`, "POST", undefined, { "If-Match": `"${revision}"` });
export const release = (room, number) => call(`rooms/${room}/tickets/${number}/release`, "POST");
/** Begins the room's next edition if the room is still at `revision`. The API wants the room's name once more. */
export const reset = (room, revision) => call(`rooms/${room}/reset`, "POST", { room }, { "If-Match": `"${revision}"` });
/** Resolves to the state of a room's last rehearsal, in the form of a room. */
export const rehearsal = (room) => call(`rooms/${room}/rehearsal`);
/** Resolves to the rows of the journal after `after`, in their order. */
export const journal = (room, after) =>
  call(`rooms/${room}/journal?after=${after}`, "GET", undefined, {}, (text) =>
    text
      .split("\n")
      .map(json)
      .filter((row) => row?.version),
  );
const tag = (revision) => ({ "If-Match": `"${revision}"` });
/** Resolves to the house: `{ revision, rooms, brands, released, undo }`, and for owners its operators. */
export const house = () => call("house");
/** Resolves to what definitions, by name, would change: `{ changes, problems }`. */
export const planHouse = (rooms) => call("house/plan", "POST", { rooms });
export const applyHouse = (rooms, revision) => call("house/apply", "POST", { rooms }, tag(revision));
export const freeHouse = (room, revision) => call(`house/rooms/${room}/release`, "POST", undefined, tag(revision));
export const undoHouse = (revision) => call("house/undo", "POST", undefined, tag(revision));
/** Resolves to a room with its settings in force. */
export const room = (name) => call(`rooms/${name}`);
/** Sets what the page of a room shows, over what the room's table says. */
export const brand = (room, keys, revision) => call(`house/brands/${room}`, "PUT", keys, tag(revision));
export const unbrand = (room, revision) => call(`house/brands/${room}`, "DELETE", undefined, tag(revision));
/** Sets an operator's whole table. `changeOperator` sets only `keys`, and null removes a key. */
export const setOperator = (name, table, revision) => call(`house/operators/${name}`, "PUT", table, tag(revision));
export const changeOperator = (name, keys, revision) => call(`house/operators/${name}`, "PATCH", keys, tag(revision));
export const removeOperator = (name, revision) => call(`house/operators/${name}`, "DELETE", undefined, tag(revision));
/** Resolves to `{ sheets }`: a room's sheets of invitations and codes, and how much of each was used. */
export const sheets = (room) => call(`rooms/${room}/sheets`);
export const makeSheet = (room, wanted) => call(`rooms/${room}/sheets`, "POST", wanted);
export const withdrawSheet = (room, sheet) => call(`rooms/${room}/sheets/${sheet}`, "DELETE");
/** Resolves to `{ invitations, next }`: some of a sheet's tokens, and where the others begin, or null. */
export const invitations = (room, sheet, from) => call(`rooms/${room}/sheets/${sheet}/invitations?from=${from}`);
/** Resolves to how each webhook is doing, with what it did not take. */
export const webhooks = () => call("webhooks");
export const testWebhook = (name) => call(`webhooks/${name}/test`, "POST");
/** Sends again all messages, or the one with this id. Resolves to `{ messages }`: how many are on their way. */
export const resend = (name, id) => call(`webhooks/${name}/again${id === undefined ? "" : `?id=${encodeURIComponent(id)}`}`, "POST");
/** Has the house keep a picture. Resolves to `{ name, address }`. */
export const putImage = (file) => call("images", "PUT", file);
