"""Tells Django about the app."""

from django.apps import AppConfig


class DebuggerConfig(AppConfig):
    """The app of the debugger."""

    name = "mindinsight.debugger"
    label = "debugger"
