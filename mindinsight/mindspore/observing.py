"""Observes a step in PyNative mode: what each Cell computes, and the gradients of the weights.

Hooks live for one observed step. `MindSporeTraining.watching` makes an `Observer`.
"""

from __future__ import annotations

import contextlib
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final

import mindspore as ms

from debugging.executions import Watcher
from debugging.tensors.recording import flat
from mindinsight.mindspore.arrays import Copies
from mindinsight.mindspore.names import Place, attributes_of, gradient_name, type_of

__all__ = ["CellExecution", "Observer", "gradients_of", "is_own", "optimizer_name"]

_OURS: Final = tuple(str(Path(__file__).parents[2] / name) for name in ("debugging", "mindinsight", "summaries"))
_LIBRARIES: Final = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def is_own(file: str) -> bool:
    """Whether a source file is the user's: neither MindSpore's, nor a library's, nor ours."""
    return not file.startswith(("<", str(Path(ms.__file__).parent), *_OURS, *_LIBRARIES))


class _InPython(type):
    """The type of `_Ran`: in Python, everything is an instance."""

    def __instancecheck__(cls, instance: object) -> bool:
        return True


class _Ran(metaclass=_InPython):
    """In Python, everything is an instance of it; in a program that MindSpore compiles, no tensor is.

    A function with `@jit` that is compiled while a hook is set takes the hook into the program. The compiler leaves out
    what stands behind a test that is false, so our hooks compile to nothing.
    """


class _CellHook:
    """A forward hook that changes nothing."""

    def __init__(self, call: Callable[..., None]) -> None:
        self.call = call

    def hook(self, cell, args, output):  # type: ignore[no-untyped-def]  # MindSpore's compiler reads this source
        if isinstance(output, _Ran):
            self.call(cell, args, output)
        return None  # noqa: RET501


class _GradientHook:
    """A hook of a Parameter that gives back the gradient that it is given."""

    def __init__(self, call: Callable[..., None]) -> None:
        self.call = call

    def hook(self, gradient):  # type: ignore[no-untyped-def]  # MindSpore's compiler reads this source
        if isinstance(gradient, _Ran):
            self.call(gradient)
        return gradient


@dataclass(frozen=True, slots=True)
class CellOperator:
    """What a Cell computes, as an operator; see `debugging.executions.Operator`."""

    name: str
    attrs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class UserLine:
    """A line of the user's; see `debugging.executions.Location`."""

    file: str
    line: int
    function: str
    caller: UserLine | None = None


@dataclass(frozen=True, slots=True)
class CellExecution:
    """A call of a Cell, a gradient, or the update; see `debugging.executions.Execution`."""

    full_name: str
    iteration: int
    primitive: CellOperator
    inputs: tuple[Any, ...]
    outputs: Any
    members: tuple[str, ...]
    location: UserLine | None


def gradients_of(places: Iterable[Place], trained: Mapping[int, Any]) -> dict[str, Any]:
    """The trained Parameters by the full names of their gradients.

    Args:
        places: The Cells.
        trained: Parameters by id.
    """
    found: dict[str, Any] = {}
    seen: set[int] = set()
    for place in places:
        for name, parameter in place.cell.parameters_and_names(expand=False):
            if id(parameter) in trained and id(parameter) not in seen:
                seen.add(id(parameter))
                found[gradient_name(place.scope, name)] = parameter
    return found


def optimizer_name(optimizer: Any) -> str:
    """The full name of the update of the weights."""
    kind = type(optimizer).__name__
    return f"Default/optimizer-{kind}/{kind}-op0"


class Observer:
    """Reports what happens in a step to watchers, as long as one watches.

    Args:
        places: The Cells that can be observed.
        gradients: Parameters by the names of their gradients.
        optimizers: What updates the weights.
        copies: The arrays of tensors.
        fail: Called in the handler of an error of ours; watching then ends.
    """

    def __init__(
        self, places: Iterable[Place], gradients: Mapping[str, Any], optimizers: Iterable[Any], copies: Copies,
        fail: Callable[[], None],
    ) -> None:  # fmt: skip
        self._places = list(places)
        self._gradients = gradients
        self._optimizers = list(optimizers)
        self._copies = copies
        self._fail = fail
        self._watchers: list[tuple[Watcher, frozenset[str] | None]] = []
        self._handles: dict[str, Any] = {}
        self._counts: Counter[str] = Counter()
        #: Gradients of this step by the id of their Parameter.
        self._found: dict[int, Any] = {}
        #: Outputs that a Cell inside has reported already.
        self._reported: set[int] = set()

    @contextlib.contextmanager
    def watching(self, watcher: Watcher, names: Iterable[str] | None) -> Iterator[None]:
        """A context in which a watcher is called with all executions, or with those of some full names."""
        wanted = None if names is None else frozenset(names)
        entry = (watcher, wanted)
        self._watchers.append(entry)
        try:
            self._set_hooks(wanted)
            yield
        finally:
            if entry in self._watchers:
                self._watchers.remove(entry)
            if not self._watchers:
                self.stop()

    def stop(self) -> None:
        """Take off all hooks, and forget the step."""
        handles, self._handles = self._handles, {}
        for handle in handles.values():
            handle.remove()
        self._watchers.clear()
        self._counts.clear()
        self._found.clear()
        self._reported.clear()

    def _set_hooks(self, wanted: frozenset[str] | None) -> None:
        for place in self._places:
            name = place.full_name
            if (wanted is None or name in wanted) and name not in self._handles:
                hook = _CellHook(self._harmless(lambda cell, args, output, place=place: self._see(place, args, output)))
                self._handles[name] = place.cell.register_forward_hook(hook.hook)
        for name, parameter in self._gradients.items():
            if (wanted is None or name in wanted) and name not in self._handles:
                seen = _GradientHook(
                    self._harmless(lambda value, name=name, parameter=parameter: self._differ(name, parameter, value))
                )
                self._handles[name] = parameter.register_hook(seen.hook)
        for optimizer in self._optimizers:
            name = optimizer_name(optimizer)
            if (wanted is None or name in wanted) and name not in self._handles:
                updated = _CellHook(self._harmless(lambda cell, args, output: self._update(cell)))
                self._handles[name] = optimizer.register_forward_hook(updated.hook)

    def _harmless(self, call: Callable[..., None]) -> Callable[..., None]:
        """An error of ours ends watching, and never reaches the program."""

        def called(*args: Any) -> None:
            try:
                call(*args)
            except Exception:
                self._watchers.clear()
                self._fail()

        return called

    # ---- what hooks report

    def _see(self, place: Place, args: tuple[Any, ...], output: Any) -> None:
        leaves = [item for item in _leaves(output) if isinstance(item, ms.Tensor)]
        if not place.is_leaf and leaves and all(id(item) in self._reported for item in leaves):
            # It only passes on what a Cell inside has computed.
            return
        weights = [parameter for _, parameter in place.cell.parameters_and_names(expand=False)]
        inputs = [*_leaves(args), *weights]
        arrays = tuple(self._copies.anew(item) for item in leaves)
        self._reported.update(map(id, leaves))
        operator = CellOperator(type_of(place.cell), attributes_of(place.cell))
        given = tuple(self._array_or_value(item) for item in inputs)
        self._tell(place.full_name, operator, given, arrays)

    def _differ(self, name: str, parameter: Any, gradient: Any) -> None:
        array = self._copies.of(gradient)
        if array is None:
            return
        self._found[id(parameter)] = array
        self._tell(name, CellOperator("Gradient", {"of": parameter.name}), (), (array,))

    def _update(self, optimizer: Any) -> None:
        """The optimizer has updated the weights: it read gradients and the weights as they were."""
        inputs: list[Any] = []
        for parameter in optimizer.parameters:
            if id(parameter) in self._found:
                inputs += [self._found[id(parameter)], self._copies.of(parameter)]
        self._copies.drop_weights()
        self._tell(optimizer_name(optimizer), CellOperator(type(optimizer).__name__, {}), tuple(inputs), ())

    def _array_or_value(self, item: Any) -> Any:
        array = self._copies.of(item)
        return item if array is None else array

    def _tell(self, name: str, operator: CellOperator, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        iteration = self._counts[name]
        self._counts[name] += 1
        made = CellExecution(name, iteration, operator, inputs, outputs, (name,), _line_of(sys._getframe(1)))
        for watcher, wanted in list(self._watchers):
            if wanted is None or name in wanted:
                watcher(made)


def _leaves(items: Any) -> Iterator[Any]:
    """The elements of nested tuples, lists and dictionaries."""
    if isinstance(items, dict):
        items = tuple(items.values())
    yield from flat((items,))


def _line_of(frame: FrameType | None) -> UserLine | None:
    """The innermost line of the user's source."""
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            return UserLine(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None
