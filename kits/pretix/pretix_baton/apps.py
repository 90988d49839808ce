"""What pretix shows of the plugin in an event's settings."""

from pretix.base.plugins import PluginConfig

from . import __version__


class BatonApp(PluginConfig):
    default = True
    name = "pretix_baton"
    verbose_name = "Baton"

    class PretixPluginMeta:
        name = "Baton"
        author = "the maintainers of Baton"
        description = "The waiting room: nobody reserves without a permit, and the order gives it back."
        visible = True
        version = __version__
        category = "FEATURE"

    def ready(self):
        from . import signals  # noqa: F401
