"""Sets Django up in processes that Django's own commands do not run. Every entry point calls this first."""

from __future__ import annotations

import os

from django.apps import apps
from django.conf import settings

from mindinsight.config.lean import import_later


def set_up() -> None:
    """Sets Django up, unless this process or the one that it was forked from has done so already.

    `django.setup` does more: it configures logging, which our settings do, and sets the prefix of addresses, which the
    request's handler does. That part would take a fifth of the start, because it imports addresses, views and
    templates. Models also import forms, which only views use, and Django's logging imports mail, which nothing uses.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindinsight.config.settings")
    if not apps.ready:
        import_later("sqlparse")
        import_later("django.forms")
        import_later("django.core.mail")
        apps.populate(settings.INSTALLED_APPS)
