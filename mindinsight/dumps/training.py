"""A dump as the debugger sees a training: implements `debugging.contract.Debuggee`.

Each iteration of one graph is a step, whose operators "run" by being read. Nothing can be changed, and a step can be
read again at any time. Called by `session.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from debugging.contract import EditError
from debugging.dumps.dump import Dump, Iteration, Rank
from debugging.dumps.replay import nodes_of, recording_of
from debugging.executions import Location, Operator, Watcher, Weight
from debugging.tensors.recording import Executed, Recording
from debugging.tensors.step_nodes import StepNodes
from debugging.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = ["DumpedTraining"]

_OVER = "this is a dump of a training that is over"
_KEPT_RECORDINGS = 2


class DumpedTraining:
    """One graph of one rank.

    Args:
        dump: the dump.
        rank: its rank.
        graph: id of the graph.

    Attributes:
        iterations: the dumped iterations, in order.
        place: number of those that have run.
    """

    def __init__(self, dump: Dump, rank: Rank, graph: int) -> None:
        self._dump, self._rank, self._graph = dump, rank, graph
        self._program = rank.programs.get(graph)
        self.iterations: list[Iteration] = [found for _, found in sorted(rank.iterations[graph].items())]
        self.place = 0
        self._watchers: list[tuple[Watcher, frozenset[str] | None]] = []
        self._recording = lru_cache(_KEPT_RECORDINGS)(self._record)
        self._after: dict[str, Any] = {}
        self._session: Any = None
        self._is_beside = False
        #: Any iteration can be read again.
        self.no_repeat = ""

    @property
    def batch(self) -> tuple[Any, ...]:
        """The arguments of the next step."""
        names = self._inputs()
        recording = self._recording(self.place)
        return tuple(recording.array(TensorName(name)) for name in names)

    # ---- steps

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the next iteration; returns its loss, if the graph has one that was dumped."""
        recording = self._recording(self.place)
        for executed in recording.executions:
            names = frozenset(executed.members)
            for watcher, wanted in list(self._watchers):
                if wanted is None or wanted & names:
                    watcher(_Execution(executed))
        self.place += 1
        if self._session is not None and self.place == len(self.iterations) and not self._is_beside:
            # What is looked at last must not be gone at once.
            self._session.training.control.pause_after_step()
        return None if recording.loss is None else recording.array(recording.loss)

    def attach(self, session: Any) -> None:
        """Note the session, which pauses after the last iteration. `session.py` runs its steps."""
        self._session = session

    def detach(self, session: Any) -> None:
        """Forget it."""
        self._session = None

    @contextlib.contextmanager
    def watching(self, watcher: Watcher, names: Iterable[str] | None = None) -> Iterator[None]:
        """A context in which a watcher is called with each operator, or with those of some full names."""
        item = watcher, None if names is None else frozenset(names)
        self._watchers.append(item)
        try:
            yield
        finally:
            self._watchers.remove(item)

    @contextlib.contextmanager
    def beside(self) -> Iterator[None]:
        """A context for a step that is read again."""
        before, self._is_beside = self.place, True
        try:
            yield
        finally:
            self.place, self._is_beside = before, False

    def hides(self, mode: str) -> str:
        """Nothing: operators of a dump can be seen."""
        return ""

    # ---- modes

    def mode(self) -> str:
        """The mode: operators have the names of a compiled graph."""
        return "graph"

    def set_mode(self, mode: str) -> None:
        """Refuse another mode.

        Raises:
            EditError: it is another mode.
        """
        if mode != "graph":
            raise EditError(f"{_OVER}: it has no other mode")

    def mode_note(self, mode: str) -> str:
        """Nothing: there is one mode."""
        return ""

    # ---- state

    def weights(self) -> Sequence[Weight]:
        """All parameters."""
        return [_DumpedWeight(self, name) for name in self._parameters()]

    def state(self) -> _Place:
        """An empty state."""
        return _Place(self)

    def rates(self) -> list[wire.LearningRate]:
        """The learning rates that are parameters."""
        names = () if self._program is None else self._program.parameters
        found = [(name, self.array(name)) for name in names if "learning_rate" in name]
        return [
            wire.LearningRate(name=name, value=float(array.reshape(-1)[0]), can_change=False)
            for name, array in found
            if array.size == 1
        ]

    def set_rate(self, name: str, value: float) -> tuple[str, float]:
        """Refuse.

        Raises:
            EditError: always.
        """
        raise EditError(f"{_OVER}: its learning rate cannot be changed")

    def save(self, directory: Path, progress: Mapping[str, Any]) -> Path:
        """Refuse.

        Raises:
            OSError: always.
        """
        raise OSError(f"{_OVER}: there is nothing to save")

    # ---- the program and its tensors

    def nodes(self, batch: Sequence[Any] | None) -> StepNodes:
        """The nodes of the next step, or of the last one."""
        nodes = nodes_of(self._rank, self._graph, self._recording(min(self.place, len(self.iterations) - 1)))
        nodes.graph = b"" if self._program is None else self._program.graph
        if not nodes.graph:
            nodes.problem = "the dump holds no graph"
        return nodes

    def array_of(self, item: Any) -> Any:
        """The array itself; None for anything else."""
        return item if isinstance(item, np.ndarray) else None

    def is_own(self, file: str) -> bool:
        """Whether a source file is the user's."""
        return "site-packages" not in file

    def array(self, name: str) -> Any:
        """The elements of a parameter between two steps; none if they are unknown."""
        if self.place < len(self.iterations):
            found = self._recording(self.place).array(TensorName(name))
        else:
            if name not in self._after:
                last = self.iterations[-1]
                self._after[name] = self._dump.values(last, last.find(name))
            found = self._after[name]
        return np.empty(0, np.float32) if found is None else found

    def _record(self, place: int) -> Recording:
        return recording_of(self._dump, self._rank, self._graph, self.iterations[place])

    def _inputs(self) -> list[str]:
        program = self._program
        return [] if program is None else [name for name in program.parameters if name in program.inputs]

    def _parameters(self) -> list[str]:
        program = self._program
        return [] if program is None else [name for name in program.parameters if name not in program.inputs]


class _DumpedWeight:
    """A parameter; see `debugging.executions.Weight`."""

    def __init__(self, training: DumpedTraining, name: str) -> None:
        self.name, self._training = name, training

    @property
    def array(self) -> Any:
        """Its elements at the place of the training, which do not change."""
        return self._training.array(self.name)

    current = array


class _Execution:
    """An operator of a recorded iteration; see `debugging.executions.Execution`."""

    def __init__(self, executed: Executed) -> None:
        self.full_name: str = executed.full_name
        self.iteration: int = executed.iteration
        self.primitive: Operator = executed.primitive
        self.inputs: tuple[Any, ...] = tuple(item for _, item in executed.inputs)
        self.outputs: Any = executed.outputs
        self.members: tuple[str, ...] = executed.members
        self.location: Location | None = executed.location


class _Place:
    """The state before a step: which iteration comes next."""

    def __init__(self, training: DumpedTraining) -> None:
        self._training = training
        self._place = 0
        self.step = -1
        self.arrays: dict[str, Any] = {}

    @property
    def nbytes(self) -> int:
        """None: the arrays are the dump's."""
        return 0

    def view(self, name: str) -> Any:
        """The array of a weight."""
        return self.arrays.get(name)

    def take(self, step: int) -> None:
        """Hold the current place."""
        self._place, self.step = self._training.place, step
        self.arrays = {weight.name: weight.array for weight in self._training.weights()}

    def restore(self) -> None:
        """Go back to it."""
        self._training.place = self._place

    def forget(self) -> None:
        """Release it."""
        self.step, self.arrays = -1, {}
