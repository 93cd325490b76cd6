"""A PyTorch training as the debugger sees it: implements `debugging.contract.Debuggee`."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch.utils._pytree import tree_leaves

from debugging.contract import EditError, State
from debugging.executions import Watcher, Weight
from debugging.tensors.step_nodes import StepNodes
from mindinsight.torch.arrays import Copies
from mindinsight.torch.observing import AtenExecution, Observer, is_own
from mindinsight.torch.state import TorchState
from summaries.schema import debugger_pb2 as wire

__all__ = ["TorchTraining"]

_STANCES: Final = {"graph": "default", "pynative": "force_eager"}


class TorchWeight:
    """A parameter or a buffer; see `debugging.executions.Weight`.

    Args:
        name: its path through the modules.
        tensor: the parameter or the buffer.
        copies: the arrays of tensors.
    """

    def __init__(self, name: str, tensor: torch.Tensor, copies: Copies) -> None:
        self.name, self._tensor, self._copies = name, tensor, copies

    @property
    def array(self) -> Any:
        """Its current elements."""
        found = self._copies.of(self._tensor)
        return np.empty(0, np.float32) if found is None else found


class TorchTraining:
    """A training loop of PyTorch: a model and its optimizers.

    Args:
        model: the root module.
        optimizers: what updates its weights.

    Attributes:
        is_again: whether a step runs beside the training.
    """

    def __init__(self, model: torch.nn.Module, optimizers: Sequence[torch.optim.Optimizer]) -> None:
        self.model, self.optimizers = model, list(optimizers)
        self.copies = Copies()
        self.is_again = False
        #: The optimizer that is updating weights.
        self.updating = ""
        #: Whether `backward` is running.
        self.in_backward = False
        #: Gradients that came into the outputs of the model in the last step, by place.
        self.gradients: dict[int, torch.Tensor] = {}
        self._observer: Observer | None = None
        #: The operators of the loss in the last step, which runs no second time, and the arrays that it began with.
        self._loss: list[AtenExecution] = []
        self.outputs: list[Any] = []

    # ---- steps

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the last step again: the model on its inputs, back from the gradients of its outputs, the optimizers.

        Raises:
            EditError: nothing is known of the gradients.
        """
        if not self.gradients:
            raise EditError("the step cannot run again: no gradient came into the output of the model")
        outputs = [leaf for leaf in tree_leaves(self.model(*args, **kwargs)) if isinstance(leaf, torch.Tensor)]
        self._replay_loss(outputs)
        known = [(outputs[place], gradient) for place, gradient in self.gradients.items() if place < len(outputs)]
        torch.autograd.backward([output for output, _ in known], [gradient for _, gradient in known])
        for optimizer in self.optimizers:
            self.updating = type(optimizer).__name__
            optimizer.step()
            self.updating = ""
        return None

    def _replay_loss(self, outputs: Sequence[torch.Tensor]) -> None:
        """Tell watchers of the operators of the loss, as they ran the first time, on the outputs of this time."""
        if self._observer is None:
            return
        now = {id(before): self.copies.of(output) for before, output in zip(self.outputs, outputs, strict=False)}
        self._observer.replay(
            [replace(one, inputs=tuple(now.get(id(item), item) for item in one.inputs)) for one in self._loss]
        )

    @contextlib.contextmanager
    def keeping_loss(self) -> Iterator[None]:
        """A context for a step in which the operators behind the model are kept."""
        self._loss = []
        with self._observing() as observer, observer.watching(self._loss.append, observer.is_of_loss):  # type: ignore[arg-type]
            yield

    def attach(self, session: Any) -> None:
        """Nothing to do: the run's hooks open and close the steps of the session."""

    def detach(self, session: Any) -> None:
        """Nothing to do; see `attach`."""

    @contextlib.contextmanager
    def watching(self, watcher: Watcher, names: Iterable[str] | None = None) -> Iterator[None]:
        """A context in which a watcher is called with each operator, or with those of some full names."""
        known = None if names is None else frozenset(names)
        with self._observing() as observer, observer.watching(watcher, lambda name: known is None or name in known):
            yield

    @contextlib.contextmanager
    def _observing(self) -> Iterator[Observer]:
        """The observer of the step; the outermost context makes it."""
        if self._observer is not None:
            yield self._observer
            return
        with Observer(self.model, self.copies, lambda: self.updating, lambda: self.in_backward) as observer:
            self._observer = observer
            try:
                yield observer
            finally:
                self._observer = None

    @contextlib.contextmanager
    def beside(self) -> Iterator[None]:
        """A context for a step that runs beside the training: the run's hooks leave it alone."""
        before, self.is_again = self.is_again, True
        try:
            yield
        finally:
            self.is_again = before

    # ---- modes

    @property
    def is_compiled(self) -> bool:
        """Whether `torch.compile` was called on the model."""
        compiled = getattr(self.model, "_compiled_call_impl", None) is not None
        return compiled or type(self.model).__name__ == "OptimizedModule"

    def mode(self) -> str:
        """ "graph" while compiled code runs, else "pynative"."""
        return "graph" if self.is_compiled and not self._is_eager else "pynative"

    _is_eager = False

    def set_mode(self, mode: str) -> None:
        """Run compiled code or not, from the next step on.

        Raises:
            EditError: the model is not compiled.
        """
        if mode not in _STANCES:
            raise ValueError(f"the mode must be one of {', '.join(_STANCES)}, not {mode!r}")
        if not self.is_compiled:
            if mode == "graph":
                raise EditError("the model is not compiled: call torch.compile(model) before watch(model, ...)")
            return
        torch.compiler.set_stance(_STANCES[mode])
        self._is_eager = mode == "pynative"

    # ---- state

    def weights(self) -> Sequence[Weight]:
        """All parameters and buffers."""
        named = [*self.model.named_parameters(), *self.model.named_buffers()]
        return [TorchWeight(name, tensor, self.copies) for name, tensor in named]

    def state(self) -> State:
        """An empty state."""
        return TorchState(self.model, self.optimizers)

    def rates(self) -> list[wire.LearningRate]:
        """The learning rate of each group of each optimizer."""
        return [
            wire.LearningRate(name=name, value=float(group["lr"]), can_change=True) for name, group in self._groups()
        ]

    def set_rate(self, name: str, value: float) -> tuple[str, float]:
        """Change the learning rate of a group from the next step on; returns its name and its former value."""
        groups = self._groups()
        found = [(known, group) for known, group in groups if name in ("", known)]
        if len(found) != 1:
            raise EditError(f"no single learning rate is called {name!r}; there are: {', '.join(n for n, _ in groups)}")
        if not math.isfinite(value) or value < 0:
            raise EditError(f"a learning rate must be a number of at least 0, not {value!r}")
        known, group = found[0]
        before = float(group["lr"])
        if isinstance(group["lr"], torch.Tensor):
            group["lr"].fill_(value)
        else:
            group["lr"] = value
        return known, before

    def _groups(self) -> list[tuple[str, dict[str, Any]]]:
        groups = [group for optimizer in self.optimizers for group in optimizer.param_groups if "lr" in group]
        numbered = ["learning_rate", *(f"learning_rate_{place}" for place in range(1, len(groups)))]
        return list(zip(numbered, groups, strict=False))

    def save(self, directory: Path, progress: Mapping[str, Any]) -> Path:
        """Write the states of the model and the optimizers with `torch.save`; returns the path."""
        path = directory / f"debugger-{progress['step_num']}.pt"
        optimizers = [optimizer.state_dict() for optimizer in self.optimizers]
        torch.save({"model": self.model.state_dict(), "optimizers": optimizers, "progress": dict(progress)}, path)
        return path

    # ---- the program and its tensors

    def nodes(self, batch: Sequence[Any] | None) -> StepNodes:
        """The weights and inputs; operators are known once a step was observed."""
        trained = {
            id(weight) for optimizer in self.optimizers for g in optimizer.param_groups for weight in g["params"]
        }
        names = {name for name, weight in self.model.named_parameters() if id(weight) in trained}
        made = StepNodes(self.weights(), names)
        if batch is not None:
            made.add_inputs({f"input{place}": self.array_of(item) for place, item in enumerate(batch)})
        return made

    def array_of(self, item: Any) -> Any:
        """The elements of a tensor, or an array itself; None for anything else."""
        if isinstance(item, torch.Tensor):
            return self.copies.of(item)
        return item if isinstance(item, np.ndarray) else None

    def is_own(self, file: str) -> bool:
        """Whether a source file is the user's."""
        return is_own(file)
