// How Baton answers the forms of the waiting page (src/gate/way_back.rs), for what stands in its place: the gallery, and the stub of the
// page's tests. Every path that is not Baton's own counts as gated.

/** Whether the page's own form sent the request. Scripts ask for JSON. */
export const isForm = ({ headers }) => /text\/html/.test(headers.accept) && /^application\/x-www-form-urlencoded/.test(headers["content-type"]);

/** Returns where the form of this call leads; `first` is the room's first page. */
export function formLeadsTo(call, { headers, url }, room, first) {
  const left = `/__baton/${room}/left`;
  const from = headers.referer && new URL(headers.referer);
  const isLeft = from && from.pathname === left;
  if (isLeft && call === "language") return left + from.search;
  const isOurs = !from || from.pathname.startsWith("/__baton/");
  const named = new URL(url, "http://any.example").searchParams.get("to");
  const back = named || (isLeft && from.searchParams.get("to")) || (isOurs ? first : from.pathname + from.search);
  if (call !== "leave") return back;
  return back === first ? left : `${left}?to=${encodeURIComponent(back)}`;
}

/** The status that the page after leaving shows. Its template never refreshes. */
export const LEFT = { state: "over", reason: "left" };
