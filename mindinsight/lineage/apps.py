"""Tells Django about the app."""

from django.apps import AppConfig


class LineageConfig(AppConfig):
    """The app of lineage."""

    name = "mindinsight.lineage"
    label = "lineage"
