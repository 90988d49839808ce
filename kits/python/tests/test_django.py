"""The kit inside Django, under its WSGI and its ASGI handler: the shared table, hosts, CSRF, the cache as a store, `hold`."""

import asyncio
import hashlib
import hmac
import io
import logging
import tempfile
import unittest
from functools import partial
from pathlib import Path
from unittest.mock import patch

from .table import HOSTS, NOW_MS, REQUESTS, SECRET, TABLE, environ_of, scope_of

try:
    import django
except ImportError as error:  # The rest of the kit is tested without it.
    raise unittest.SkipTest("Django is not installed: pip install Django") from error

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.db import connection, transaction
from django.http import HttpResponse, JsonResponse
from django.test import override_settings
from django.urls import re_path

from baton_kit import Checker, MemoryStore

scope_of_table = scope_of
FOLDER = tempfile.TemporaryDirectory()
BATON = {"secret": SECRET, "hosts": HOSTS, "mode": "enforce"}


def shop(request, *_):
    return JsonResponse({"url": request.build_absolute_uri("/next"), "visit": request.baton and vars(request.baton)})


def reserve(request):
    from baton_kit.django import StaleFence, extend, hold, release, require_lease, stock

    require_lease(request)
    try:
        with transaction.atomic():
            hold(request, "seat:4-12")
    except StaleFence as stale:
        return HttpResponse(str(stale), status=409)
    return stock(extend(release(HttpResponse("yours")), 300), "onsale", 1_200)


urlpatterns = [re_path("^buy/seat$", reserve), re_path("(?s)^.*$", shop)]

settings.configure(
    ROOT_URLCONF=__name__,
    SECRET_KEY="of no account",
    ALLOWED_HOSTS=[host.partition(":")[0] for host in HOSTS],
    APPEND_SLASH=False,
    INSTALLED_APPS=["baton_kit.django"],
    MIDDLEWARE=["baton_kit.django.ThroughBaton", "django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(FOLDER.name) / "shop.sqlite3"}},
    CACHES={"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "baton_cache"}},
    BATON=BATON,
    LOGGING_CONFIG=None,
)
django.setup()


def setUpModule():
    call_command("migrate", verbosity=0)
    call_command("createcachetable")
    logging.disable(logging.CRITICAL)


def tearDownModule():
    logging.disable(logging.NOTSET)
    connection.close()
    FOLDER.cleanup()


def by_wsgi(handler, case, body=b""):
    answer = {}

    def start_response(status, headers, exc_info=None):
        answer.update(status=int(status[:3]), headers=dict(headers))

    environ = {**environ_of(case), "wsgi.input": io.BytesIO(body), "wsgi.errors": None, "CONTENT_LENGTH": str(len(body))}
    answer["body"] = b"".join(handler(environ, start_response)).decode()
    return answer


def by_asgi(handler, case, body=b""):
    answer = {"body": ""}
    received = [{"type": "http.request", "body": body}]

    async def receive():
        return received.pop() if received else await asyncio.Event().wait()

    async def send(message):
        if message["type"] == "http.response.start":
            headers = {name.decode().title(): value.decode() for name, value in message["headers"]}
            answer.update(status=message["status"], headers=headers)
        else:
            answer["body"] += message["body"].decode()

    asyncio.run(handler(scope_of(case), receive, send))
    return answer


WAYS = ((WSGIHandler, by_wsgi), (ASGIHandler, by_asgi))


def handlers(make_store=lambda: None, **more):
    """A handler and a way to ask it, of each kind, whose clock is the table's."""
    at_the_tables_time = partial(Checker, now_ms=lambda: NOW_MS)
    for make, ask in WAYS:
        with override_settings(BATON={**BATON, "store": make_store(), **more}), patch("baton_kit.django.Checker", at_the_tables_time):
            handler = make()
        yield handler, ask


class InsideDjango(unittest.TestCase):
    def test_the_table(self):
        for mode in ("enforce", "report"):
            for case in TABLE["requests"]:
                for handler, ask in handlers(mode=mode, rooms=case.get("rooms"), answers_preflights=case.get("answers_preflights", False), make_store=MemoryStore):
                    with self.subTest(case=case["name"], mode=mode, way=ask.__name__):
                        self.says(handler, ask, mode, case)

    def says(self, handler, ask, mode, case):
        for word in case["says"]:
            answer = ask(handler, case)
            self.assertEqual(answer["headers"]["Baton-Checked"], "ok" if word == "ok" else f"no;{word}")
            if mode == "enforce" and word != "ok":
                self.assertEqual((answer["status"], answer["headers"]["Cache-Control"]), (403, "no-store"))
            elif word == "ok" and case["method"] in ("GET", "HEAD"):
                self.assertEqual(answer["status"], 200)
                self.assertIn(f'"url": "https://{case["visit"]["host"]}/next"', answer["body"])

    def test_a_form_of_the_visitors_host_passes_csrf_and_no_other(self):
        token = "a" * 32
        form = f"csrfmiddlewaretoken={token}".encode()
        for origin, status in (("https://tickets.example.com", 200), ("https://shop.internal:8000", 403)):
            for handler, ask in handlers():
                case = {**REQUESTS["a change"], "headers": {**REQUESTS["a change"]["headers"]}}
                case["headers"].update({"origin": origin, "cookie": f"csrftoken={token}", "content-type": "application/x-www-form-urlencoded"})
                self.assertEqual(ask(handler, case, form)["status"], status, f"{origin} {ask.__name__}")

    def test_a_mount_point_that_the_shop_did_not_choose_is_refused(self):
        mounted = {"SCRIPT_NAME": "/buy", "PATH_INFO": "/a/b"}
        for mount, status in (("/buy", 200), ("", 403)):
            (wsgi, _), (asgi, ask) = handlers(mount=mount)
            environ = {**environ_of(REQUESTS["an encoded slash"]), **mounted, "wsgi.input": io.BytesIO(), "wsgi.errors": None}
            statuses = []
            wsgi(environ, lambda status, headers: statuses.append(int(status[:3])))
            with patch(f"{__name__}.scope_of", lambda case: {**scope_of_table(case), "root_path": "/buy"}):
                statuses.append(ask(asgi, REQUESTS["an encoded slash"])["status"])
            self.assertEqual(statuses, [status, status], mount)

    def test_the_cache_as_a_store(self):
        from baton_kit.django import CacheStore

        for handler, ask in handlers(make_store=CacheStore):
            with self.subTest(ask.__name__):
                connection.cursor().execute("DELETE FROM baton_cache")
                said = [ask(handler, REQUESTS["a look"])["headers"]["Baton-Checked"] for _ in range(2)]
                self.assertEqual(said, ["ok", "no;replay"])

    def test_a_cache_keeps_a_proof_to_the_end_of_its_last_second(self):
        from baton_kit.django import CacheStore

        connection.cursor().execute("DELETE FROM baton_cache")
        self.assertEqual([CacheStore().take("1:late", 0, 900) for _ in range(2)], [True, False])

    def test_hold_refuses_an_older_lease_and_the_shop_speaks_to_baton(self):
        connection.cursor().execute("DELETE FROM baton_fences")
        for handler, ask in handlers():
            case = {**REQUESTS["a look"], "url": "/buy/seat", "name": "reserve"}
            answers = [ask(handler, signed(case, fence)) for fence in (907, 906, 908)]
            self.assertEqual([answer["status"] for answer in answers], [200, 409, 200])
            headers = answers[0]["headers"]
            self.assertEqual((headers["Baton-Release"], headers["Baton-Extend"]), ("1", "300"))
            self.assertRegex(headers["Baton-Stock"], r"^v1;left=1200;t=\d+;mac=[0-9a-f]{64}$")
            connection.cursor().execute("DELETE FROM baton_fences")

    def test_a_view_that_reserves_refuses_who_holds_no_lease(self):
        for handler, ask in handlers():
            case = {**REQUESTS["a look"], "url": "/buy/seat", "name": "reserve"}
            self.assertEqual(ask(handler, signed(case, 0))["status"], 403)

    def test_settings_that_are_wrong_are_named_with_their_cure(self):
        for wrong, said in (({}, "secret"), ({"secret": "s"}, "hosts"), ({**BATON, "modus": 1}, "modus"), (None, "settings.BATON is missing")):
            with self.subTest(said), override_settings(BATON=wrong), self.assertRaisesRegex(ImproperlyConfigured, said):
                WSGIHandler()

    def test_the_migration_is_whole(self):
        call_command("makemigrations", "baton", check=True, dry_run=True, verbosity=0)


def signed(case, fence):
    """The case under another fence, signed anew."""
    target, nonce = case["url"], f"{fence:016x}"
    text = f"baton-proof-v1\n{NOW_MS}\n{nonce}\nGET\ntickets.example.com\n{target}\nonsale\n{fence}"
    mac = hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest()
    proof = f"v1;t={NOW_MS};n={nonce};mac={mac}"
    return {**case, "headers": {**case["headers"], "baton-proof": proof, "baton-target": target, "baton-fence": str(fence)}}


if __name__ == "__main__":
    unittest.main()
