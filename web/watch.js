/*
 * A guard beside the modules, in a language that the oldest browser knows. If the modules do not start (one was lost on the
 * way, or the browser knows none), it loads the page again, as a page without scripts loads itself. Neither a page that nobody
 * sees yet nor one at an address of Baton's own, which never refreshes, is loaded again.
 */
function watch() {
  setTimeout(
    function () {
      if (document.documentElement.hasAttribute("data-live")) return;
      // Without the fragment, or nothing would load. A form is never sent again, and its address may be no page.
      location.replace(document.body.getAttribute("data-back") || location.href.split("#")[0]);
    },
    Math.max(10, Number(document.body.getAttribute("data-refresh")) || 0) * 1000,
  );
}
if (document.prerendering) document.addEventListener("prerenderingchange", watch);
else if (location.pathname.indexOf("/__baton/") !== 0) watch();
