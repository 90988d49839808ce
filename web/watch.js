/*
 * Stands beside the modules, in words that the oldest browser knows: where they do not come alive (one was lost on the
 * way, or the browser has none), the page loads itself again like one without scripts.
 */
(function () {
  var wait = Math.max(10, Number(document.body.getAttribute("data-refresh")) || 0);
  setTimeout(function () {
    if (document.documentElement.getAttribute("data-live") !== null) return;
    // Without the fragment, and never sending a form again.
    location.replace(location.pathname + location.search);
  }, wait * 1000);
})();
