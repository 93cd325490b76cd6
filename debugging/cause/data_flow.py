"""The data flow of a recorded step: which operators made numbers that are not finite, and how these reached the loss.

`search.py` follows it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from debugging.tensors.recording import Executed, Recording
from debugging.tensors.statistics import is_finite
from debugging.tensors.tensor_names import TensorName

__all__ = ["DataFlow", "is_array"]


class DataFlow:
    """The operators of a step and the tensors between them.

    Args:
        recording: Of all nodes of the step.

    Attributes:
        makers: Operators by the names of the tensors that they made.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._finite: dict[int, bool] = {}
        self.makers = {name: item for item in recording.executions for name, _ in item.tensors}

    def is_finite(self, array: Any) -> bool:
        """Whether all elements are finite; reads each array once."""
        if id(array) not in self._finite:
            self._finite[id(array)] = is_finite(array)
        return self._finite[id(array)]

    def tainted(self) -> Iterator[Executed]:
        """The operators with outputs that are not finite, in order of execution."""
        for executed in self._recording.executions:
            if any(not self.is_finite(array) for _, array in executed.tensors):
                yield executed

    def reaching_loss(self) -> set[int]:
        """Ids of the operators from which a number that is not finite reaches the loss."""
        loss = self._recording.loss
        last = None if loss is None else self.makers.get(loss)
        found, waiting = set[int](), [] if last is None else [last]
        while waiting:
            for name, array in waiting.pop().inputs:
                maker = None if name is None else self.makers.get(name)
                if maker is not None and id(maker) not in found and is_array(array) and not self.is_finite(array):
                    found.add(id(maker))
                    waiting.append(maker)
        return found

    def behind(self, executed: Executed) -> Iterator[TensorName]:
        """All tensors that an operator depends on, nearest first."""
        waiting, seen = deque([executed]), {id(executed)}
        reported: set[TensorName] = set()
        while waiting:
            for name, _ in waiting.popleft().inputs:
                if name is None or name in reported:
                    continue
                reported.add(name)
                yield name
                maker = self.makers.get(name)
                if maker is not None and id(maker) not in seen:
                    seen.add(id(maker))
                    waiting.append(maker)

    def between(self, first: Executed, last: Executed, most: int) -> list[Executed]:
        """Operators from one along its readers up to, but without, another; at most `most`."""
        way = [first]
        while len(way) < most:
            names = {name for name, _ in way[-1].tensors}
            after = next(
                (item for item in self._recording.executions if names & {name for name, _ in item.inputs}), None
            )
            if after is None or after is last:
                break
            way.append(after)
        return way

    def reading(self, executed: Executed, most: int) -> Iterator[Executed]:
        """Operators that read what is not finite of an operator, in order of execution, over at most some others.

        Args:
            executed: The operator.
            most: Most operators on the way.
        """
        depths = {name: 0 for name, array in executed.tensors if not self.is_finite(array)}
        for item in self._recording.executions:
            known = [depths[name] for name, _ in item.inputs if name is not None and name in depths]
            if known and min(known) < most:
                yield item
                depths.update((name, min(known) + 1) for name, array in item.tensors if not self.is_finite(array))

    def to_loss(self, executed: Executed) -> list[Executed]:
        """The shortest path from an operator to the loss without that operator; empty if there is none."""
        goal = self.makers.get(self._recording.loss) if self._recording.loss is not None else None
        readers: dict[TensorName, list[Executed]] = {}
        for item in self._recording.executions:
            for name, _ in item.inputs:
                if name is not None:
                    readers.setdefault(name, []).append(item)
        came: dict[int, Executed | None] = {id(executed): None}
        waiting = deque([executed])
        while waiting:
            here = waiting.popleft()
            if here is goal:
                way: list[Executed] = []
                step: Executed | None = here
                while step is not None and step is not executed:
                    way.append(step)
                    step = came[id(step)]
                return way[::-1]
            for name, _ in here.tensors:
                for item in readers.get(name, ()):
                    if id(item) not in came:
                        came[id(item)] = here
                        waiting.append(item)
        return []


def is_array(item: Any) -> bool:
    """Whether an operand is an array."""
    return hasattr(item, "dtype") and hasattr(item, "shape")
