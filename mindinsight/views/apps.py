"""Tells Django about the app."""

from django.apps import AppConfig


class ViewsConfig(AppConfig):
    """The app of saved views."""

    name = "mindinsight.views"
    label = "views"
