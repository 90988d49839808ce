/* The operator's API, as docs/api.md describes it: each endpoint is a function (endpoints.js), and some have a handier form here. */

import * as endpoints from "./endpoints.js";
import { BASE } from "./send.js";

export * from "./endpoints.js";
export { Refused } from "./send.js";

export const signIn = (token) => endpoints.signIn({ token });
/** The address that asks the identity provider: a link that leaves the desk. */
export const PROVIDER = `${BASE}oidc`;
/** Resolves to what the journal says of a ticket, from `from` on. */
export const story = (room, number, from) => endpoints.story(room, number, { from });
/** Begins the room's next edition if the room is still at `revision`. The API wants the room's name once more. */
export const reset = (room, revision) => endpoints.reset(room, { room }, revision);
/** Resolves to the rows of the journal after `after`, in their order. */
export const journal = async (room, after) => (await endpoints.journal(room, { after })).filter((row) => row?.version);
/** Resolves to what definitions, by name, would change: `{ changes, problems }`. */
export const planHouse = (rooms) => endpoints.planHouse({ rooms });
export const applyHouse = (rooms, revision) => endpoints.applyHouse({ rooms }, revision);
/** Resolves to `{ invitations, next }`: some of a sheet's tokens, and where the others begin, or null. */
export const invitations = (room, sheet, from) => endpoints.invitations(room, sheet, { from });
/** Sends again all messages, or the one with this id. Resolves to `{ messages }`: how many are on their way. */
export const resend = (name, id) => endpoints.resend(name, { id });
