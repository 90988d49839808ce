"""Baton's check in front of an ASGI application:

    application = ThroughBaton(application, Checker(os.environ["ORIGIN_SECRET"], ["tickets.example.com"]))

The application finds the `Visit`, or None, in `scope["baton"]`. After the proof was found right, the header `Host` and
`scope["scheme"]` are the visitor's. WebSockets are checked as the GET requests that open them.
"""

import asyncio
from urllib.parse import unquote_to_bytes

_OURS = {"http": "http.response.start", "websocket": "websocket.accept"}


class ThroughBaton:
    """Passes on what came through Baton. In the mode `enforce` it answers the rest 403."""

    def __init__(self, application, checker):
        self._application = application
        self._checker = checker

    async def __call__(self, scope, receive, send):
        if scope["type"] not in _OURS:
            return await self._application(scope, receive, send)
        verdict, scope = await check(self._checker, scope)
        if verdict.refused:
            return await _refuse(verdict, scope, receive, send)

        async def marked(message):
            if message["type"] == _OURS[scope["type"]]:
                headers = [*message.get("headers", ()), (b"baton-checked", verdict.checked.encode())]
                message = {**message, "headers": headers}
            await send(message)

        return await self._application(scope, receive, marked)


async def check(checker, scope):
    """Checks the request of `scope`; gives the verdict, and the scope in which the visit is noted."""
    found = {}
    for name, value in scope["headers"]:
        name, value = name.decode("latin-1").lower(), value.decode("latin-1")
        # A header that comes twice is one list, as in WSGI: no second line may hide behind the first.
        found[name] = f"{found[name]}, {value}" if name in found else value
    query = scope.get("query_string", b"").decode("latin-1")
    path, shown = path_of(scope)
    asked = (scope.get("method", "GET"), path, query, found.get, shown, scope.get("root_path", ""))
    verdict = await asyncio.to_thread(checker.check, *asked) if checker.may_block else checker.check(*asked)
    scope = {**scope, "baton": verdict.visit}
    if verdict.visit:
        headers = [pair for pair in scope["headers"] if pair[0].lower() != b"host"]
        scope["headers"] = [*headers, (b"host", verdict.visit.host.encode())]
        secure, plain = ("wss", "ws") if scope["type"] == "websocket" else ("https", "http")
        scope["scheme"] = secure if verdict.visit.scheme == "https" else plain
    return verdict, scope


def path_of(scope):
    """The path of `scope` as bytes, and what its server did to decoded bytes, as `Checker.check` takes them."""
    raw_path = scope.get("raw_path")
    if raw_path:
        return unquote_to_bytes(raw_path), bytes
    return _as_text(scope["path"].encode("utf-8", "replace")), _as_text


def _as_text(decoded):
    return decoded.decode("utf-8", "replace").encode("utf-8")


async def _refuse(verdict, scope, receive, send):
    body = verdict.refusal.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"baton-checked", verdict.checked.encode()),
    ]
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
    else:
        await receive()
        # Before it is accepted, a server answers this with 403.
        await send({"type": "websocket.close", "code": 1008})
