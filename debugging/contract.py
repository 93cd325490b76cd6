"""What the debugger needs of a framework: `Debuggee`.

The training core and each adapter implement it. An item that a framework cannot offer is refused with a sentence; the
page shows that sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from debugging.executions import Watcher, Weight
from debugging.tensors.step_nodes import StepNodes
from summaries.schema import debugger_pb2 as wire

__all__ = ["Debuggee", "EditError", "State"]


class EditError(ValueError):
    """A setting cannot be changed; says why."""


class State(Protocol):
    """The state of a training before a step: all that the step depends on, so that it can run again."""

    @property
    def step(self) -> int:
        """Number of the last finished step when it was taken; -1 if none is taken."""

    @property
    def nbytes(self) -> int:
        """Bytes that only it holds."""

    @property
    def arrays(self) -> dict[str, Any]:
        """The arrays of all `Weight`s by name."""

    def view(self, name: str) -> Any:
        """The array of a `Weight`, which stays as it is until the end of the step; None if it has none."""

    def take(self, step: int) -> None:
        """Hold the current state; `step` is the number of the last finished step."""

    def restore(self) -> None:
        """Restore it bit for bit, and keep it."""

    def forget(self) -> None:
        """Release it."""


class Debuggee(Protocol):
    """A training, as the debugger sees it."""

    # ---- steps

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a step; returns its output."""

    def attach(self, session: Any) -> None:
        """Let `session.run(args, kwargs)` run each step from now on, unless `session.is_inside`."""

    def detach(self, session: Any) -> None:
        """Undo `attach`."""

    def watching(self, watcher: Watcher, names: Iterable[str] | None = None) -> AbstractContextManager[None]:
        """A context in which a watcher is called with each execution, or with those of some full names."""

    def beside(self) -> AbstractContextManager[None]:
        """A context for a step that runs beside the training: it counts nowhere, and records nothing."""

    @property
    def no_repeat(self) -> str:
        """Why no step can run again; empty if steps can."""

    def hides(self, mode: str) -> str:
        """Why the operators of a step in a mode cannot be observed; empty if they can."""

    # ---- modes

    def mode(self) -> str:
        """The mode of the next step: "graph" (compiled) or "pynative" (line by line)."""

    def set_mode(self, mode: str) -> None:
        """Run all steps from the next one on in a mode, which is one of the two.

        Raises:
            EditError: the mode cannot be changed.
        """

    def mode_note(self, mode: str) -> str:
        """What a user should know who switches to a mode, such as how long the next step compiles; may be empty."""

    # ---- state

    def weights(self) -> Sequence[Weight]:
        """All that lasts from step to step."""

    def state(self) -> State:
        """An empty state, to be taken and restored."""

    def rates(self) -> list[wire.LearningRate]:
        """The learning rates, and which of them can be changed."""

    def set_rate(self, name: str, value: float) -> tuple[str, float]:
        """Change a learning rate from the next step on; returns its name and its former value.

        Raises:
            EditError: it cannot be changed.
        """

    def save(self, directory: Path, progress: Mapping[str, Any]) -> Path:
        """Write a checkpoint with the progress of the training; returns its path.

        Raises:
            OSError: it cannot be written.
        """

    # ---- the program and its tensors

    def nodes(self, batch: Sequence[Any] | None) -> StepNodes:
        """The nodes of a step with these arguments, as far as they are known before it runs; None: only weights.

        Raises:
            Exception: they cannot be found; the debugger then shows the nodes that have been executed.
        """

    def array_of(self, item: Any) -> Any:
        """The framework's array of a tensor; None for anything else."""

    def is_own(self, file: str) -> bool:
        """Whether a source file is the user's: neither the framework's nor a library's."""
