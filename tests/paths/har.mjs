// Writes recordings for tests: `har([["GET", "/buy/"], ["POST", "/buy/order", { status: 303, to: "/thanks" }]])`.

const KINDS = { page: "document", call: "fetch", file: "script", frame: "document" };
const DESTS = { page: "document", call: "empty", file: "script", frame: "iframe" };

/** Returns an entry. `at` is in seconds; `kind` says what loaded it; `from` is its page; `form` and `json` are what was sent. */
export function entry(
  [
    method,
    path,
    {
      kind = "page",
      at,
      status = 200,
      to,
      from,
      form,
      json,
      mime = kind === "page" ? "text/html" : "application/json",
      headers = [],
      says = true,
      cookies = [],
    } = {},
  ],
  nth,
) {
  const url = path.startsWith("http") ? path : `https://shop.test${path}`;
  const sent = [...headers, ...(from ? [["Referer", `https://shop.test${from}`]] : []), ...(says ? [["Sec-Fetch-Dest", DESTS[kind]]] : [])];
  const postData = form
    ? { mimeType: "application/x-www-form-urlencoded", text: new URLSearchParams(form).toString() }
    : json
      ? { mimeType: "application/json", text: JSON.stringify(json) }
      : undefined;
  return {
    startedDateTime: new Date(Date.UTC(2026, 4, 1) + (at ?? nth) * 1_000).toISOString(),
    time: 20,
    ...(says && { _resourceType: KINDS[kind] }),
    request: { method, url, cookies, headers: sent.map(([name, value]) => ({ name, value })), ...(postData && { postData }) },
    response: { status, headers: [{ name: "Content-Type", value: mime }], redirectURL: to ?? "", content: { mimeType: mime } },
  };
}

export const har = (requests) => JSON.stringify({ log: { version: "1.2", entries: requests.map(entry) } });
