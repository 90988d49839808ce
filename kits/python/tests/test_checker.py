"""What the table does not say: settings that are wrong, the log, proofs without a store, what an application sees."""

import asyncio
import unittest

from baton_kit import Checker, MemoryStore, NoLease, Visit, asgi, extend, release, require_lease, stock, wsgi

from .table import NOW_MS, REQUESTS, TABLE, checker, environ_of, scope_of


def verdict_of(checker, case):
    return checker.check(case["method"], case["url"].partition("?")[0].encode(), case["url"].partition("?")[2], case["headers"].get)


class Settings(unittest.TestCase):
    def test_what_is_wrong_is_named_with_its_cure(self):
        wrong = [
            (("", ["a.example"]), "ORIGIN_SECRET"),
            (("secret", []), "tickets.example.com"),
            (("secret", "a.example"), r"\['a.example'\]"),
            (("secret", ["https://a.example"]), "https://a.example"),
            (("secret", ["a.example"], "on"), "'report' or 'enforce'"),
        ]
        for arguments, said in wrong:
            with self.subTest(arguments), self.assertRaisesRegex(ValueError, said):
                Checker(*arguments)

    def test_a_shop_says_only_what_baton_understands(self):
        self.assertEqual([release(), extend(300)], [("Baton-Release", "1"), ("Baton-Extend", "300")])
        for wrong in (0, -1, 1.5, "300"):
            with self.subTest(wrong), self.assertRaises(ValueError):
                extend(wrong)
        for wrong in (-1, 10_000_001, 1.5):
            with self.subTest(wrong), self.assertRaises(ValueError):
                stock("secret", "onsale", wrong)


class TheLog(unittest.TestCase):
    def test_a_report_says_what_would_be_refused_and_why(self):
        with self.assertLogs("baton", "WARNING") as said:
            verdict = verdict_of(checker("report"), REQUESTS["another secret"])
        self.assertEqual((verdict.refused, verdict.reason), (False, "mac"))
        self.assertEqual(len(said.output), 1)
        self.assertRegex(said.output[0], r"would refuse GET '/buy/' \(mac\): .*ORIGIN_SECRET")

    def test_a_refusal_is_said_too_and_a_good_request_is_not(self):
        with self.assertLogs("baton", "WARNING") as said:
            self.assertTrue(verdict_of(checker(), REQUESTS["no proof"]).refused)
        self.assertRegex(said.output[0], r"refused GET '/buy/' \(missing\)")
        with self.assertNoLogs("baton"):
            verdict_of(checker(), REQUESTS["a look"])

    def test_a_path_breaks_no_line_of_the_log(self):
        with self.assertLogs("baton", "WARNING") as said:
            checker().check("GET", b"/a\nb\xff", "", {}.get)
        self.assertNotIn("\n", said.output[0])


class Leases(unittest.TestCase):
    def test_a_reserving_view_asks_for_a_lease_unless_the_room_lets_everybody_in(self):
        def visit(room="onsale", ticket=7, fence=None, enforced=True):
            return Visit("tickets.example.com", "https", room, 3, ticket, fence, enforced=enforced)

        for fine in (visit(fence=907), visit(ticket=None), None):
            with self.subTest(fine), self.assertNoLogs("baton"):
                require_lease(fine)
        # A farewell, and a path that no room gates.
        for wrong in (visit(), visit(room=None, ticket=None)):
            with self.subTest(wrong), self.assertRaises(NoLease):
                require_lease(wrong)
        with self.assertLogs("baton", "WARNING") as said:
            require_lease(visit(enforced=False))
        self.assertIn("would refuse", said.output[0])

    def test_the_visit_has_the_visitors_address_and_the_kits_mode(self):
        case = REQUESTS["a look"]
        for shown, address in (("203.0.113.9", "203.0.113.9"), ("2001:db8::7, 10.0.0.1", "2001:db8::7"), ("", None)):
            visit = verdict_of(checker("report"), {**case, "headers": {**case["headers"], "x-forwarded-for": shown}}).visit
            self.assertEqual((visit.address, visit.enforced), (address, False))
        self.assertTrue(verdict_of(checker(), case).visit.enforced)

    def test_a_health_check_comes_without_a_proof_by_its_own_path_alone(self):
        ours = checker(health=["/healthz"])
        with self.assertNoLogs("baton"):
            verdict = ours.check("GET", b"/healthz", "", {}.get)
        self.assertEqual((verdict.refused, verdict.visit, verdict.checked), (False, None, "ok"))
        with self.assertLogs("baton"):
            for method, path in (("POST", b"/healthz"), ("GET", b"/healthz/"), ("GET", b"//healthz"), ("GET", b"/HEALTHZ")):
                self.assertTrue(ours.check(method, path, "", {}.get).refused, (method, path))
            self.assertTrue(ours.check("GET", b"/healthz", "", {"baton-proof": "v1"}.get).refused)
        for wrong in ("/healthz", ["healthz"]):
            with self.assertRaisesRegex(ValueError, "/healthz"):
                checker(health=wrong)


class Replays(unittest.TestCase):
    def test_without_a_store_a_look_may_repeat_and_a_change_counts_once(self):
        ours = checker()
        looks = [verdict_of(ours, REQUESTS["a look"]).checked for _ in range(2)]
        self.assertEqual(looks, ["ok", "ok"])
        with self.assertLogs("baton"):
            changes = [verdict_of(ours, REQUESTS["a change"]).checked for _ in range(2)]
        self.assertEqual(changes, ["ok", "no;replay"])

    def test_a_store_that_fails_refuses(self):
        class Broken:
            def take(self, key, now_ms, until_ms):
                raise OSError("the store is away")

        with self.assertLogs("baton") as said:
            self.assertEqual(verdict_of(checker(store=Broken()), REQUESTS["a look"]).checked, "no;replay")
        self.assertIn("the store is away", said.output[0])

    def test_a_store_that_remembers_nothing_is_named_once(self):
        class Dummy:
            def take(self, key, now_ms, until_ms):
                return True

        ours = checker(store=Dummy())
        with self.assertLogs("baton", "ERROR") as said:
            verdicts = [verdict_of(ours, REQUESTS["a look"]).checked for _ in range(2)]
        self.assertEqual((verdicts, len(said.output)), (["ok", "ok"], 1))
        self.assertIn("remembers nothing", said.output[0])
        with self.assertNoLogs("baton"):
            verdict_of(checker(store=MemoryStore()), REQUESTS["a look"])

    def test_memory_forgets_what_is_over_and_refuses_when_full(self):
        memory = MemoryStore()
        memory.KEYS_MAX = 2
        self.assertEqual([memory.take("a", 0, 10), memory.take("b", 1, 11), memory.take("c", 2, 12)], [True, True, False])
        self.assertEqual([memory.take("b", 10, 20), memory.take("c", 10, 20)], [False, True])


class WhatAnApplicationSees(unittest.TestCase):
    def test_wsgi_gets_the_visitors_host_after_a_right_proof_only(self):
        seen = []
        application = wsgi.ThroughBaton(lambda environ, start: seen.append(environ) or [], checker("report"))
        for name in ("a look", "another secret"):
            with self.assertLogs("baton") if name != "a look" else self.assertNoLogs("baton"):
                application(environ_of(REQUESTS[name]), None)
        self.assertEqual([(e["HTTP_HOST"], e["wsgi.url_scheme"]) for e in seen], [("tickets.example.com", "https"), ("shop.internal:8000", "http")])

    def test_a_mount_point_is_part_of_the_path_and_the_shops_to_choose(self):
        environ = {**environ_of(REQUESTS["an encoded slash"]), "SCRIPT_NAME": "/buy", "PATH_INFO": "/a/b"}
        scope = {**scope_of(REQUESTS["an encoded slash"]), "root_path": "/buy"}
        # gunicorn takes it from a client's SCRIPT_NAME, Daphne from Daphne-Root-Path: the rest of the path runs another view.
        for mount, checked in (("/buy", "ok"), ("/buy/", "ok"), ("", "no;target"), ("/b", "no;target")):
            with self.subTest(mount), self.assertLogs("baton") if checked != "ok" else self.assertNoLogs("baton"):
                self.assertEqual(wsgi.check(checker(mount=mount), dict(environ)).checked, checked)
                self.assertEqual(asyncio.run(asgi.check(checker(mount=mount), scope))[0].checked, checked)

    def test_asgi_gets_the_visitors_host_after_a_right_proof_only(self):
        for name, expected in (("a look", (b"tickets.example.com", "https")), ("another secret", (b"shop.internal:8000", "http"))):
            with self.assertLogs("baton") if name != "a look" else self.assertNoLogs("baton"):
                _, scope = asyncio.run(asgi.check(checker("report"), scope_of(REQUESTS[name])))
            self.assertEqual((dict(scope["headers"])[b"host"], scope["scheme"]), expected)

    def test_asgi_without_raw_path(self):
        for name in ("UTF-8", "a byte that is no UTF-8", "an encoded slash", "an escape of an escape"):
            scope = scope_of(REQUESTS[name])
            del scope["raw_path"]
            self.assertEqual(asyncio.run(asgi.check(checker(), scope))[0].checked, "ok", name)

    def test_asgi_a_second_proof_hides_behind_no_first(self):
        scope = scope_of(REQUESTS["a look"])
        scope["headers"] += [pair for pair in scope["headers"] if pair[0] == b"baton-proof"]
        with self.assertLogs("baton"):
            self.assertEqual(asyncio.run(asgi.check(checker(), scope))[0].checked, "no;malformed")

    def test_asgi_websockets_are_checked_and_refused_before_they_open(self):
        sent = []

        async def send(message):
            sent.append(message)

        async def receive():
            return {"type": "websocket.connect"}

        async def application(scope, receive, send):
            await send({"type": "websocket.accept"})

        for name in ("a look", "no proof"):
            scope = {**scope_of(REQUESTS[name]), "type": "websocket", "scheme": "ws"}
            del scope["method"]
            asyncio.run(asgi.ThroughBaton(application, checker())(scope, receive, send))
        self.assertEqual(sent[0], {"type": "websocket.accept", "headers": [(b"baton-checked", b"ok")]})
        self.assertEqual(sent[1], {"type": "websocket.close", "code": 1008})

    def test_a_refusal_is_kept_by_no_cache_and_a_head_has_no_body(self):
        answers = []
        application = wsgi.ThroughBaton(None, checker())
        with self.assertLogs("baton"):
            bodies = [
                application({**environ_of(REQUESTS["no proof"]), "REQUEST_METHOD": method}, lambda status, headers: answers.append((status, dict(headers))))
                for method in ("GET", "HEAD")
            ]
        self.assertEqual(bodies, [[b"Please come in by the front door. (missing)\n"], []])
        self.assertEqual([(status, headers["Cache-Control"]) for status, headers in answers], [("403 Forbidden", "no-store")] * 2)

    def test_the_time_is_this_machines(self):
        with self.assertLogs("baton"):
            late = Checker(TABLE["secret"], TABLE["hosts"], mode="enforce", now_ms=lambda: NOW_MS + 60_001)
            self.assertEqual(verdict_of(late, REQUESTS["a look"]).checked, "no;time")


if __name__ == "__main__":
    unittest.main()
