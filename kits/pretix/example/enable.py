"""Enables the plugin in the event that make_event.py made:

    python enable.py
"""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pretix.settings")
django.setup()

from django_scopes import scopes_disabled  # noqa: E402
from pretix.base.models import Event  # noqa: E402

with scopes_disabled():
    event = Event.objects.get(slug="fest", organizer__slug="demo")
    event.enable_plugin("pretix_baton")
    event.save()
print("The event Festival has the plugin Baton: whoever reserves or orders needs a permit.")
