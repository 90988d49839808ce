"""A shop on one of Python's frameworks, with one gated page: `/buy` with all below it answers `buy`, whatever the framework makes of a target.

python shop.py NAME     prints `listening on 127.0.0.1:PORT`, once it listens
"""

import socket
import sys


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


PORT = free_port()


def django_app():
    import django
    from django.conf import settings
    from django.http import HttpResponse
    from django.urls import re_path

    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="of no account", MIDDLEWARE=[], APPEND_SLASH=False, LOGGING_CONFIG=None)
    django.setup()
    globals()["urlpatterns"] = [re_path(r"^buy(/.*)?$", lambda _request, *_: HttpResponse("buy", headers={"Content-Length": "3"})), re_path(r"(?s)^.*$", lambda _request: HttpResponse("other"))]


def django_wsgi():
    django_app()
    from django.core.handlers.wsgi import WSGIHandler

    return WSGIHandler()


def flask_app():
    import flask

    app = flask.Flask(__name__)
    app.add_url_rule("/buy", "buy", lambda: "buy", strict_slashes=False)
    app.add_url_rule("/buy/<path:rest>", "below", lambda rest: "buy")
    app.add_url_rule("/", "home", lambda: "other")
    return app


def werkzeug(app):
    import logging

    from werkzeug.serving import make_server

    logging.disable(logging.CRITICAL)
    return make_server("127.0.0.1", PORT, app, threaded=True).serve_forever


def waitress(app):
    import logging

    from waitress import create_server

    logging.disable(logging.CRITICAL)
    return create_server(app, host="127.0.0.1", port=PORT, threads=4).run


def gunicorn(app):
    from gunicorn.app.base import BaseApplication

    class Server(BaseApplication):
        def load_config(self):
            self.cfg.set("bind", f"127.0.0.1:{PORT}")
            self.cfg.set("worker_class", "gthread")
            self.cfg.set("loglevel", "critical")

        def load(self):
            return app

    return Server().run


def uvicorn(app):
    import uvicorn as server

    return lambda: server.run(app, host="127.0.0.1", port=PORT, log_level="critical", loop="asyncio")


def hypercorn(app):
    import asyncio

    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"127.0.0.1:{PORT}"]
    config.errorlog = None
    return lambda: asyncio.run(serve(app, config))


def daphne(app):
    from daphne.server import Server
    from daphne.endpoints import build_endpoint_description_strings

    return Server(application=app, endpoints=build_endpoint_description_strings(host="127.0.0.1", port=PORT), signal_handlers=False).run


def bottle_app():
    import bottle

    app = bottle.Bottle()
    app.route("/buy", callback=lambda: "buy")
    app.route("/buy/<rest:path>", callback=lambda rest: "buy")
    return app


def falcon_app():
    import falcon

    class Buy:
        def on_get(self, _request, response, rest=None):
            response.text = "buy"

    app = falcon.App()
    app.add_route("/buy", Buy())
    app.add_route("/buy/{rest:path}", Buy())
    return app


def pyramid_app():
    from pyramid.config import Configurator
    from pyramid.response import Response

    with Configurator() as config:
        for name, pattern in (("buy", "/buy"), ("below", "/buy/*rest")):
            config.add_route(name, pattern)
            config.add_view(lambda _request: Response("buy"), route_name=name)
        return config.make_wsgi_app()


def starlette_app():
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Mount, Route

    def buy(_request):
        return PlainTextResponse("buy")

    return Starlette(routes=[Mount("/buy", routes=[Route("/{rest:path}", buy)]), Route("/{rest:path}", lambda _request: PlainTextResponse("other"))])


def django_asgi():
    django_app()
    from django.core.handlers.asgi import ASGIHandler

    return ASGIHandler()


def cherrypy():
    import cherrypy as server

    class Buy:
        @server.expose
        def default(self, *_rest):
            return "buy"

    class Shop:
        buy = Buy()

        @server.expose
        def default(self, *_rest):
            return "other"

    server.config.update({"server.socket_host": "127.0.0.1", "server.socket_port": PORT, "log.screen": False, "environment": "embedded", "server.thread_pool": 4})
    return lambda: server.quickstart(Shop())


def aiohttp():
    from aiohttp import web

    async def buy(_request):
        return web.Response(text="buy")

    app = web.Application()
    app.router.add_get("/buy", buy)
    app.router.add_get("/buy/{rest:.*}", buy)
    return lambda: web.run_app(app, host="127.0.0.1", port=PORT, print=None, access_log=None)


def tornado():
    import asyncio
    import logging

    from tornado import web

    class Buy(web.RequestHandler):
        def get(self, *_rest):
            self.finish("buy")

    logging.disable(logging.CRITICAL)

    async def serve():
        web.Application([(r"/buy(/.*)?", Buy)]).listen(PORT, "127.0.0.1")
        await asyncio.Event().wait()

    return lambda: asyncio.run(serve())


def sanic():
    from sanic import Sanic, response

    async def buy(_request, **_rest):
        return response.text("buy")

    app = Sanic("shop")
    app.add_route(buy, "/buy", name="buy", unquote=True)
    app.add_route(buy, "/buy/<rest:path>", name="below", unquote=True)
    return lambda: app.run(host="127.0.0.1", port=PORT, single_process=True, access_log=False, motd=False)


def litestar_app():
    from litestar import Litestar, get

    @get(["/buy", "/buy/{rest:path}"], sync_to_thread=False)
    def buy() -> str:
        return "buy"

    return Litestar([buy])


def blacksheep_app():
    from blacksheep import Application

    async def buy():
        return "buy"

    app = Application()
    for pattern in ("/buy", "/buy/{path:rest}"):
        app.router.add_get(pattern, buy)
    return app


def quart_app():
    from quart import Quart

    async def buy(**_rest):
        return "buy"

    app = Quart(__name__)
    app.add_url_rule("/buy", "buy", buy, strict_slashes=False)
    app.add_url_rule("/buy/<path:rest>", "below", buy)
    return app


def muffin_app():
    import muffin

    async def buy(_request):
        return "buy"

    app = muffin.Application("shop")
    for pattern in ("/buy", "/buy/{rest:path}"):
        app.route(pattern)(buy)
    return app


def microdot():
    from microdot import Microdot

    async def buy(_request, **_rest):
        return "buy"

    app = Microdot()
    for pattern in ("/buy", "/buy/<path:rest>"):
        app.get(pattern)(buy)
    return lambda: app.run(host="127.0.0.1", port=PORT)


def robyn():
    from robyn import Robyn

    def buy(request):
        return "buy"

    app = Robyn(__file__)
    for pattern in ("/buy", "/buy/*rest"):
        app.get(pattern)(buy)
    sys.argv = sys.argv[:1]
    return lambda: app.start(host="127.0.0.1", port=PORT)


def granian(app):
    def run():
        import asyncio

        from granian.server.embed import Server

        asyncio.run(Server(app, address="127.0.0.1", port=PORT, interface="asgi", log_enabled=False).serve())

    return run


SHOPS = {
    "flask": lambda: werkzeug(flask_app()),
    "flask-gunicorn": lambda: gunicorn(flask_app()),
    "django-gunicorn": lambda: gunicorn(django_wsgi()),
    "django-daphne": lambda: daphne(django_asgi()),
    "bottle-waitress": lambda: waitress(bottle_app()),
    "falcon-waitress": lambda: waitress(falcon_app()),
    "pyramid-waitress": lambda: waitress(pyramid_app()),
    "starlette-uvicorn": lambda: uvicorn(starlette_app()),
    "starlette-hypercorn": lambda: hypercorn(starlette_app()),
    "litestar-granian": lambda: granian(litestar_app()),
    "blacksheep-uvicorn": lambda: uvicorn(blacksheep_app()),
    "quart-hypercorn": lambda: hypercorn(quart_app()),
    "muffin-uvicorn": lambda: uvicorn(muffin_app()),
    "sanic": sanic,
    "microdot": microdot,
    "robyn": robyn,
    "cherrypy": cherrypy,
    "aiohttp": aiohttp,
    "tornado": tornado,
}

serve = SHOPS[sys.argv[1]]()
print(f"listening on 127.0.0.1:{PORT}", flush=True)
serve()
