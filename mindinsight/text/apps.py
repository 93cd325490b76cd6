"""Tells Django about the app."""

from django.apps import AppConfig


class TextConfig(AppConfig):
    """The text app."""

    name = "mindinsight.text"
    label = "text"
