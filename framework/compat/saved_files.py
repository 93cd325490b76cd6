"""MindSpore's tools around checkpoint files, for loops that users write; they are private in `train.callback`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from framework.common.parameter import Parameter
from framework.compat import log
from framework.nn.cell import Cell
from framework.train.callback.checkpoint import free_prefix
from framework.train.serialization import load_param_into_net

__all__ = ["CheckpointManager", "check_file_name_prefix", "free_name", "load_saved", "save_graph", "set_current"]

#: The network that `load_saved` loads into.
_current: list[Cell] = []


def set_current(network: Cell) -> None:
    """Choose the network that `load_saved` loads into."""
    _current[:] = [network]


def load_saved(parameters: Iterable[Mapping[str, Any]]) -> bool:
    """Load parameters into the network that `set_current` has chosen.

    Args:
        parameters: dictionaries with `name` and `data`, a tensor.

    Returns:
        Whether there is a network; without one a warning is logged.
    """
    if not _current:
        log.warning("there is no network to load parameters into: choose one with _set_cur_net")
        return False
    named = {item["name"]: Parameter(item["data"], name=item["name"]) for item in parameters}
    load_param_into_net(_current[0], named)
    return True


def check_file_name_prefix(prefix: object) -> bool:
    """Whether a text can begin the name of a file: it is not empty and names no directory."""
    return isinstance(prefix, str) and bool(prefix) and "/" not in prefix and os.sep not in prefix


def free_name(directory: str, prefix: str, exception: bool = False) -> str:
    """The beginning of names that no checkpoint in a directory has yet.

    Args:
        directory: the directory.
        prefix: the wanted beginning.
        exception: whether the file is saved for an error; the name then says so.
    """
    return free_prefix(Path(directory), f"{prefix}_breakpoint" if exception else prefix)


def save_graph(network: bytes, file_name: str) -> None:
    """Write a serialized graph to a file that its owner can read.

    Args:
        network: the graph's bytes.
        file_name: the file.
    """
    path = Path(file_name)
    path.write_bytes(network)
    path.chmod(0o400)


def _changed(file_name: str) -> float:
    return Path(file_name).stat().st_mtime


class CheckpointManager:
    """The checkpoint files of a directory whose names begin alike.

    Args:
        format: `ckpt` or `safetensors`.
    """

    def __init__(self, format: str = "ckpt") -> None:  # noqa: A002 - MindSpore's name
        self._suffix = f".{format}"
        self.ckpoint_filelist: list[str] = []

    @property
    def ckpoint_num(self) -> int:
        """The number of files."""
        return len(self.ckpoint_filelist)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Look for the files `PREFIX-NUMBERS.ckpt`, or `PREFIX.ckpt` with a number at its end, in a directory."""
        files = [path for path in Path(directory).iterdir() if path.suffix == self._suffix]
        rests = {path: path.stem[len(prefix) :] for path in files if path.name.startswith(prefix)}
        chosen = [path for path, rest in rests.items() if not any(letter.isalpha() for letter in rest)]
        self.ckpoint_filelist = [str(path) for path in chosen]

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Delete a file; a warning is logged where that fails."""
        try:
            Path(file_name).unlink()
        except OSError as error:
            log.warning(f"cannot delete {file_name}: {error}")
        if file_name in self.ckpoint_filelist:
            self.ckpoint_filelist.remove(file_name)

    def remove_oldest_ckpoint_file(self) -> None:
        """Delete the file that was changed first."""
        if self.ckpoint_filelist:
            self.remove_ckpoint_file(min(self.ckpoint_filelist, key=_changed))

    def keep_one_ckpoint_per_minutes(self, minutes: float, cur_time: float) -> None:
        """Of the files that were changed within some minutes, keep the oldest.

        Args:
            minutes: number of minutes before `cur_time`.
            cur_time: seconds since 1970.
        """
        recent = [path for path in self.ckpoint_filelist if cur_time - _changed(path) < 60 * minutes]
        for path in sorted(recent, key=_changed)[1:]:
            self.remove_ckpoint_file(path)
