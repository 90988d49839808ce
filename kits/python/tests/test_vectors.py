"""Every request of the shared table, by the checker alone and behind WSGI and ASGI."""

import asyncio
import logging
import unittest
from dataclasses import asdict
from urllib.parse import unquote_to_bytes

from baton_kit import asgi, stock, wsgi

from .table import SECRET, TABLE, checker_of, environ_of, scope_of

VISIT = ("host", "scheme", "room", "edition", "ticket", "fence")


def setUpModule():
    logging.disable(logging.CRITICAL)


def tearDownModule():
    logging.disable(logging.NOTSET)


def by_hand(checker, case):
    path, _, query = case["url"].partition("?")
    verdict = checker.check(case["method"], unquote_to_bytes(path), query, case["headers"].get)
    return (403 if verdict.refused else 200), verdict.checked, verdict.visit


def by_wsgi(checker, case):
    seen = {}

    def application(environ, start_response):
        seen.update(environ)
        start_response("200 OK", [])
        return [b"the shop"]

    def start_response(status, headers, exc_info=None):
        seen["answer"] = int(status[:3]), dict(headers)["Baton-Checked"]

    wsgi.ThroughBaton(application, checker)(environ_of(case), start_response)
    return (*seen["answer"], seen.get("baton"))


def by_asgi(checker, case):
    seen = {}

    async def application(scope, receive, send):
        seen.update(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"the shop"})

    async def send(message):
        if message["type"] == "http.response.start":
            seen["answer"] = message["status"], dict(message["headers"])[b"baton-checked"].decode()

    asyncio.run(asgi.ThroughBaton(application, checker)(scope_of(case), None, send))
    return (*seen["answer"], seen.get("baton"))


class TheTable(unittest.TestCase):
    def test_each_way_says_what_the_table_says(self):
        for way in (by_hand, by_wsgi, by_asgi):
            for mode in ("enforce", "report"):
                for case in TABLE["requests"]:
                    with self.subTest(way=way.__name__, mode=mode, case=case["name"]):
                        self.says(way, mode, case)

    def says(self, way, mode, case):
        checker = checker_of(case, mode)
        for word in case["says"]:
            status, checked, visit = way(checker, case)
            self.assertEqual(checked, "ok" if word == "ok" else f"no;{word}")
            self.assertEqual(status, 200 if word == "ok" or mode == "report" else 403)
            if word == "ok":
                self.assertEqual({key: asdict(visit)[key] for key in VISIT}, case["visit"])
            else:
                self.assertIsNone(visit)

    def test_stock(self):
        for case in TABLE["stock"]:
            self.assertEqual(stock(SECRET, case["room"], case["left"], now_ms=case["at_ms"]), ("Baton-Stock", case["header"]))


if __name__ == "__main__":
    unittest.main()
