// Brings the report up to date while somebody watches: a new one is loaded behind the old, which keeps its place on the page until it is there.

const EVERY_MS = 10_000;
const holder = document.getElementById("report");

setInterval(() => {
  if (document.hidden || holder.children.length > 1) return;
  const [old] = holder.children;
  const next = old.cloneNode();
  next.style.visibility = "hidden";
  next.addEventListener("load", () => {
    next.contentWindow?.scrollTo(0, old.contentWindow?.scrollY ?? 0);
    next.style.visibility = "";
    old.remove();
  }, { once: true });
  holder.append(next);
}, EVERY_MS);
