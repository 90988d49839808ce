/* Sends a call of the operator's API. The browser sends the cookie by itself; nothing here keeps the token. */

export const BASE = document.documentElement.dataset.base;

/** What went wrong. `status` is 0 if there was no answer at all. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Resolves to what is answered, or the values of its lines. `seen` is the revision that nobody may have changed since.
 * @param {string} method
 * @param {string} path
 * @param {{ body?: any, query?: object, seen?: number, isLines?: boolean }} [asked]
 */
export async function send(method, path, { body, query, seen, isLines } = {}) {
  /** @type {Record<string, string>} */
  const headers = seen === undefined ? {} : { "If-Match": `"${seen}"` };
  /** @type {RequestInit} */
  const sent = { method, headers, cache: "no-store", signal: AbortSignal.timeout(10_000) };
  if (body !== undefined) sent.body = body instanceof Blob ? body : JSON.stringify(body);
  const asked = new URLSearchParams(Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "")).toString();
  let answer;
  try {
    answer = await fetch(BASE + path + (asked && `?${asked}`), sent);
  } catch (error) {
    throw new Refused(0, String(error));
  }
  const text = await answer.text().catch((error) => {
    // What is cut off says nothing, and an error says enough by its status.
    if (answer.ok) throw new Refused(0, String(error));
    return "";
  });
  if (!answer.ok) throw new Refused(answer.status, json(text)?.error?.message ?? String(answer.status));
  return isLines ? text.split("\n").map(json) : json(text);
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
