"""The Django app that brings the fence guard's table. Only shops that call `hold` need it."""

from django.apps import AppConfig


class BatonConfig(AppConfig):
    """`"baton_kit.django"` in INSTALLED_APPS."""

    name = "baton_kit.django"
    label = "baton"
    verbose_name = "Baton"
    default_auto_field = "django.db.models.BigAutoField"
