"""What the plugin does in an event for which it is enabled: refuses, releases, keeps.

`baton_kit.django.ThroughBaton` stands before it and has checked each request (`request.baton`).
"""

import json

from baton_kit import NoLease
from baton_kit.django import release, require_lease
from django.core.exceptions import PermissionDenied
from django.dispatch import receiver
from django.urls import resolve
from django.utils.html import format_html
from pretix.presale.signals import html_head, process_request, process_response

CHECKOUT = {"event.checkout", "event.checkout.start"}
# By view and not by path, for pretix answers some of them below other paths too.
OVER = "Your visit is over, and with it your permit to order. Open the event's page again to come in, or to get a place in the line."
RESERVING = CHECKOUT | {"event.cart.add", "event.cart.create", "event.cart.extend", "event.cart.voucher", "event.redeem"}


@receiver(process_request, dispatch_uid="pretix_baton_request")
def refuse(sender, request, **kwargs):
    """Whoever has no permit neither reserves nor orders."""
    if resolve(request.path_info).url_name in RESERVING:
        try:
            require_lease(request)
        except NoLease as refused:
            raise PermissionDenied(OVER) from refused


@receiver(process_response, dispatch_uid="pretix_baton_response")
def give_back(sender, request, response, **kwargs):
    """The answer that leads to the new order gives the permit back: a redirect, or JSON for pretix' script."""
    is_done = resolve(request.path_info).url_name in CHECKOUT and "/order/" in _leads_to(response)
    return release(response) if is_done else response


@receiver(html_head, dispatch_uid="pretix_baton_head")
def keep(sender, request, **kwargs):
    """The page keeps the lease while it is open, and loads itself anew when its visit is over."""
    room = request.baton.room if request.baton else None
    return format_html('<script src="/__baton/static/keep.js" data-room="{}" data-over="reload" defer></script>', room) if room else ""


def _leads_to(response):
    if response.headers.get("Content-Type", "").startswith("application/json"):
        return json.loads(response.content).get("redirect") or ""
    return response.headers.get("Location", "")
