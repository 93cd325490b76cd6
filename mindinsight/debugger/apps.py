"""Tells Django about the app."""

from django.apps import AppConfig


class DebuggerConfig(AppConfig):
    """The app of the debugger."""

    name = "mindinsight.debugger"
    label = "debugger"

    def ready(self) -> None:
        """Registers the debugger's hits with the graphs app."""
        from mindinsight.debugger.node_hits import newest_hits
        from mindinsight.graphs.hits import find_hits_with

        find_hits_with(newest_hits)
