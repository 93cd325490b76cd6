"""The option that all commands share: the directory of this user's data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _absolute(_context: click.Context, _parameter: click.Parameter, value: str) -> Path:
    try:
        workspace = Path(value).expanduser().absolute()
    except RuntimeError as error:
        raise click.BadParameter(f"{value}: the home directory is unknown. Give an absolute path.") from error
    if workspace.exists() and not workspace.is_dir():
        raise click.BadParameter(f"{workspace} is a file. Give a directory; it is created if it does not exist.")
    return workspace


def workspace_option(command: _Command) -> _Command:
    """Adds `--workspace` to a command, which receives an absolute path."""
    option = click.option(
        "--workspace",
        envvar="MINDINSIGHT_WORKSPACE",
        default="~/mindinsight",
        metavar="DIR",
        show_default=True,
        show_envvar=True,
        callback=_absolute,
        help="Directory of the database, the logs and the token.",
    )
    return option(command)
