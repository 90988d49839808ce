// Finds cookie domains that are public suffixes, such as `co.uk`: strangers share those, so browsers keep no cookies for them. `tough-cookie` has the list
// of its release. The list changes every week, so this warns and refuses nothing.

import { getPublicSuffix } from "tough-cookie";

/** Whether a name is a public suffix of two labels or more: a name right below one is the first that may have cookies. */
function isSuffix(name) {
  const below = `x.${name}`;
  return name.includes(".") && getPublicSuffix(below, { allowSpecialUseDomain: true, ignoreError: true }) === below;
}

/** Returns a line for each room whose `cookie_domain` is a public suffix. The schema judges what is no domain. */
export const suffixText = (rooms = {}) =>
  Object.entries(rooms)
    .map(([room, { cookie_domain: domain }]) => [room, String(domain ?? "").toLowerCase()])
    .filter(([, domain]) => isSuffix(domain))
    .map(
      ([room, domain]) =>
        `warning: ROOMS.${room}.cookie_domain = ${domain}: is a public suffix, for which browsers keep no cookies, so nobody keeps a place. Name your own domain below it, such as example.${domain}.\n`,
    )
    .join("");
