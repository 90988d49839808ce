"""pretix' plugin for Baton. `apps` says what it is to pretix, `signals` does it."""

__version__ = "0.1.0"
