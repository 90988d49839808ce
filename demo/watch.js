// Keeps the report up to date while somebody watches: loads a new one unseen behind the old one, which stays until the new one is there.

const EVERY_MS = 10_000;
const holder = document.getElementById("report");

setInterval(() => {
  if (document.hidden || holder.children.length > 1) return;
  const [old] = holder.children;
  const next = old.cloneNode();
  next.style.visibility = "hidden";
  next.addEventListener(
    "load",
    () => {
      next.contentWindow?.scrollTo(0, old.contentWindow?.scrollY ?? 0);
      next.style.visibility = "";
      old.remove();
    },
    { once: true },
  );
  holder.append(next);
}, EVERY_MS);
