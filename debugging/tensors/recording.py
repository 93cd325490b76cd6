"""Recordings of a step: the executed nodes in order, with their tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debugging.executions import Execution, Location, Operator, Weight
from debugging.tensors.arrays import to_numpy
from debugging.tensors.tensor_names import TensorName

__all__ = ["Executed", "Recorder", "Recording", "flat"]

Input = tuple[TensorName | None, Any]
"""An input of an operator: an array with its name, if it has one, or a Python value."""


@dataclass(frozen=True, slots=True, eq=False)
class Executed:
    """One node that was executed.

    Attributes:
        full_name: Of the node.
        iteration: Number of earlier executions of the node in the step.
        primitive: The operator.
        inputs: Its inputs; tuples of tensors are flattened.
        outputs: Its arrays.
        members: Full names of all nodes that a fused or shared node stands for.
        location: The user's line, if known.
    """

    full_name: str
    iteration: int
    primitive: Operator
    inputs: tuple[Input, ...]
    outputs: tuple[Any, ...]
    members: tuple[str, ...]
    location: Location | None

    @property
    def tensors(self) -> Iterator[tuple[TensorName, Any]]:
        """Its outputs with their names."""
        for slot, array in enumerate(self.outputs):
            yield TensorName(self.full_name, slot, self.iteration), array


class Recording:
    """An observed step, or its part that has been executed.

    Args:
        step: Its number.
        mode: "graph" or "pynative".

    Attributes:
        executions: Nodes in order of execution.
        loss: The first tensor that the step returned; None if unknown or the step has not finished.
    """

    def __init__(self, step: int, mode: str) -> None:
        self.step = step
        self.mode = mode
        self.executions: list[Executed] = []
        self.loss: TensorName | None = None
        self._arrays: dict[TensorName, Any] = {}
        self._own_names: dict[TensorName, TensorName] = {}

    def add(self, executed: Executed) -> None:
        """Append a node."""
        self.executions.append(executed)
        for name, array in executed.tensors:
            self._arrays[name] = array
            for member in executed.members:
                if member != executed.full_name:
                    self._own_names[name._replace(full_name=member)] = name

    def give(self, name: TensorName, array: Any) -> None:
        """Add a tensor that no node made: the initial value of a Parameter, or an input."""
        self._arrays[name] = array

    def array(self, name: TensorName) -> np.ndarray[Any, Any] | None:
        """The elements of a tensor; None if it was not recorded."""
        found = self._arrays.get(self._own_names.get(name, name))
        return None if found is None else to_numpy(found)

    def executed(self, name: TensorName) -> Executed | None:
        """The node that made a tensor; None if there is none."""
        own = self._own_names.get(name, name)
        found = (
            item for item in self.executions if item.full_name == own.full_name and item.iteration == own.iteration
        )
        return next(found, None)

    @property
    def names(self) -> list[TensorName]:
        """Names of all recorded tensors."""
        return list(self._arrays)

    @property
    def nbytes(self) -> int:
        """The bytes that it holds; views of one array count once."""
        owners = {id(owner): owner.nbytes for owner in map(_owner, self._arrays.values())}
        return sum(owners.values())


class Recorder:
    """A watcher that records.

    Args:
        step: Number of the step that is about to run.
        mode: "graph" or "pynative".
        array_of: The array of a tensor; None for anything else.
        weights: Of the training; they have names.
        batch: Its arguments.
        inputs: Names of its arguments.
    """

    def __init__(
        self, step: int, mode: str, array_of: Callable[[Any], Any], weights: Sequence[Weight],
        batch: Sequence[Any], inputs: Sequence[str],
    ) -> None:  # fmt: skip
        self.recording = Recording(step, mode)
        self._array_of = array_of
        #: Names by the ids of arrays. The recording holds the arrays, so ids are unique.
        self._names: dict[int, TensorName] = {}
        named = [(weight.name, weight.array) for weight in weights]
        named += [(name, self._array_of(item)) for name, item in zip(inputs, batch, strict=False)]
        for name, array in named:
            if array is not None:
                self.recording.give(TensorName(name), array)
                self._names[id(array)] = TensorName(name)

    def __call__(self, execution: Execution) -> None:
        """Record a node."""
        inputs = tuple(self._input(item) for item in flat(execution.inputs))
        arrays = map(self._array_of, flat((execution.outputs,)))
        outputs = tuple(array for array in arrays if array is not None)
        executed = Executed(
            execution.full_name,
            execution.iteration,
            execution.primitive,
            inputs,
            outputs,
            execution.members or (execution.full_name,),
            execution.location,
        )
        self.recording.add(executed)
        for name, array in executed.tensors:
            self._names[id(array)] = name

    def finish(self, output: Any) -> Recording:
        """Note the output of the step.

        Args:
            output: Its first tensor is the loss.
        """
        arrays = map(self._array_of, flat((output,)))
        first = next((array for array in arrays if array is not None), None)
        self.recording.loss = None if first is None else self._names.get(id(first))
        return self.recording

    def _input(self, item: Any) -> Input:
        array = self._array_of(item)
        return (None, item) if array is None else (self._names.get(id(array)), array)


def flat(items: Sequence[Any]) -> Iterator[Any]:
    """The elements of nested tuples and lists."""
    for item in items:
        if isinstance(item, tuple | list):
            yield from flat(item)
        else:
            yield item


def _owner(array: Any) -> Any:
    """The array that owns the memory of a view."""
    while getattr(array, "base", None) is not None and hasattr(array.base, "nbytes"):
        array = array.base
    return array
