"""Tells Django about the app."""

from django.apps import AppConfig


class PipelinesConfig(AppConfig):
    """The app of data pipelines."""

    name = "mindinsight.pipelines"
    label = "pipelines"
