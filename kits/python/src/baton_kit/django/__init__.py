"""Baton's check for Django, by three settings:

    MIDDLEWARE = ["baton_kit.django.ThroughBaton", *MIDDLEWARE]
    BATON = {"secret": os.environ.get("ORIGIN_SECRET"), "hosts": ["tickets.example.com"], "mode": "report"}
    ALLOWED_HOSTS = ["tickets.example.com"]

It stands first, so that sessions, CSRF and absolute URLs see the visitors' host. A view finds the `Visit`, or None, in
`request.baton`. Jobs and workers load the settings without the secret; only the middleware asks for it. `hold` needs `"baton_kit.django"` in INSTALLED_APPS and `manage.py migrate`. WSGI and ASGI both work.
"""

from math import ceil

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpResponse
from django.utils.encoding import repercent_broken_unicode

from .. import asgi, guard, headers
from ..checker import Checker
from ..guard import FenceGuard, NoLease, StaleFence

__all__ = ["CacheStore", "NoLease", "StaleFence", "ThroughBaton", "extend", "hold", "release", "require_lease", "stock"]

_KEYS = ("secret", "hosts", "mode", "rooms", "store", "mount", "answers_preflights", "health")


class ThroughBaton:
    """Passes on what came through Baton. In the mode `enforce` it answers the rest 403."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response):
        self._get_response = get_response
        self._checker = Checker(**_configured())
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request):
        if iscoroutinefunction(self):
            return self._call_async(request)
        verdict = _check(self._checker, request)
        return _marked(verdict, _refusal(verdict) if verdict.refused else self._get_response(request))

    async def _call_async(self, request):
        check = sync_to_async(_check) if self._checker.may_block else _check
        verdict = check(self._checker, request)
        if self._checker.may_block:
            verdict = await verdict
        return _marked(verdict, _refusal(verdict) if verdict.refused else await self._get_response(request))


class CacheStore:
    """Remembers proofs in a cache of settings.CACHES that all processes share: Redis, Memcached, a database table.

    Not in LocMemCache, which is one process's, nor in FileBasedCache, which may tell two callers that both were first.
    """

    def __init__(self, alias="default"):
        self._alias = alias

    def take(self, key, now_ms, until_ms):
        # Loaded late: settings are still being read when a store is made.
        from django.core.cache import caches

        return caches[self._alias].add(f"baton:{key}", 1, timeout=ceil((until_ms - now_ms) / 1_000))


def release(response):
    """The visitor is done: the lease ends and the next in line is called. Gives the response back."""
    return _set(response, headers.release())


def extend(response, seconds):
    """The visitor needs `seconds` more before the hard end. Gives the response back."""
    return _set(response, headers.extend(seconds))


def stock(response, room, left):
    """The shop has `left` seats for the room. Gives the response back."""
    return _set(response, headers.stock(_configured()["secret"], room, left))


def require_lease(request):
    """Answers 403 to whoever may reserve nothing, whatever the path. Call it first in each view that reserves; see `baton_kit.require_lease`."""
    try:
        guard.require_lease(request.baton)
    except NoLease as why:
        raise PermissionDenied(str(why)) from why


def hold(request, resource, using="default"):
    """Refuses a request whose lease was followed by a newer one that touched `resource`.

    Call it first in the `transaction.atomic()` that reserves. Raises `StaleFence` or `NoLease`; both roll back.
    """
    from django.db import connections

    connection = connections[using]
    # Django marks values one way for all, and Oracle is not among them.
    with connection.cursor() as cursor:
        FenceGuard(connection.vendor, placeholder="%s").hold(cursor, request.baton, resource)


def _configured():
    found = getattr(settings, "BATON", None)
    if not isinstance(found, dict):
        raise ImproperlyConfigured("settings.BATON is missing; set it to {'secret': …, 'hosts': ['tickets.example.com'], 'mode': 'report'}")
    unknown = sorted(set(found) - set(_KEYS))
    if unknown:
        raise ImproperlyConfigured(f"settings.BATON has an unknown key, {unknown[0]!r}; it takes {', '.join(_KEYS)}")
    lacking = [key for key in ("secret", "hosts") if key not in found]
    if lacking:
        raise ImproperlyConfigured(f"settings.BATON has no {lacking[0]!r}; add it")
    return found


def _check(checker, request):
    query = request.META.get("QUERY_STRING", "")
    if hasattr(request, "scope"):
        (path, shown), mount = asgi.path_of(request.scope), request.scope.get("root_path", "")
    else:
        (path, shown), mount = _wsgi_path(request), request.environ.get("SCRIPT_NAME", "")
    verdict = checker.check(request.method, path, query, lambda name: request.META.get(_key(name)), shown, mount)
    request.baton = verdict.visit
    if verdict.visit:
        _believe(request, verdict.visit)
    return verdict


def _wsgi_path(request):
    """The whole path as Django left it in the environ: UTF-8, in which bytes that are none are escapes again."""
    path = request.environ.get("SCRIPT_NAME", "") + request.environ.get("PATH_INFO", "")
    return path.encode("utf-8", "surrogateescape"), repercent_broken_unicode


def _believe(request, visit):
    """From here on the request is one to the visitors' host."""
    request.META["HTTP_HOST"] = request.META["HTTP_X_FORWARDED_HOST"] = visit.host
    if hasattr(request, "scope"):
        request.scope = {**request.scope, "scheme": visit.scheme}
    else:
        request.environ["wsgi.url_scheme"] = visit.scheme


def _key(name):
    return "HTTP_" + name.upper().replace("-", "_")


def _refusal(verdict):
    return HttpResponse(verdict.refusal, status=403, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


def _marked(verdict, response):
    return _set(response, ("Baton-Checked", verdict.checked))


def _set(response, header):
    name, value = header
    response[name] = value
    return response
