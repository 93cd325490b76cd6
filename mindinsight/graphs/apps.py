"""Tells Django about the app."""

from django.apps import AppConfig


class GraphsConfig(AppConfig):
    """The graphs app."""

    name = "mindinsight.graphs"
    label = "graphs"
