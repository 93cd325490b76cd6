"""The names of MindSpore's dump files, and how a node's full name is written in them. `mindspore.py` calls it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

__all__ = ["FileName", "NameTable", "parse_name", "stem_of", "written"]

# The name of a node may hold dots, so all fields but the first are found from the right. Releases before 2.3 wrote no
# dtype.
_PATTERN: Final = re.compile(
    r"([^.]*)\.(.*)\.(\d+)\.(\d+)\.(\d+)\.(input|output)\.(\d+)\.([^.]+?)(?:\.([^.]+))?\.npy", re.DOTALL
)
_SEPARATORS: Final = str.maketrans("/.\\", "___")
_NUMBER: Final = re.compile(r"-op\d+$")


class FileName(NamedTuple):
    """The fields of `OPTYPE.NAME.TASK.STREAM.TIME.IO.SLOT.FORMAT.DTYPE.npy`.

    Attributes:
        type: The type of the operator; `Parameter` for a parameter or an input of the graph.
        name: The full name of the node, as it is written in files.
        task: Number of the task on the device.
        stream: Number of the stream on the device.
        time: When it was written, in microseconds since 1970.
        is_input: Whether it is an input of the node.
        slot: Index of the input or output.
        format: The layout, such as `DefaultFormat` or `NCHW`.
        dtype: The element type, such as `Float32`; empty in dumps of old releases.
    """

    type: str
    name: str
    task: int
    stream: int
    time: int
    is_input: bool
    slot: int
    format: str
    dtype: str


def parse_name(name: str) -> FileName | None:
    """The fields of a file's name; None if it is not the name of a dumped tensor."""
    found = _PATTERN.fullmatch(name)
    if found is None:
        return None
    kind, node, task, stream, time, direction, slot, form, dtype = found.groups()
    return FileName(kind, node, int(task), int(stream), int(time), direction == "input", int(slot), form, dtype or "")


def stem_of(full_name: str) -> str:
    """A full name without the number of the operator."""
    return _NUMBER.sub("", full_name)


def written(full_name: str) -> str:
    """A full name as it is written in a file's name: separators become underscores."""
    return full_name.translate(_SEPARATORS)


class NameTable:
    """Finds the full names of a graph for the names in files.

    Args:
        full_names: Of all nodes and parameters of the graph.
    """

    def __init__(self, full_names: Iterable[str]) -> None:
        self._by_written: dict[str, list[str]] = {}
        for full_name in full_names:
            self._by_written.setdefault(written(full_name), []).append(full_name)

    def ambiguous(self) -> list[list[str]]:
        """Groups of full names that are written alike, so that a file may belong to each of them."""
        return [names for names in self._by_written.values() if len(names) > 1]

    def match(self, names: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
        """The full names of written names.

        The runtime may number an operator anew when it makes its kernel (`AddN-op0` of the graph's `AddN-op1`). Such a
        name is matched if as many names of files as of the graph are left over in the same scope, of the same type: in
        the order of their numbers, which `renumbering` corrects by times.

        Args:
            names: As they are in files.

        Returns:
            Full names by written names; and of these, the ones that were numbered anew.
        """
        asked = list(dict.fromkeys(names))
        exact: dict[str, str] = {}
        for name in asked:
            found = self._by_written.get(written(name))
            if found is not None:
                exact[name] = found[0]
        taken = set(exact.values())
        free: dict[str, list[str]] = {}
        for spelled, full_names in self._by_written.items():
            if full_names[0] not in taken and _NUMBER.search(spelled):
                free.setdefault(stem_of(spelled), []).append(full_names[0])
        left: dict[str, list[str]] = {}
        for name in asked:
            if name not in exact and _NUMBER.search(name):
                left.setdefault(stem_of(written(name)), []).append(name)
        anew = {
            name: full_name
            for stem, others in left.items()
            if len(others) == len(free.get(stem, ()))
            for name, full_name in zip(sorted(others, key=_number), sorted(free[stem], key=_number), strict=True)
        }
        return exact | anew, anew


def _number(name: str) -> int:
    """The number at the end of `-opN`."""
    return int(name.rpartition("-op")[2])
