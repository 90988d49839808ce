"""The test's shop on Django with Baton's kit. Its routes are those of tests/kits/support/story.mjs.

    python django_shop.py migrate
    python django_shop.py runserver PORT
    gunicorn django_shop:application
    uvicorn django_shop:asgi

ORIGIN_SECRET, BATON_HOSTS and BATON_MODE come from the environment, the database file from SHOP_DATABASE.
"""

import hashlib
import os
import sys

import django
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import execute_from_command_line
from django.db import connection, transaction
from django.http import HttpResponseRedirect, JsonResponse
from django.middleware.csrf import get_token
from django.urls import path, reverse
from django.views.decorators.csrf import csrf_exempt

from baton_kit.django import NoLease, StaleFence, extend, hold, release, stock

HOSTS = os.environ["BATON_HOSTS"].split(",")

settings.configure(
    SECRET_KEY="of no account",
    ROOT_URLCONF=__name__,
    WSGI_APPLICATION=f"{__name__}.application",
    ALLOWED_HOSTS=[*HOSTS, "127.0.0.1"],
    INSTALLED_APPS=["django.contrib.sessions", "baton_kit.django"],
    MIDDLEWARE=[
        "baton_kit.django.ThroughBaton",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["SHOP_DATABASE"], "OPTIONS": {"timeout": 20}}},
    BATON={"secret": os.environ["ORIGIN_SECRET"], "hosts": HOSTS, "mode": os.environ["BATON_MODE"]},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()


def front(request):
    visit = request.baton
    return JsonResponse({
        "csrf": get_token(request),
        "absolute": request.build_absolute_uri(reverse("seat")),
        "name": request.session.get("name"),
        "path": request.path,
        "visit": visit and {"room": visit.room, "ticket": visit.ticket, "fence": visit.fence},
    })


def login(request):
    request.session["name"] = request.POST["name"]
    return HttpResponseRedirect(request.build_absolute_uri("/buy/"))


def seat(request):
    try:
        with transaction.atomic():
            hold(request, f"seat:{request.POST['seat']}")
    except (StaleFence, NoLease) as refused:
        return JsonResponse({"refused": type(refused).__name__}, status=409)
    return JsonResponse({"seat": request.POST["seat"]})


def upload(request):
    data = request.FILES["ticket"].read()
    return JsonResponse({"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})


def more(request):
    return stock(extend(JsonResponse({"more": True}), 60), "onsale", 1_200)


@csrf_exempt
def paid(request):
    # Without a look at the body: a server must not lose the answer to a request that was not read to its end.
    return HttpResponseRedirect("/buy/thanks", status=303)


def done(request):
    return release(JsonResponse({"done": True}))


urlpatterns = [
    path("buy/login", login), path("buy/seat", seat, name="seat"), path("buy/upload", upload), path("buy/more", more),
    path("buy/paid", paid), path("buy/done", done), path("<path:anything>", lambda request, anything: front(request)), path("", front),
]

application = WSGIHandler()
asgi = ASGIHandler()

if __name__ == "__main__":
    sys.modules["django_shop"] = sys.modules[__name__]
    if sys.argv[1] == "runserver":
        execute_from_command_line([sys.argv[0], "runserver", "--noreload", f"127.0.0.1:{sys.argv[2]}"])
    else:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode = WAL")
        execute_from_command_line([*sys.argv, "--verbosity", "0"])
