// Baton's check, as kits/node/src/next.js says.

import { throughBaton } from "baton-kit/next";

const { ORIGIN_SECRET, BATON_HOSTS, BATON_MODE } = process.env;

export const proxy = throughBaton({ secret: ORIGIN_SECRET, hosts: BATON_HOSTS?.split(","), mode: BATON_MODE });
