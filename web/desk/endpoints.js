/* The operator's calls, made of their table by `npm run docs`: the values of the path in their order, then the body, the query as an object, and the
   revision that the operator saw. */

import { send } from "./send.js";

/** Lists who did what, and when. */
export const actions = (query) => send("GET", "actions", { query });
/** Every room of the house, as it is defined. */
export const house = () => send("GET", "house");
/** Does what a plan shows: all of it or nothing. */
export const applyHouse = (body, seen) => send("POST", "house/apply", { body, seen });
/** Removes what was set for the page of a room, which then shows what its table says. */
export const unbrandRoom = (room, seen) => send("DELETE", `house/brands/${room}`, { seen });
/** Sets what the page of a room shows. */
export const brandRoom = (room, body, seen) => send("PUT", `house/brands/${room}`, { body, seen });
/** A page of the house's changes. */
export const houseJournal = (query) => send("GET", "house/journal", { query, isLines: true });
/** Removes an operator of the house. */
export const removeOperator = (name, seen) => send("DELETE", `house/operators/${name}`, { seen });
/** Gives an operator of the house another role, other rooms or another token. */
export const changeOperator = (name, body, seen) => send("PATCH", `house/operators/${name}`, { body, seen });
/** Adds an operator of the house, or replaces the one of that name. */
export const setOperator = (name, body, seen) => send("PUT", `house/operators/${name}`, { body, seen });
/** Says what definitions would change, room by room. */
export const planHouse = (body) => send("POST", "house/plan", { body });
/** Deletes a room of the house. */
export const deleteRoom = (room, seen) => send("DELETE", `house/rooms/${room}`, { seen });
/** Defines a room of the house, or replaces its definition. */
export const defineRoom = (room, body, seen) => send("PUT", `house/rooms/${room}`, { body, seen });
/** Releases the paths of a deleted room. */
export const releaseRoom = (room, seen) => send("POST", `house/rooms/${room}/release`, { seen });
/** Takes the last change of the house back. */
export const undoHouse = (seen) => send("POST", "house/undo", { seen });
/** Every picture that the house keeps. */
export const images = () => send("GET", "images");
/** Keeps a picture for pages. */
export const putImage = (body) => send("PUT", "images", { body });
/** Deletes a picture that no page shows. */
export const dropImage = (image) => send("DELETE", `images/${image}`);
/** Leads to the identity provider, to sign in at the desk. */
export const toProvider = () => send("GET", "oidc");
/** Takes the identity provider's answer and sets the desk's cookie. */
export const fromProvider = () => send("GET", "oidc/callback");
/** This document. */
export const openapi = () => send("GET", "openapi.json");
/** Every room. */
export const rooms = () => send("GET", "rooms");
/** One room. */
export const room = (room) => send("GET", `rooms/${room}`);
/** Changes live values, all of them or none. */
export const change = (room, body, seen) => send("PATCH", `rooms/${room}`, { body, seen });
/** The last hour of the room, a sample a minute. */
export const hour = (room) => send("GET", `rooms/${room}/hour`);
/** A page of the room's decisions. */
export const journal = (room, query) => send("GET", `rooms/${room}/journal`, { query, isLines: true });
/** Gives a lease back by its fence. */
export const releaseLease = (room, fence) => send("POST", `rooms/${room}/leases/${fence}/release`);
/** Ends the place of a customer of the shop. */
export const leaveFor = (room, body) => send("POST", `rooms/${room}/leave`, { body });
/** What a forecast needs to know of the room. */
export const outlook = (room) => send("GET", `rooms/${room}/outlook`);
/** Measures the way from the front to a lobby and the room. */
export const probe = (room) => send("GET", `rooms/${room}/probe`);
/** Ends the rehearsal and voids its token. */
export const endRehearsal = (room) => send("DELETE", `rooms/${room}/rehearsal`);
/** How the last rehearsal stands, as of a room. */
export const rehearsal = (room) => send("GET", `rooms/${room}/rehearsal`);
/** Begins a rehearsal while the room is closed and empty. */
export const beginRehearsal = (room, body) => send("POST", `rooms/${room}/rehearsal`, { body });
/** A page of the rehearsals' decisions. */
export const rehearsalJournal = (room, query) => send("GET", `rooms/${room}/rehearsal/journal`, { query, isLines: true });
/** Begins the room anew: a new edition. */
export const reset = (room, body, seen) => send("POST", `rooms/${room}/reset`, { body, seen });
/** Every sheet of invitations or codes, with how much of it was used. */
export const sheets = (room) => send("GET", `rooms/${room}/sheets`);
/** Makes a sheet of invitations, or of codes. */
export const makeSheet = (room, body) => send("POST", `rooms/${room}/sheets`, { body });
/** Withdraws a sheet. */
export const withdrawSheet = (room, sheet) => send("DELETE", `rooms/${room}/sheets/${sheet}`);
/** The tokens of a sheet's links, a thousand at a time. */
export const invitations = (room, sheet, query) => send("GET", `rooms/${room}/sheets/${sheet}/invitations`, { query });
/** Makes the token of a staff link. */
export const staffLink = (room, body) => send("POST", `rooms/${room}/staff`, { body });
/** What the journal says of a ticket. */
export const story = (room, number, query) => send("GET", `rooms/${room}/tickets/${number}`, { query });
/** Ends a ticket. */
export const release = (room, number) => send("POST", `rooms/${room}/tickets/${number}/release`);
/** Takes the last change of live values back. */
export const undo = (room, seen) => send("POST", `rooms/${room}/undo`, { seen });
/** Signs out: ends the session and removes its cookie. */
export const signOut = () => send("DELETE", "session");
/** Says how to sign in here. */
export const ways = () => send("GET", "session");
/** Signs in: takes a token and sets the desk's cookie. */
export const signIn = (body) => send("POST", "session", { body });
/** How each webhook is doing, and what it did not take. */
export const webhooks = () => send("GET", "webhooks");
/** Sends what a webhook did not take again. */
export const resend = (webhook, query) => send("POST", `webhooks/${webhook}/again`, { query });
/** Sends a message of the kind webhook.test. */
export const testWebhook = (webhook) => send("POST", `webhooks/${webhook}/test`);
