"""Tells Django about the app."""

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    """The app of exports."""

    name = "mindinsight.exports"
    label = "exports"
