"""Sets Django up in processes that are not run by its own commands. Called by every entry point, first of all."""

from __future__ import annotations

import os

from django.apps import apps
from django.conf import settings

from mindinsight.config.lean import import_later


def set_up() -> None:
    """Sets Django up, unless that has been done: in this process, or in the one that this one was forked from.

    What `django.setup` does besides is done by the settings (logging) and by the request's handler (the prefix of its
    addresses); doing it there would take a fifth of a start, which imports addresses, views and templates. The models
    bring forms, which only views use, and Django's log brings mail, which nothing does.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindinsight.config.settings")
    if not apps.ready:
        import_later("sqlparse")
        import_later("django.forms")
        import_later("django.core.mail")
        apps.populate(settings.INSTALLED_APPS)
