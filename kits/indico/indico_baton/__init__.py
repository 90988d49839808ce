"""Indico's plugin: refuses, releases, keeps, in the events that its settings name.

`baton_kit.wsgi.ThroughBaton` stands before Indico and has checked each request (`request.environ["baton"]`).
"""

from baton_kit import NoLease, release, require_lease
from flask import after_this_request, request
from indico.core import signals
from indico.core.plugins import IndicoPlugin
from indico.modules.events.registration.controllers.display import RHRegistrationForm
from indico.web.forms.base import IndicoForm
from indico.web.forms.fields import TextListField
from markupsafe import Markup
from werkzeug.exceptions import Forbidden


OVER = "Your visit is over, and with it your permit to register. Open the list of forms again to come in, or to get a place in the line."


class SettingsForm(IndicoForm):
    events = TextListField("Events", description="The ids of the events whose registration needs a permit, one a line.")


class BatonPlugin(IndicoPlugin):
    """Baton

    A waiting room: whoever registers must hold a permit, and gives it back with the registration.
    """

    configurable = True
    settings_form = SettingsForm
    default_settings = {"events": []}

    def init(self):
        super().init()
        self.connect(signals.rh.before_process, self._refuse, sender=RHRegistrationForm)
        self.connect(signals.event.registration_created, self._give_back)
        self.template_hook("html-head", self._keep)

    def _refuse(self, sender, rh, **kwargs):
        """By view and not by path: with the `?token=` of an earlier registration the form's path is open.

        Without the kit before it this fails, and opens no door.
        """
        if request.method not in ("GET", "HEAD") and self._is_named(rh.event):
            try:
                require_lease(request.environ["baton"])
            except NoLease as refused:
                raise Forbidden(OVER) from refused

    def _give_back(self, registration, management, **kwargs):
        """The answer that says so gives the permit back. A manager who registers somebody has none."""
        if not management and self._is_named(registration.event):
            after_this_request(_released)

    def _is_named(self, event):
        return str(event.id) in self.settings.get("events")

    def _keep(self, **kwargs):
        """The page keeps the lease while it is open, and loads itself anew when its visit is over."""
        visit = request.environ.get("baton")
        if visit is None or visit.room is None:
            return ""
        return Markup('<script src="/__baton/static/keep.js" data-room="{}" data-over="reload" defer></script>').format(visit.room)


def _released(response):
    # What failed after the signal was rolled back.
    if response.status_code < 400:
        response.headers.set(*release())
    return response
