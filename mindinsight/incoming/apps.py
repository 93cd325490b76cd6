"""Tells Django about the app."""

from django.apps import AppConfig


class IncomingConfig(AppConfig):
    """The app of runs that arrive over the network."""

    name = "mindinsight.incoming"
    label = "incoming"
