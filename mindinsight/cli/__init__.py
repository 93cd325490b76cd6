"""The `mindinsight` command. It imports nothing slow: a subcommand imports what it needs when it runs."""

from mindinsight.cli.main import main

__all__ = ["main"]
