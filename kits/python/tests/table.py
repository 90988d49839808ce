"""The shared table of test vectors, and requests made from it."""

import json
from pathlib import Path
from urllib.parse import unquote_to_bytes

from baton_kit import Checker, MemoryStore

TABLE = json.loads((Path(__file__).parents[2] / "vectors.json").read_text("utf-8"))
SECRET, HOSTS, NOW_MS = TABLE["secret"], TABLE["hosts"], TABLE["now_ms"]
REQUESTS = {case["name"]: case for case in TABLE["requests"]}


def checker(mode="enforce", store=None, **more):
    """A checker whose clock is the table's."""
    return Checker(SECRET, HOSTS, mode=mode, store=store, now_ms=lambda: NOW_MS, **more)


def checker_of(case, mode="enforce"):
    """A checker with a store and the settings of the case."""
    return checker(mode, MemoryStore(), rooms=case.get("rooms"), answers_preflights=case.get("answers_preflights", False))


def environ_of(case):
    """The request as a WSGI server gives it."""
    path, _, query = case["url"].partition("?")
    # A server decodes the path into bytes and gives them as latin-1.
    environ = {"REQUEST_METHOD": case["method"], "SCRIPT_NAME": "", "PATH_INFO": unquote_to_bytes(path).decode("latin-1"), "QUERY_STRING": query}
    environ.update({"HTTP_" + name.upper().replace("-", "_"): value for name, value in case["headers"].items()})
    environ["CONTENT_TYPE"] = case["headers"].get("content-type", "")
    return {**environ, "wsgi.url_scheme": "http", "SERVER_NAME": "shop.internal", "SERVER_PORT": "8000"}


def scope_of(case):
    """The request as an ASGI server gives it."""
    path, _, query = case["url"].partition("?")
    return {
        "type": "http",
        "method": case["method"],
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "scheme": "http",
        "root_path": "",
        # A server gives bytes. What is beyond them cannot arrive; it stands for any odd byte.
        "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in case["headers"].items()],
    }
