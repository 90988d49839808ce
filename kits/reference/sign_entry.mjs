// Signs an entry token for a customer and prints the link (docs/entry.md): ENTRY_KEY is the shop's key, AUDIENCE the room and host,
// such as onsale@tickets.example.com, PAGE the gated address.

import { createHmac } from "node:crypto";

const { AUDIENCE, ENTRY_KEY, PAGE } = process.env;
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = { sub: process.argv[2], aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 3600 };
const signed = `${part({ alg: "HS256", kid: "2027-a" })}.${part(claims)}`;
const mac = createHmac("sha256", ENTRY_KEY).update(signed).digest("base64url");
console.log(`${PAGE}?baton_entry=${signed}.${mac}`);
