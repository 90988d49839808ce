/*
 * Stands beside the modules, in words that the oldest browser knows: where they do not come alive (one was lost on the
 * way, or the browser has none), the page loads itself again like one without scripts.
 */
setTimeout(function () {
  if (document.documentElement.hasAttribute("data-live")) return;
  // Without the fragment, and never sending a form again.
  location.replace(location.href.split("#")[0]);
}, Math.max(10, Number(document.body.getAttribute("data-refresh")) || 0) * 1000);
