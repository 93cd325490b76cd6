"""`mindinsight check` and `mindinsight convert`: files of models, by the training core, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import click

__all__ = ["check", "convert"]


@click.command()
@click.argument("file", type=click.Path())
def check(file: str) -> None:
    """Tell what the model in FILE has, and what of it is not supported.

    The exit status is 1 if something is not supported, or if the file cannot be read.
    """
    _call("check", file)


@click.command()
@click.argument("source", type=click.Path())
@click.argument("target", type=click.Path())
@click.option(
    "--opset", type=click.IntRange(13, 24), default=20, show_default=True, help="Version of ONNX's operators."
)
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="NAME=LENGTHS",
    help="Shape of an input, such as image=?,3,224,224; ? is an open dimension.  [repeatable]",
)
def convert(source: str, target: str, opset: int, shapes: tuple[str, ...]) -> None:
    """Write the model or the weights in SOURCE to TARGET, in the format that its suffix tells."""
    _call("convert", source, target, "--opset", str(opset), *(f"--shape={shape}" for shape in shapes))


def _call(name: str, *arguments: str) -> None:
    """Run the core's command, and end with its exit status."""
    command = [sys.executable, "-m", "framework", name, *arguments]
    sys.exit(subprocess.call(command))
