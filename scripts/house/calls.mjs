// What `npm run house` asks of a live Baton, with an operator's token.

import { UserError } from "../common.mjs";

/** Wrong use, or Baton could not be asked: nothing was refused, and nothing done. */
export class NotAsked extends UserError {}

/**
 * A call. `body`: a picture, or what is sent as JSON. `seen`: the revision that the caller saw; another one is refused.
 * @typedef {{ method?: string, body?: Buffer | object, type?: string, seen?: number }} Call
 */

/** Baton refused. `status` says how. */
class Refused extends UserError {
  constructor(status, says) {
    super(says);
    this.status = status;
  }
}

/** Returns a function that calls an operator's path at this address and resolves to what Baton tells. */
export function callsAt({ url, token }) {
  return async (path, /** @type {Call} */ { method = "GET", body, type = "application/json", seen } = {}) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(seen !== undefined && { "if-match": `"${seen}"` }),
      ...(body && { "content-type": type }),
    };
    const answer = await asked(new URL(`/__baton/admin/${path}`, url), {
      method,
      headers,
      body: Buffer.isBuffer(body) ? body : body && JSON.stringify(body),
    });
    const text = await answer.text();
    const told = parsed(text);
    if (answer.status === 204) return {};
    if ([200, 201].includes(answer.status) && told !== undefined) return told;
    const says = told?.error?.message;
    if (says === undefined)
      throw new NotAsked(
        `${url.origin} answered ${answer.status}, but not as Baton does. See that --url is the site's address, and that its Baton is of this version.`,
      );
    if ([401, 403].includes(answer.status)) throw new NotAsked(`${says} Changes need a token with the role own; view is enough to read.`);
    throw new Refused(
      answer.status,
      answer.status === 412 ? "Somebody changed the house meanwhile, and nothing was done. Run the command again to see how it is now." : says,
    );
  };
}

const asked = (address, options) =>
  fetch(address, options).catch((error) => {
    throw new NotAsked(`${address.origin} cannot be reached: ${error.cause?.message ?? error.message}. See that --url is the site's address.`);
  });

/** Returns the calls of the house at this address. */
export function houseAt(of) {
  const call = callsAt(of);
  return {
    look: () => call("house"),
    /** `file`: `{ rooms, brands }`, without pictures. */
    plan: (file) => call("house/plan", { method: "POST", body: file }),
    apply: (file, seen) => call("house/apply", { method: "POST", body: file, seen }),
    undo: (seen) => call("house/undo", { method: "POST", seen }),
    archive: (room, seen) => call(`house/rooms/${room}`, { method: "DELETE", seen }),
    release: (room, seen) => call(`house/rooms/${room}/release`, { method: "POST", seen }),
    /** Resolves to a page of who did what. */
    actions: (asked) => call(`actions?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== undefined))}`),
    pictures: () => call("images"),
    keepPicture: (bytes, type) => call("images", { method: "PUT", body: bytes, type }),
    /** Resolves to a picture, which everybody may see, or undefined if there is none. */
    picture: async (name) => {
      const answer = await asked(new URL(`/__baton/images/${name}`, of.url));
      return answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined;
    },
    /** Resolves to a room of any kind, with the values in force. */
    room: (room) => call(`rooms/${room}`),
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
