"""A MindSpore training as the debugger sees it: implements `debugging.contract.Debuggee`."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import mindspore as ms

from debugging.contract import EditError, State
from debugging.executions import Watcher, Weight
from debugging.steps.last_steps import NotKeptError
from debugging.tensors.step_nodes import StepNodes, kind_of, output_of, shown_attributes
from debugging.tensors.tensor_names import TensorName
from mindinsight.mindspore.arrays import Copies
from mindinsight.mindspore.names import OPTIMIZERS, attributes_of, places_of, type_of
from mindinsight.mindspore.observing import Observer, gradients_of, is_own, optimizer_name
from mindinsight.mindspore.rates import Rate, rates_of, set_rate
from mindinsight.mindspore.state import NO_REPEAT, WeightsBefore
from summaries.schema import debugger_pb2 as wire
from summaries.schema.anf_ir_pb2 import GraphProto, ModelProto

__all__ = ["MindSporeTraining"]

_log = logging.getLogger("mindinsight.mindspore")
_MODES: Final = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}
_HIDDEN: Final = "a compiled step of MindSpore shows no operators and no gradients: switch to PyNative mode"
_COMPILED: Final = 2.0
"""A first step that takes so many times a later one has compiled."""


class MindSporeWeight:
    """A Parameter; see `debugging.executions.Weight`.

    Args:
        parameter: The Parameter.
        copies: The arrays of tensors.
    """

    def __init__(self, parameter: ms.Parameter, copies: Copies) -> None:
        self.name: str = parameter.name
        self._parameter, self._copies = parameter, copies

    @property
    def array(self) -> Any:
        """A copy of its current elements."""
        return self._copies.of_weight(self._parameter)

    current = array


class MindSporeTraining:
    """A training of MindSpore.

    Args:
        network: The training step, which has the optimizers inside, or the network alone.
        optimizers: What updates the weights.

    Attributes:
        copies: The arrays of tensors.
        has_failed: Whether an error of ours has ended observing.
    """

    def __init__(self, network: Any, optimizers: Sequence[Any] = ()) -> None:
        inside = [cell for _, cell in network.cells_and_names() if isinstance(cell, OPTIMIZERS)]
        self.network = network
        self.optimizers = list({id(one): one for one in (*optimizers, *inside)}.values())
        self.copies = Copies()
        self.has_failed = False
        parameters = [*network.get_parameters()]
        parameters += [one for optimizer in self.optimizers for one in optimizer.get_parameters()]
        self.parameters = list({one.name: one for one in parameters}.values())
        trained = [one for optimizer in self.optimizers for one in optimizer.parameters]
        self.trained = {id(one): one for one in trained or network.trainable_params()}
        self._weights = [MindSporeWeight(parameter, self.copies) for parameter in self.parameters]
        self._places = places_of(network)
        self._gradients = gradients_of(self._places, self.trained)
        self._observer: Observer | None = None
        self._nodes: StepNodes | None = None
        self._graph = b""
        #: Seconds of the first step since the last switch to graph mode, and of the shortest one after it.
        self._first = self._shortest = math.inf
        #: Seconds of the last compilation; 0 if none was seen.
        self._compiled = 0.0
        self._last_mode = ""

    # ---- steps

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Refuse to run a step again.

        Raises:
            NotKeptError: always.
        """
        raise NotKeptError(NO_REPEAT)

    def attach(self, session: Any) -> None:
        """Nothing to do: the callback opens and closes the steps of the session."""

    def detach(self, session: Any) -> None:
        """Take off all hooks."""
        if self._observer is not None:
            self._observer.stop()

    @contextlib.contextmanager
    def watching(self, watcher: Watcher, names: Iterable[str] | None = None) -> Iterator[None]:
        """A context in which a watcher is called with each execution, or with those of some full names.

        In graph mode it sets no hooks, since MindSpore would compile them into the program.
        """
        if self.mode() == "graph" or self.has_failed:
            yield
            return
        if self._observer is None:
            self._observer = Observer(self._places, self._gradients, self.optimizers, self.copies, self._fail)
        with self._observer.watching(watcher, names):
            yield

    def _fail(self) -> None:
        if not self.has_failed:
            self.has_failed = True
            _log.exception("Observing a step has failed and ends; the training continues.")

    @contextlib.contextmanager
    def beside(self) -> Iterator[None]:
        """A context for a step beside the training, which there never is."""
        yield

    @property
    def no_repeat(self) -> str:
        """Why no step can run again."""
        return NO_REPEAT

    def hides(self, mode: str) -> str:
        """Why operators cannot be observed: in graph mode, or after an error of ours."""
        if self.has_failed:
            return "observing has failed in the training; its log says why"
        return _HIDDEN if mode == "graph" else ""

    # ---- modes

    def mode(self) -> str:
        """The mode of the next step."""
        return "graph" if ms.get_context("mode") == ms.GRAPH_MODE else "pynative"

    def set_mode(self, mode: str) -> None:
        """Run all steps from the next one on in a mode. Hooks are never set between steps.

        Raises:
            ValueError: there is no such mode.
        """
        if mode not in _MODES:
            raise ValueError(f"the mode must be one of {', '.join(_MODES)}, not {mode!r}")
        if mode != self.mode():
            ms.set_context(mode=_MODES[mode])

    def mode_note(self, mode: str) -> str:
        """How long the last compilation took."""
        if mode != "graph":
            return ""
        if not self._compiled:
            return "The next step compiles the network; how long that takes is not known yet."
        return f"A step compiles what is not compiled yet; the last compilation took {self._compiled:.2g} s."

    def note_duration(self, seconds: float) -> None:
        """Note how long a step took in the current mode; the first one in graph mode compiles."""
        mode = self.mode()
        if mode == "graph" and self._last_mode != "graph":
            self._first, self._shortest = seconds, math.inf
            # Until another step is known, it counts whole.
            self._compiled = self._compiled or seconds
        elif mode == "graph" and seconds < self._shortest:
            self._shortest = seconds
            if self._first > _COMPILED * seconds:
                self._compiled = self._first - seconds
        self._last_mode = mode

    # ---- state

    def weights(self) -> Sequence[Weight]:
        """All Parameters: weights, the optimizer's state and its count of steps."""
        return self._weights

    def state(self) -> State:
        """An empty state, which can be looked at and not restored."""
        return WeightsBefore(self._weights)

    @property
    def learning_rates(self) -> list[Rate]:
        """The learning rates."""
        return rates_of(self.optimizers)

    def rates(self) -> list[wire.LearningRate]:
        """The learning rates, and which of them can be changed."""
        return [
            wire.LearningRate(name=rate.name, value=rate.value, can_change=rate.parameter is not None)
            for rate in self.learning_rates
        ]

    def set_rate(self, name: str, value: float) -> tuple[str, float]:
        """Change a learning rate from the next step on; returns its name and its former value.

        Raises:
            EditError: it cannot be changed.
        """
        self.copies.drop_weights()
        if not self.optimizers:
            raise EditError("the debugger was given no optimizer, so it knows no learning rate")
        return set_rate(self.learning_rates, name, value)

    def save(self, directory: Path, progress: Mapping[str, Any]) -> Path:
        """Write a checkpoint with all Parameters and the progress; returns its path.

        Raises:
            OSError: it cannot be written.
        """
        path = directory / f"debugger-{progress['step_num']}.ckpt"
        directory.mkdir(parents=True, exist_ok=True)
        try:
            items = [{"name": one.name, "data": one} for one in self.parameters]
            ms.save_checkpoint(items, str(path), append_dict={name: int(value) for name, value in progress.items()})
        except (RuntimeError, TypeError, ValueError) as error:
            raise OSError(str(error)) from error
        return path

    # ---- the program and its tensors

    def nodes(self, batch: Sequence[Any] | None) -> StepNodes:
        """The weights, the inputs, the Cells and the gradients; their order and outputs are known once observed."""
        trained = {one.name for one in self.trained.values()}
        made = self._nodes = StepNodes(self._weights, trained)
        made.graph = self._graph
        if batch is not None:
            made.add_inputs({f"input{place}": self.array_of(item) for place, item in enumerate(batch)})
        for place in self._places:
            kind = kind_of(place.full_name, type_of(place.cell))
            attributes = shown_attributes(attributes_of(place.cell))
            node = wire.Node(full_name=place.full_name, type=type_of(place.cell), kind=kind, attributes=attributes)
            made.add(node, executes=True)
        for name, parameter in reversed(self._gradients.items()):
            outputs = [output_of(self.copies.of_weight(parameter))]
            made.add(wire.Node(full_name=name, type="Gradient", kind=wire.GRADIENT, outputs=outputs), executes=True)
        for optimizer in self.optimizers:
            read = [TensorName(name).message for name in self._gradients]
            read += [TensorName(parameter.name).message for parameter in self._gradients.values()]
            kind_of_optimizer = type(optimizer).__name__
            update = wire.Node(full_name=optimizer_name(optimizer), type=kind_of_optimizer, inputs=read)
            made.add(update, executes=True)
        return made

    def give_graph(self, graph: GraphProto) -> None:
        """Take over the graph of the step, which the page then shows."""
        self._graph = graph.SerializeToString()
        if self._nodes is not None:
            self._nodes.graph = self._graph

    def compiled_graph(self) -> GraphProto | None:
        """The graph that MindSpore has compiled of the training step; None if there is none."""
        try:
            found = self.network.get_func_graph_proto()
        except Exception as error:
            _log.info("MindSpore gives no graph: %s", error)
            return None
        return ModelProto.FromString(found).graph if found else None

    def array_of(self, item: Any) -> Any:
        """The elements of a tensor, or an array itself; None for anything else."""
        return self.copies.of(item)

    def is_own(self, file: str) -> bool:
        """Whether a source file is the user's."""
        return is_own(file)
