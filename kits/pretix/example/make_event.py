"""Makes an organizer, `demo`, and an event, `fest`, with a free ticket and one that is paid by hand:

    python make_event.py
"""

import os
from datetime import timedelta
from decimal import Decimal

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pretix.settings")
django.setup()

from django.utils.timezone import now  # noqa: E402
from django_scopes import scope, scopes_disabled  # noqa: E402
from pretix.base.models import Event, Organizer  # noqa: E402

PLUGINS = "pretix.plugins.manualpayment,pretix.plugins.ticketoutputpdf"

with scopes_disabled():
    organizer = Organizer.objects.create(name="Demo", slug="demo")
with scope(organizer=organizer):
    event = Event.objects.create(organizer=organizer, name="Festival", slug="fest", date_from=now() + timedelta(days=60), currency="EUR", live=True, plugins=PLUGINS)
    event.settings.timezone = "UTC"
    event.settings.payment_manual__enabled = True
    event.settings.payment_manual_public_name = "Bank transfer"
    event.settings.ticket_download = True
    event.settings.ticketoutput_pdf__enabled = True
    event.settings.attendee_names_asked = False
    quota = event.quotas.create(name="All", size=10_000)
    for name, price in (("Free ticket", "0.00"), ("Paid ticket", "20.00")):
        quota.items.add(event.items.create(name=name, default_price=Decimal(price), admission=True, active=True))
print("The event Festival has a free ticket, and one of 20 euros that is paid by hand. Once Baton runs: http://localhost:8787/demo/fest/")
