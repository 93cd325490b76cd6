"""A file of columns that grows block by block, so that a killed program leaves all whole blocks.

A block is a record of an event file (`summaries.records`: lengths and checksums). Its payload is one line of JSON (the
kind of the block, and name, element type and bytes of each column), then the columns one after another. The first block
is the head: what the file is, and the offset of its clock to wall time.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from time import perf_counter_ns, time_ns
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from summaries.records import HEADER_BYTES, OVERHEAD_BYTES, frame, masked_crc

__all__ = ["Block", "ColumnFile", "Columns", "read_column_file"]

Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Arrays of one dimension by name."""
_VERSION: Final = 1
_HEAD: Final = "head"


@dataclass(frozen=True)
class Block:
    """A block.

    Attributes:
        kind: what its rows are.
        note: what the block says beside its columns.
        columns: its columns.
    """

    kind: str
    note: dict[str, Any] = field(default_factory=dict)
    columns: Columns = field(default_factory=dict)


class ColumnFile:
    """Writes a file; each block is on the disk's way when `append` returns.

    Args:
        path: the file. If it exists, a number is added to the name, so that no file is lost.
        what: what the file is, in the head.

    Attributes:
        path: the file that is written.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, what: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self._file = _fresh(path)
        offset = time_ns() - perf_counter_ns()
        self.append(Block(_HEAD, {"what": what, "version": _VERSION, "clock": "perf_counter_ns", "to_wall_ns": offset}))

    def append(self, block: Block) -> None:
        """Write a block.

        Raises:
            OSError: it cannot be written.
        """
        columns = {name: np.ascontiguousarray(column) for name, column in block.columns.items()}
        line = {
            "kind": block.kind,
            "note": block.note,
            "columns": [[name, column.dtype.str, column.nbytes] for name, column in columns.items()],
        }
        parts = [json.dumps(line).encode(), b"\n", *(column.tobytes() for column in columns.values())]
        self._file.write(frame(b"".join(parts)))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _fresh(path: Path) -> tuple[Path, FileIO]:
    """The first of `name.x`, `name.1.x`, `name.2.x` that does not exist, opened."""
    for number in itertools.count():
        chosen = path.with_suffix(f".{number}{path.suffix}") if number else path
        with contextlib.suppress(FileExistsError):
            return chosen, FileIO(chosen, "xb")
    raise AssertionError


def read_column_file(path: Path) -> tuple[list[Block], str]:
    """Read a file as far as it is whole.

    Args:
        path: the file.

    Returns:
        The blocks, the head first; and a sentence about what is damaged, empty for nothing.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is none of ours.
    """
    data = path.read_bytes()
    blocks: list[Block] = []
    at = 0
    damage = ""
    while at < len(data):
        length = int.from_bytes(data[at : at + 8], "little")
        payload = data[at + HEADER_BYTES : at + HEADER_BYTES + length]
        end = at + OVERHEAD_BYTES + length
        is_whole = end <= len(data) and masked_crc(data[at : at + 8]) == _number(data, at + 8)
        if not is_whole or masked_crc(payload) != _number(data, at + HEADER_BYTES + length):
            damage = f"{path}: the block at byte {at} is cut or damaged; {len(blocks)} blocks before it are read"
            break
        blocks.append(_block(payload))
        at = end
    if not blocks or blocks[0].kind != _HEAD or blocks[0].note.get("version") != _VERSION:
        raise ValueError(f"{path} is no file of columns of version {_VERSION}: give a file that a profiler has written")
    return blocks, damage


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _block(payload: bytes) -> Block:
    line, _, rest = payload.partition(b"\n")
    told = json.loads(line)
    columns: dict[str, npt.NDArray[Any]] = {}
    at = 0
    for name, dtype, nbytes in told["columns"]:
        columns[name] = np.frombuffer(rest, dtype, offset=at, count=nbytes // np.dtype(dtype).itemsize)
        at += nbytes
    return Block(told["kind"], told["note"], columns)
