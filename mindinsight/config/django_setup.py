"""Sets Django up in processes that are not run by its own commands. Called by every entry point, first of all."""

from __future__ import annotations

import os

import django
from django.apps import apps

from mindinsight.config.lean import import_later


def set_up() -> None:
    """Sets Django up, unless that has been done: in this process, or in the one that this one was forked from.

    Once more would configure logging again, which touches, and so copies, two megabytes of shared memory.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindinsight.config.settings")
    if not apps.ready:
        import_later("sqlparse")
        import_later("django.core.mail")
        django.setup(set_prefix=False)
