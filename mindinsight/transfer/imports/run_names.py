"""Checks the names of runs: a run must stay below the base directory, and a dashboard must show it."""

from __future__ import annotations

import os
from pathlib import Path

from mindinsight.transfer.errors import TransferError
from summaries.naming import MAX_DEPTH, is_hparams_directory

_LONGEST_PART = 255


def check_run_name(name: str) -> str:
    """Returns `name` if it is a valid name for a run: a path of plain folder names, relative to the base directory.

    Raises:
        TransferError: it leads elsewhere, or a dashboard would ignore it. The message says why.
    """
    problem = _problem(name)
    if problem:
        shown = name if len(name) <= 80 else f"{name[:80]}..."
        raise TransferError(f"{shown!r} is not a name for a run: {problem}. Choose one with --name.")
    return name


def _problem(name: str) -> str | None:
    parts = name.split("/")
    try:
        encoded = [part.encode() for part in parts]
    except UnicodeEncodeError:
        return "it is not valid text"
    if "\0" in name:
        return "it has a zero character"
    if name.startswith("/"):
        return "it is an absolute path"
    if "" in parts:
        return "a folder in it has no name"
    if any(part.startswith(".") for part in parts):
        return "a folder in it begins with a dot, so a dashboard ignores it or it leads elsewhere"
    if len(parts) > MAX_DEPTH:
        return f"it has more than {MAX_DEPTH} folders"
    if any(len(part) > _LONGEST_PART for part in encoded):
        return f"a folder in it has a name of more than {_LONGEST_PART} bytes"
    if is_hparams_directory(parts[-1]):
        return "it has the form of the folders in which TensorBoard keeps hyper-parameters"
    return None


def place_of(base: Path, name: str) -> Path:
    """Returns the directory of the run `name` below `base`.

    Raises:
        TransferError: the name is invalid, or a link or a file blocks its path.
    """
    path = base
    for part in check_run_name(name).split("/"):
        path = path / part
        if path.is_symlink():
            raise TransferError(f"{path} is a symbolic link, which a dashboard does not follow. Choose another name.")
        if os.path.lexists(path) and not path.is_dir():
            raise TransferError(f"{path} is a file, so no run can be there. Choose another name.")
    return path
