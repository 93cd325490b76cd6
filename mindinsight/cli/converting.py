"""`mindinsight check` and `mindinsight convert`: files of models, by the training core, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import click

__all__ = ["check", "convert"]

_PASSED = {"ignore_unknown_options": True, "help_option_names": []}


@click.command(context_settings=_PASSED, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def check(arguments: tuple[str, ...]) -> None:
    """Tell what a file of a model has, and what of it is not supported."""
    _call("check", arguments)


@click.command(context_settings=_PASSED, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def convert(arguments: tuple[str, ...]) -> None:
    """Write a model or its weights in another format: ONNX, this framework's, weights alone."""
    _call("convert", arguments)


def _call(name: str, arguments: tuple[str, ...]) -> None:
    """Run the core's command with the same arguments, and end with its exit code."""
    command = [sys.executable, "-m", "framework", name, *arguments]
    sys.exit(subprocess.call(command))
