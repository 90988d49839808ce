"""Makes an administrator, and an event with two registration forms: a free one, and one that is paid by hand:

    python make_event.py
"""

from datetime import timedelta

from indico.core.db import db
from indico.modules.auth import Identity
from indico.modules.categories import Category
from indico.modules.events.features.util import set_feature_enabled
from indico.modules.events.models.events import EventType
from indico.modules.events.operations import create_event
from indico.modules.events.registration.models.forms import RegistrationForm
from indico.modules.events.registration.models.registrations import PublishRegistrationsMode
from indico.modules.events.registration.util import create_personal_data_fields
from indico.modules.users.operations import create_user
from indico.util.date_time import now_utc
from indico.web.flask.app import make_app
from indico_payment_manual.plugin import ManualPaymentPlugin

HIDDEN = {f"publish_registrations_{to}": PublishRegistrationsMode.hide_all for to in ("participants", "public")}

with make_app().test_request_context():
    identity = Identity(provider="indico", identifier="admin", password="a password of this example")
    admin = create_user("admin@example.com", {"first_name": "Ada", "last_name": "Admin", "affiliation": ""}, identity)
    admin.is_admin = True
    db.session.flush()
    begins = now_utc() + timedelta(days=60)
    of_event = {"title": "Festival", "start_dt": begins, "end_dt": begins + timedelta(hours=8), "timezone": "UTC", "creator": admin}
    event = create_event(Category.get_root(), EventType.conference, of_event)
    for feature in ("registration", "payment"):
        set_feature_enabled(event, feature, True)
    for name, value in {"enabled": True, "method_name": "Bank transfer", "details": "To our account."}.items():
        ManualPaymentPlugin.event_settings.set(event, name, value)
    for title, price in (("Free ticket", 0), ("Paid ticket", 20)):
        form = RegistrationForm(event=event, title=title, base_price=price, currency="EUR", start_dt=now_utc(), require_captcha=False, **HIDDEN)
        create_personal_data_fields(form)
        db.session.add(form)
    db.session.commit()
print("http://localhost:8000/event/1/registrations/")
