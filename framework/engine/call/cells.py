"""Cells in graph mode: each Cell has its compiled function, which does not keep the Cell alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.engine.call.compiled import Compiled
from framework.engine.call.parts import CompiledInParts, Target, target_of
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register_kind
from framework.infer.values import constant
from framework.ir.anf import Node
from framework.nn.cell import Cell

__all__ = ["cell_programs"]


def cell_programs(cell: Cell) -> Compiled:
    """The compiled function of a Cell, which the Cell holds."""
    made: Compiled | None = cell.__dict__.get("_programs")
    if made is None:
        made = cell.__dict__["_programs"] = _CompiledCell(cell)
    return made


class _CompiledCell(CompiledInParts):
    """The compiled function of a Cell. A copy of the Cell gets a new one, so this one pickles as None."""

    def __init__(self, cell: Cell) -> None:
        self._reference = _WeakCell(cell)
        super().__init__(self._reference, getattr(cell, "_input_signature", None))

    @property
    def _python_function(self) -> Callable[..., Any]:
        return self._reference.function._run

    def _target(self) -> Target | None:
        return target_of(self._reference.function)

    def plain(self, *args: object, **kwargs: object) -> Any:
        """Run the Cell line by line. Its inner Cells are called as ever, so they run compiled if they can."""
        return self._reference.function._run(args, kwargs)

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return type(None), ()


class _WeakCell:
    """A weak reference to a Cell that can be called like the Cell."""

    def __init__(self, cell: Cell) -> None:
        self._cell = weakref.ref(cell)
        self.__name__ = type(cell).__name__
        self.__doc__ = cell.__doc__

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run the Cell."""
        return self.function(*args, **kwargs)

    @property
    def function(self) -> Cell:
        """The Cell."""
        cell = self._cell()
        if cell is None:
            raise ReferenceError("the Cell no longer exists")
        return cell


@register_kind(_WeakCell)
def _inline_cell(infer: Inference, callee: _WeakCell, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return infer.call(constant(callee.function), arguments, named)
