"""A Map behind its Batch, which computes all rows of a batch at once; the pass `late_map` puts it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.blocks.slots import Slots
from framework.dataset.runtime.mapping import Map, Operations, joined_parts
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Array, Operator, Pass, as_array
from framework.dataset.runtime.task import OperationError

__all__ = ["BatchedMap"]


class _BatchedOperations(Operations):
    """Operations that take batches: a task of its own."""

    def function(self, this: Pass, slots: Slots | None = None) -> Callable[[int, tuple[Any, ...]], tuple[Array, ...]]:
        """The function of the stacked values of the input columns."""
        parts = tuple(joined_parts(self.operations))

        def apply(_index: int, values: tuple[Array, ...]) -> tuple[Array, ...]:
            changed = values
            try:
                for first, _, joined in parts:
                    step = self.operations[first] if joined is None else joined
                    apply_batch: Callable[[Array], Array] = step.apply_batch  # type: ignore[union-attr]
                    changed = tuple(map(apply_batch, changed))
            except Exception as error:
                raise self._found(values, error) from error
            return changed

        return apply

    def _found(self, values: tuple[Array, ...], error: Exception) -> OperationError:
        """The error of the first row that fails by itself; that of the batch, if none does."""
        for row in range(len(values[0])):
            place = 0
            one = tuple(value[row] for value in values)
            try:
                for operation in self.operations:
                    one = tuple(as_array(operation.apply(None, value)) for value in one)  # type: ignore[attr-defined]
                    place += 1
            except Exception as cause:
                return OperationError(self.named(place, row), cause)
        return OperationError("the operations on a batch", error)


class BatchedMap(Map):
    """Applies operations to some columns of batches."""

    def __init__(self, number: int, node: Node, child: Operator, resources: Resources | None) -> None:
        super().__init__(number, node, child, resources)
        self.task = _BatchedOperations(number, node.operations, node.plan.places)
