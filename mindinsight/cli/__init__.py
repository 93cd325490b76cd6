"""The `mindinsight` command. A subcommand imports slow modules only when it runs."""

from mindinsight.cli.main import main

__all__ = ["main"]
