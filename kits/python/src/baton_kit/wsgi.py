"""Baton's check in front of a WSGI application:

    application = ThroughBaton(application, Checker(os.environ["ORIGIN_SECRET"], ["tickets.example.com"]))

The application finds the `Visit`, or None, in `environ["baton"]`. After the proof was found right, `HTTP_HOST` and
`wsgi.url_scheme` are the visitor's, so absolute URLs lead back through Baton.
"""


class ThroughBaton:
    """Passes on what came through Baton. In the mode `enforce` it answers the rest 403."""

    def __init__(self, application, checker):
        self._application = application
        self._checker = checker

    def __call__(self, environ, start_response):
        verdict = check(self._checker, environ)
        checked = ("Baton-Checked", verdict.checked)
        if verdict.refused:
            body = verdict.refusal.encode()
            plain = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
            start_response("403 Forbidden", [*plain, ("Cache-Control", "no-store"), checked])
            return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

        def start(status, headers, *exc_info):
            return start_response(status, [*headers, checked], *exc_info)

        return self._application(environ, start)


def check(checker, environ):
    """Checks the request of `environ` and notes the visit in it."""
    # WSGI gives the path's bytes as latin-1.
    path = (environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")).encode("latin-1")
    query, mount = environ.get("QUERY_STRING", ""), environ.get("SCRIPT_NAME", "")
    verdict = checker.check(environ["REQUEST_METHOD"], path, query, lambda name: environ.get(_key(name)), mount=mount)
    environ["baton"] = verdict.visit
    if verdict.visit:
        environ["HTTP_HOST"] = verdict.visit.host
        environ["wsgi.url_scheme"] = verdict.visit.scheme
    return verdict


def _key(name):
    return "HTTP_" + name.upper().replace("-", "_")
