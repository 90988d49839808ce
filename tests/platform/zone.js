// Baton's worker on a platform that does what Cloudflare does with `resolveOverride` and workerd does not: a request goes to the
// machine of another host name and keeps its own `Host`, if both names are in the zone. Otherwise the override is ignored,
// without a word, and the request goes where its own host leads.
//
// The variable ZONE has the zone's `name` and its `machines`: host name -> `host:port`. A machine is told what `Host` would
// have been in `Zone-Host`, for only the platform can write another.

import inner, { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject } from "../../src/edge/entry.js";

export { HouseObject, LobbyObject, OutboxObject, PorterObject, RoomObject };

const outside = globalThis.fetch;
let zone = { name: "", machines: {} };

const isInside = (host) => host === zone.name || host.endsWith(`.${zone.name}`);

globalThis.fetch = (request) => {
  const url = new URL(request.url);
  const override = request.cf?.resolveOverride;
  const name = override !== undefined && isInside(override) && isInside(url.hostname) ? override : url.hostname;
  const machine = zone.machines[name];
  if (machine === undefined) return outside(request);
  const { method, headers, body } = request;
  const told = new Headers(headers);
  told.set("Zone-Host", url.host);
  told.set("Zone-Scheme", url.protocol);
  return outside(`http://${machine}${url.pathname}${url.search}`, { method, headers: told, body, redirect: "manual" });
};

export default {
  fetch(request, env, ctx) {
    zone = env.ZONE;
    return inner.fetch(request, env, ctx);
  },
};
