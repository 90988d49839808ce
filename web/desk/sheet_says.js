/* Says what a sheet of invitations or codes is, reads codes as they are typed, and makes links. Pure. */

import { filled } from "./filled.js";

/**
 * Reads codes, one a line with its places behind a comma. Empty lines are skipped. Each keeps its line, by which a bad one is named; `uses` is NaN
 * where no whole number, or more than that, stands behind the comma.
 */
export function codesOf(text) {
  const lines = text
    .split(/\r?\n/)
    .map((line, at) => [line.trim(), at + 1])
    .filter(([line]) => line !== "");
  return lines.map(([line, at]) => {
    const [code, uses = "1", ...more] = line.split(",").map((part) => part.trim());
    return { code, uses: /^\d+$/.test(uses) && more.length === 0 ? Number(uses) : NaN, line: at };
  });
}

/** Returns the address of a room to which links lead: its first host and path. */
export function leadsTo({ hosts = [], paths = [] }, origin) {
  const host = hosts[0] ? `https://${hosts[0].replace(/^\*\./, "")}` : origin;
  return `${host}${(paths[0] ?? "/").replace(/\*.*$/, "")}`;
}

/** Returns an address with an invitation in it. */
export function linkTo(address, token) {
  const link = new URL(address);
  link.hash = "";
  return `${link}${link.search === "" ? "?" : "&"}baton_entry=${token}`;
}

/** Returns what a sheet is, in a line. */
export function sheetLine({ sheet, invitations, codes, uses, used, lane, from_at_ms: from, ends_at_ms: ends }, nowMs, words, { number, date }) {
  const what = filled(invitations ? words.invitations : words.codes, {
    sheet,
    count: number((invitations ?? codes).count),
    uses: number(uses),
    used: number(used),
  });
  return [
    what,
    lane && filled(words.lane, { lane }),
    from > nowMs && filled(words.from, { time: date(from) }),
    filled(ends > nowMs ? words.until : words.over, { time: date(ends) }),
  ]
    .filter(Boolean)
    .join(" · ");
}
