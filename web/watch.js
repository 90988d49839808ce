/*
 * A guard beside the modules, in a language that the oldest browser knows. If the modules do not start (one was lost on the
 * way, or the browser knows none), it loads the page again, as a page without scripts loads itself.
 */
setTimeout(function () {
  if (document.documentElement.hasAttribute("data-live")) return;
  // Without the fragment, or nothing would load. A form is never sent again.
  location.replace(location.href.split("#")[0]);
}, Math.max(10, Number(document.body.getAttribute("data-refresh")) || 0) * 1000);
