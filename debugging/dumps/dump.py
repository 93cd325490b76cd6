"""A dump that was read: its ranks, iterations, nodes and tensors. Values are opened only when they are asked for.

`opening.py` makes one; everything else of this package works on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from debugging.dumps.damages import Damages
from debugging.dumps.program import Program
from debugging.dumps.tables import StatisticRow
from debugging.tensors.tensor_names import TensorName

__all__ = ["Dump", "DumpError", "Iteration", "Rank", "TensorFile", "UnreadableTensorError"]


class DumpError(ValueError):
    """A folder is not a dump, or an argument asks for what the dump cannot have."""


class UnreadableTensorError(ValueError):
    """A tensor's file cannot be read; the message says why."""


class TensorFile(NamedTuple):
    """One dumped tensor.

    Attributes:
        node: Full name of its node, or the name in the file if the graph does not have it.
        type: The type of the operator.
        is_input: Whether it is an input of the node.
        slot: Index of the input or output.
        round: Number of earlier executions of the node in this iteration.
        format: The layout, such as `DefaultFormat`; empty if unknown.
        dtype: The element type as the dump names it; empty if unknown.
        time: In microseconds since 1970; 0 if unknown.
        file: Name of the file in the folder of the iteration; empty if only statistics were dumped.
    """

    node: str
    type: str
    is_input: bool
    slot: int
    round: int
    format: str
    dtype: str
    time: int
    file: str

    @property
    def name(self) -> TensorName:
        """Its name in the iteration; that of an input is not the name of a node's output."""
        node = f"{self.node}.input.{self.slot}" if self.is_input else self.node
        return TensorName(node, 0 if self.is_input else self.slot, self.round)


Key = tuple[str, bool, int, int]
"""Node, whether it is an input, slot, round."""


@dataclass(slots=True)
class Iteration:
    """One dumped iteration of a graph on a rank.

    Attributes:
        number: Its number.
        folder: Its folder, relative to the dump.
        files: Its tensors.
        statistics: Rows of its `statistic.csv`, or of msprobe's `dump.json`.
    """

    number: int
    folder: str
    files: dict[Key, TensorFile] = field(default_factory=dict)
    statistics: list[StatisticRow] = field(default_factory=list)
    _slots: dict[tuple[str, bool], set[int]] | None = None

    def add(self, tensor: TensorFile) -> None:
        """Add a tensor."""
        self.files[tensor.node, tensor.is_input, tensor.slot, tensor.round] = tensor

    def slots(self, node: str, *, is_input: bool) -> set[int]:
        """The indices of a node's dumped inputs or outputs."""
        if self._slots is None:
            self._slots = {}
            for file in self.files.values():
                self._slots.setdefault((file.node, file.is_input), set()).add(file.slot)
        return set(self._slots.get((node, is_input), ()))

    def find(self, node: str, slot: int = 0, *, is_input: bool = False, round_: int = 0) -> TensorFile | None:
        """A tensor; None if it was not dumped."""
        return self.files.get((node, is_input, slot, round_))


@dataclass(slots=True)
class Rank:
    """What one process wrote.

    Attributes:
        number: Its rank; for msprobe's `procPID`, the number of the process.
        folder: Its folder, relative to the dump; for msprobe, the name of the folder in each step.
        programs: Graphs by their ids.
        iterations: By id of the graph, then by number.
    """

    number: int
    folder: str
    programs: dict[int, Program] = field(default_factory=dict)
    iterations: dict[int, dict[int, Iteration]] = field(default_factory=dict)

    @property
    def numbers(self) -> list[int]:
        """The numbers of all dumped iterations."""
        return sorted({number for found in self.iterations.values() for number in found})


Opener = Callable[[Path, str], np.ndarray[Any, Any]]


@dataclass
class Dump:
    """A dump.

    Attributes:
        root: The folder.
        kind: Which program wrote it.
        ranks: By number.
        settings: What the dump says of itself: release, device, settings.
        damages: What is missing or cannot be read.
        notes: What was decided where names leave a choice.
        opener: Opens a file.
    """

    root: Path
    kind: Literal["mindspore", "msprobe"]
    opener: Opener
    ranks: dict[int, Rank] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    damages: Damages = field(default_factory=Damages)
    notes: Damages = field(default_factory=Damages)

    def all_iterations(self) -> Iterator[tuple[Rank, int, Iteration]]:
        """All iterations, the earliest first: rank, id of the graph, iteration."""
        every = [
            (item.number, rank.number, graph, rank, item)
            for rank in self.ranks.values()
            for graph, found in rank.iterations.items()
            for item in found.values()
        ]
        for _, _, graph, rank, item in sorted(every, key=lambda one: one[:3]):
            yield rank, graph, item

    def open(self, iteration: Iteration, tensor: TensorFile) -> np.ndarray[Any, Any]:
        """The elements of a tensor; large files are mapped, not copied.

        Raises:
            UnreadableTensorError: The file is damaged, or may not be read.
        """
        if not tensor.file:
            raise UnreadableTensorError("only its statistics were dumped")
        relative = f"{iteration.folder}/{tensor.file}"
        try:
            return self.opener(self.root, relative)
        except UnreadableTensorError as error:
            self.damages.add(str(error), relative)
            raise

    def values(self, iteration: Iteration, tensor: TensorFile | None) -> np.ndarray[Any, Any] | None:
        """The elements of a tensor; None if it was not dumped or cannot be read, which `damages` then says."""
        if tensor is None or not tensor.file:
            return None
        try:
            return self.open(iteration, tensor)
        except UnreadableTensorError:
            return None

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Bytes of the dumped files by their paths relative to the dump; looked up once."""
        found = {}
        for _, _, iteration in self.all_iterations():
            for tensor in iteration.files.values():
                if tensor.file:
                    path = f"{iteration.folder}/{tensor.file}"
                    try:
                        found[path] = (self.root / path).lstat().st_size
                    except OSError as error:
                        self.damages.add(f"its size is unknown: {error.strerror}", path)
        return found

    @property
    def nbytes(self) -> int:
        """Bytes of all dumped tensors."""
        return sum(self.sizes.values())

    def check(self) -> None:
        """Open every file once, so that `damages` names those that cannot be read."""
        for _, _, iteration in self.all_iterations():
            for tensor in iteration.files.values():
                self.values(iteration, tensor)
