"""Tells Django about the app."""

from django.apps import AppConfig


class TensorsConfig(AppConfig):
    """The tensors app."""

    name = "mindinsight.tensors"
    label = "tensors"
