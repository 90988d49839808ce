// What the operator asks of a live Baton for a rehearsal: how the room is, a rehearsal's beginning, how it stands, its end.

import { UserError } from "../common.mjs";

/** Returns the calls for one room. `token` is an operator's, with the role operate. */
export function operatorOf({ url, room, token }) {
  const base = new URL(`/__baton/admin/rooms/${room}`, url);
  /** `wants`: the status of success; `has`: as in `told`. */
  const call = async (path, /** @type {{ method?: string, body?: object, wants: number, has?: string }} */ { method = "GET", body, wants, has }) => {
    const headers = { authorization: `Bearer ${token}`, origin: base.origin, ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(`${base.href}${path}`, { method, headers, body: body && JSON.stringify(body) }).catch((error) => {
      throw new UserError(
        `${base.origin} cannot be reached: ${error.cause?.message ?? error.message}. See that --url is the address at which people buy.`,
      );
    });
    const text = await answer.text();
    if (answer.status === wants) return told(text, `${method} ${base.pathname}${path}`, has);
    throw Object.assign(new UserError(`${method} ${base.pathname}${path} was answered ${answer.status}: ${messageOf(text)}`), {
      status: answer.status,
      says: messageOf(text),
    });
  };
  return {
    look: () => call("", { wants: 200, has: "report" }),
    /** Resolves to `{ token, edition, permits, ends_at_ms }`. An earlier rehearsal is over. */
    begin: (minutes) => call("/rehearsal", { method: "POST", body: { minutes }, wants: 201, has: "token" }),
    stage: () => call("/rehearsal", { wants: 200, has: "report" }),
    /** Ends the rehearsal. May be called again and again. */
    end: () => call("/rehearsal", { method: "DELETE", wants: 204 }),
  };
}

/** Returns what Baton told. `has`: a key without which somebody else has answered. */
function told(text, call, has) {
  if (!has) return null;
  const value = parsed(text);
  if (value?.[has] === undefined)
    throw new UserError(
      `${call} was answered, but not by Baton: there is no ${has} in it. See that --url is the address at which people buy, and that its Baton is of this version.`,
    );
  return value;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(text) {
  return parsed(text)?.error?.message ?? text.slice(0, 200);
}
