"""An origin on Django: answers each request with the path that it resolved, as the base64 of its UTF-8.

.baton/django/bin/python tests/spellings/django_origin.py
"""

import base64
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponse
from django.urls import re_path


def echo(request, *_):
    return HttpResponse(base64.b64encode(request.path_info.encode("utf-8", "surrogateescape")), content_type="text/plain")


urlpatterns = [re_path(r"(?s)^.*$", echo)]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="of no account", MIDDLEWARE=[], APPEND_SLASH=False, LOGGING_CONFIG=None)
django.setup()
server = make_server("127.0.0.1", 0, WSGIHandler(), handler_class=Quiet)
server.socket.listen(512)
print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
