"""A PyTorch training as the debugger sees it: implements `debugging.contract.Debuggee`."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from debugging.contract import EditError, State
from debugging.executions import Watcher, Weight
from debugging.steps.last_steps import NotKeptError
from debugging.tensors.step_nodes import StepNodes
from mindinsight.torch.arrays import Copies, view_of
from mindinsight.torch.held import Held
from mindinsight.torch.lines import is_own
from mindinsight.torch.names import KnownScopes
from mindinsight.torch.observing import CompiledObserver, Observer
from mindinsight.torch.operators import AtenExecution
from mindinsight.torch.private import CAN_OBSERVE, dispatch_modes, has_compiled, is_lazy, leaves
from mindinsight.torch.state import ModelTensors, TorchState
from summaries.schema import debugger_pb2 as wire

__all__ = ["TorchTraining"]

_log = logging.getLogger("mindinsight.torch")
_STANCES: Final = {"graph": "default", "pynative": "force_eager"}


class TorchWeight:
    """A parameter or a buffer; see `debugging.executions.Weight`.

    Args:
        name: its path through the modules, where a program may put another tensor later.
        model: the root module.
        copies: the arrays of tensors.
    """

    def __init__(self, name: str, model: torch.nn.Module, copies: Copies) -> None:
        self.name, self._model, self._copies = name, model, copies
        self._path = name.split(".")

    @property
    def array(self) -> Any:
        """A copy of its current elements; none if the program has removed it."""
        return self._by(self._copies.of)

    @property
    def current(self) -> Any:
        """Its current elements, in its own memory if possible; none if the program has removed it."""
        return self._by(view_of)

    def _by(self, read: Callable[[torch.Tensor], Any]) -> Any:
        *path, last = self._path
        owner: Any = self._model
        for name in path:
            owner = owner._modules.get(name) if owner is not None else None
        tensor = getattr(owner, last, None)
        found = read(tensor) if isinstance(tensor, torch.Tensor) and not is_lazy(tensor) else None
        return np.empty(0, np.float32) if found is None else found


class TorchTraining:
    """A training loop of PyTorch: a model and its optimizers.

    Args:
        model: the root module.
        optimizers: what updates its weights.

    Attributes:
        is_again: whether a step runs beside the training.
        is_called: whether the step began with a call of the model, which is running where observation begins.
    """

    def __init__(self, model: torch.nn.Module, optimizers: Sequence[torch.optim.Optimizer]) -> None:
        self.model, self.optimizers = model, list(optimizers)
        self.copies = Copies()
        self.is_again = False
        self.is_called = True
        #: The optimizer that is updating weights.
        self.updating = ""
        #: Whether `backward` is running, and how many calls of `torch.autograd.grad` are.
        self.in_backward = False
        self.in_gradients = 0
        #: Gradients that came into the outputs of the model in the last step, by place.
        self.gradients: dict[int, torch.Tensor] = {}
        #: How often the last step has called the model so far, under which autocast, and the scaler's factor.
        self.calls = 0
        self.casts: list[tuple[str, bool, torch.dtype]] = []
        self.scale: torch.Tensor | None = None
        #: The names of the last inputs, which the model is called with by name.
        self.names: tuple[str, ...] = ()
        #: Why no step can run again; empty if some can.
        self.no_repeat = ""
        self._observer: Observer | None = None
        self._scopes = KnownScopes(model)
        self._tensors = ModelTensors(model)
        #: The operators of the loss in the last step, which runs no second time, and the arrays that it began with.
        self._loss: list[AtenExecution] = []
        self.outputs: list[Any] = []

    # ---- steps

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the last step again: the model on its inputs, back from the gradients of its outputs, the optimizers.

        Raises:
            NotKeptError: the step is one that cannot run again; says why.
        """
        if why := self._why_not_again():
            raise NotKeptError(f"the step cannot run again: {why}")
        with contextlib.ExitStack() as casts:
            for device, enabled, kind in self.casts:
                casts.enter_context(torch.autocast(device, kind, enabled))
            split = len(args) - len(self.names)
            found = self.model(*args[:split], **dict(zip(self.names, args[split:], strict=True)), **kwargs)
        outputs = [leaf for leaf in leaves(found) if isinstance(leaf, torch.Tensor)]
        self._replay_loss(outputs)
        known = [(outputs[place], gradient) for place, gradient in self.gradients.items() if place < len(outputs)]
        torch.autograd.backward([output for output, _ in known], [gradient for _, gradient in known])
        if not self._unscale():
            return None
        for optimizer in self.optimizers:
            self.updating = type(optimizer).__name__
            optimizer.step()
            self.updating = ""
        return None

    def _why_not_again(self) -> str:
        """Why the last step cannot run again; empty if it can."""
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            return "other processes take part in it, which would wait for this one"
        if self.no_repeat:
            return self.no_repeat
        if self.calls > 1:
            return f"it called the model {self.calls} times, and only the first call is kept"
        if any(isinstance(optimizer, torch.optim.LBFGS) for optimizer in self.optimizers):
            return "LBFGS calls the program's closure"
        return "" if self.gradients else "no gradient came into the output of the model"

    def _unscale(self) -> bool:
        """Divide the gradients of the weights by the scaler's factor, as `GradScaler.step` does.

        Returns:
            Whether the weights are updated: a scaler skips a step with a gradient that is not finite.
        """
        if self.scale is None:
            return True
        inverse = self.scale.double().reciprocal().float()
        for weight in self.trained():
            if weight.grad is not None:
                weight.grad.mul_(inverse.to(weight.grad.device))
        return all(bool(weight.grad.isfinite().all()) for weight in self.trained() if weight.grad is not None)

    def note_call(self) -> None:
        """Note a call of the model in the training: how often, and under which autocast."""
        self.calls += 1
        if self.calls == 1:
            self.casts = [
                (device, torch.is_autocast_enabled(device), torch.get_autocast_dtype(device))
                for device in ("cpu", *(("cuda",) if torch.cuda.is_available() else ()))
            ]

    def trained(self) -> list[torch.Tensor]:
        """What the optimizers update."""
        return [
            weight for optimizer in self.optimizers for group in optimizer.param_groups for weight in group["params"]
        ]

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
        with self._observing() as observer, observer.watching_loss(self._loss.append):  # type: ignore[arg-type]
            yield

    def end_model(self) -> None:
        """The model returns."""
        if self._observer is not None:
            self._observer.end_model()

    def change_part(self) -> None:
        """Another part of the step begins: backward, an update, or what is behind it."""
        if self._observer is not None:
            self._observer.adapt()

    def attach(self, session: Any) -> None:
        """Nothing to do: the run's hooks open and close the steps of the session."""

    def detach(self, session: Any) -> None:
        """Nothing to do; see `attach`."""

    @contextlib.contextmanager
    def watching(self, watcher: Watcher, names: Iterable[str] | None = None) -> Iterator[None]:
        """A context in which a watcher is called with each operator, or with those of some full names."""
        # A set of names may contain operators that are not known yet.
        known = names if names is None or isinstance(names, frozenset) else frozenset(names)
        # Watchers of some names evaluate watchpoints at once; those of all names record.
        with self._observing() as observer, observer.watching(watcher, known, keeps=known is None):
            yield

    @contextlib.contextmanager
    def _observing(self) -> Iterator[Observer]:
        """The observer of the step; the outermost context makes it."""
        if self._observer is not None:
            yield self._observer
            return
        if not CAN_OBSERVE:
            yield Observer(self._scopes, self.copies, self)
            return
        if dispatch_modes():
            _log.warning("A step is not observed: the program observes it itself (TorchDispatchMode).")
            yield Observer(self._scopes, self.copies, self)
            return
        is_running = self.is_called and not self.is_again
        kind = CompiledObserver if has_compiled() else Observer
        with kind(self._scopes, self.copies, self, is_running) as observer:
            self._observer = observer
            try:
                yield observer
            finally:
                self._observer = None

    def hides(self, mode: str) -> str:
        """Empty: an observed step runs operator by operator in both modes."""
        return ""

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

    def mode_note(self, mode: str) -> str:
        """Empty: what is compiled stays compiled."""
        return ""

    # ---- state

    def weights(self) -> Sequence[Weight]:
        """All parameters and buffers."""
        return [TorchWeight(name, self.model, self.copies) for name, _ in self._tensors.named()]

    def state(self) -> State:
        """An empty state."""
        return TorchState(self._tensors, self.optimizers)

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
        trained = {id(weight) for weight in self.trained()}
        names = {name for name, weight in self.model.named_parameters() if id(weight) in trained}
        made = StepNodes(self.weights(), names)
        if batch is not None:
            made.add_inputs({f"input{place}": self.array_of(item) for place, item in enumerate(batch)})
        return made

    def array_of(self, item: Any) -> Any:
        """The elements of a tensor, or an array itself; None for anything else."""
        if isinstance(item, torch.Tensor):
            return self.copies.of(item)
        return item if isinstance(item, np.ndarray | Held) else None

    def is_own(self, file: str) -> bool:
        """Whether a source file is the user's."""
        return is_own(file)
