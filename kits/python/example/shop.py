"""A checkout of two pages on Django, as config/shop.py (docs/stacks/django.md)."""

from django.db import transaction
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from baton_kit.django import StaleFence, hold, release

FORM = """<form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="{token}">
<button name="seat" value="4-12">Seat 4-12</button></form>"""


@require_http_methods(["GET", "HEAD", "POST"])
def seats(request):
    if request.method != "POST":
        return HttpResponse(FORM.format(token=get_token(request)))
    try:
        with transaction.atomic():
            hold(request, f"seat:{request.POST['seat']}")
            # your own reservation, in the same transaction
    except StaleFence:
        return HttpResponse("This tab is out of date. Please look at your seats anew.", status=409)
    return redirect(request.build_absolute_uri("/buy/done"))


@require_safe
def done(request):
    return release(HttpResponse("Thank you."))
