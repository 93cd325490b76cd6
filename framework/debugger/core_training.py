"""A training of the core as the debugger sees it: implements `debugging.contract.Debuggee`."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

from debugging.contract import State
from debugging.executions import Watcher, Weight
from debugging.session.progress import Progress
from debugging.tensors.statistics import use_numpy, use_threads
from debugging.tensors.step_nodes import StepNodes
from framework import graph_mode, observe
from framework.common import seed
from framework.common.noted import muted
from framework.common.parameter import Parameter
from framework.common.plain import PLAIN
from framework.common.tensor import Tensor
from framework.common.threads import threads_for
from framework.context import is_graph_mode
from framework.debugger.modes import mode_now, set_mode
from framework.debugger.rates import rates_of, set_rate
from framework.debugger.snapshot import Snapshot
from framework.debugger.step_nodes import step_nodes
from framework.ir.naming import is_internal
from framework.nn.cell import Cell
from framework.train.callback.base import CallbackParam, RunContext
from framework.train.serialization import SUFFIXES, save_checkpoint
from summaries.schema import debugger_pb2 as wire

__all__ = ["CoreTraining", "CoreWeight", "ModelProgress"]

_FRAMEWORK: Final = str(Path(__file__).parents[1])
#: Networks that are stepped through like a user's own.
_MODELS: Final = str(Path(__file__).parents[1] / "model_zoo")
_SHARED: Final = str(Path(__file__).parents[2] / "debugging")
_LIBRARIES: Final = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})

if PLAIN:
    use_numpy()
else:
    use_threads(threads_for)


class CoreWeight:
    """A Parameter as a `Weight`.

    Args:
        parameter: The Parameter.

    """

    def __init__(self, parameter: Parameter) -> None:
        self._parameter = parameter

    @property
    def name(self) -> str:
        """Its name."""
        return self._parameter.name

    @property
    def array(self) -> Any:
        """Its current elements. A step overwrites no array that is held elsewhere: the Parameter gets a new one."""
        return self._parameter._data

    current = array


class CoreTraining:
    """A training step of the core.

    Args:
        network: The Cell that is called once per step.

    """

    def __init__(self, network: Cell) -> None:
        self.network = network
        #: Whether the user's class has no `__call__` of its own.
        self._calls_plainly = type(network).__call__ is Cell.__call__
        self._weights = [CoreWeight(parameter) for parameter in network.get_parameters()]

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a step. In graph mode it is run directly: a second call of the network would cost an idle step more."""
        if self._calls_plainly and is_graph_mode():
            return graph_mode.run(self.network, args, kwargs)
        return self.network(*args, **kwargs)

    def attach(self, session: Any) -> None:
        """Let the session run the steps."""
        self.network._run_by = session

    def detach(self, session: Any) -> None:
        """Let the Cell run itself again."""
        if self.network._run_by is session:
            self.network._run_by = None

    def watching(self, watcher: Watcher, names: Iterable[str] | None = None) -> AbstractContextManager[None]:
        """A context in which a watcher is called with each execution, or with those of some full names."""
        return observe.watching(watcher, names)

    @contextmanager
    def beside(self) -> Iterator[None]:
        """A context for a step that does not count as a call, and whose summary operators record nothing."""
        with observe.beside(), muted():
            yield

    @property
    def no_repeat(self) -> str:
        """Empty: each step can run again."""
        return ""

    def hides(self, mode: str) -> str:
        """Empty: both modes show their operators."""
        return ""

    def mode(self) -> str:
        """The mode of the next step."""
        return mode_now()

    def set_mode(self, mode: str) -> None:
        """Run all steps from the next one on in a mode."""
        set_mode(mode)

    def mode_note(self, mode: str) -> str:
        """Empty: a step compiles in a moment."""
        return ""

    def weights(self) -> Sequence[Weight]:
        """All Parameters: weights, the optimizer's state and its count of steps."""
        return self._weights

    def state(self) -> State:
        """An empty snapshot."""
        return Snapshot(self.network)

    def rates(self) -> list[wire.LearningRate]:
        """The learning rates, and which of them can be changed."""
        return rates_of(self.network)

    def set_rate(self, name: str, value: float) -> tuple[str, float]:
        """Change a learning rate from the next step on; returns its name and its former value."""
        return set_rate(self.network, name, value)

    def save(self, directory: Path, progress: Mapping[str, Any]) -> Path:
        """Write a checkpoint for `Model.train(resume_from=...)`; returns its path."""
        path = directory / f"debugger-{progress['step_num']}{SUFFIXES['ckpt']}"
        save_checkpoint(self.network, path, append_dict={**progress, "random_state": seed.get_state()})
        return path

    def nodes(self, batch: Sequence[Any] | None) -> StepNodes:
        """The nodes of a step, from its compiled program."""
        return step_nodes(self.network, self._weights, batch)

    def array_of(self, item: Any) -> Any:
        """The array of a tensor; None for anything else."""
        return item._data if isinstance(item, Tensor) else None

    def is_own(self, file: str) -> bool:
        """Whether a file is the user's: neither of this package nor of a library; networks of the model zoo count."""
        if file.startswith("<") or is_internal(file):
            return False
        return file.startswith(_MODELS) or not file.startswith((_FRAMEWORK, _SHARED, *_LIBRARIES))


class ModelProgress(Progress):
    """The progress of `Model.train`, or of a hand-written loop.

    Args:
        run_context: Of the callbacks of `Model.train`; None for a hand-written loop.

    """

    def __init__(self, run_context: RunContext | None = None) -> None:
        super().__init__(lambda item: item._data if isinstance(item, Tensor) else None)
        self._run_context = run_context
        self._run: CallbackParam | None = None if run_context is None else run_context.original_args()

    @property
    def step(self) -> int:
        """The number of the current step, or of the last finished one. Counts from 1."""
        return self.begun if self._run is None else int(self._run.cur_step_num)

    @property
    def epoch(self) -> int:
        """The number of the epoch; 0 if there are none."""
        return 0 if self._run is None else int(self._run.cur_epoch_num)

    @property
    def steps_per_epoch(self) -> int:
        """Steps per epoch; 0 if unknown."""
        return 0 if self._run is None else int(self._run.batch_num or 0)

    @property
    def steps(self) -> int:
        """Steps of the whole training; 0 if unknown."""
        return 0 if self._run is None else self.steps_per_epoch * int(self._run.epoch_num)

    def request_stop(self) -> bool:
        """End `Model.train` after this step; False in a hand-written loop."""
        if self._run_context is not None:
            self._run_context.request_stop()
        return self._run_context is not None

    @property
    def saved(self) -> dict[str, Any]:
        """The progress that a checkpoint records for `Model.train(resume_from=...)`."""
        in_epoch = self.step if self._run is None else int(self._run.cur_step_in_epoch)
        return {**super().saved, "step_in_epoch": in_epoch}
