"""Cells called in graph mode. Each has its compiled function, which does not keep the Cell alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.engine.call.compiled import Compiled
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register_kind
from framework.infer.values import constant
from framework.ir.anf import Node
from framework.pynative.gradient import is_recording

__all__ = ["cell_programs", "row_of_cell", "run_cell"]


def run_cell(cell: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Run a Cell compiled: what `nn.Cell` does with a call in graph mode.

    Args:
        cell: the Cell.
        args: what it is called with.
        kwargs: by name.
    """
    if is_recording():
        return cell._run(args, kwargs)
    return cell_programs(cell)(*args, **kwargs)


def row_of_cell(cell: Any) -> Any:
    """For calls of a Cell in a row, between which nothing changes but the arguments: what to call."""
    return cell_programs(cell).row()


def cell_programs(cell: Any) -> Compiled:
    """What a Cell is compiled to; the Cell keeps it."""
    made: Compiled | None = cell.__dict__.get("_programs")
    if made is None:
        signature = getattr(cell, "input_signature", None)
        made = cell.__dict__["_programs"] = _CompiledCell(_WeakCell(cell), signature)
    return made


class _CompiledCell(Compiled):
    """What a Cell is compiled to; a copy of the Cell begins without."""

    @property
    def _python_function(self) -> Callable[..., Any]:
        run: Callable[..., Any] = self.function.cell._run  # type: ignore[attr-defined]
        return run

    def __reduce__(self) -> Any:
        return type(None), ()


class _WeakCell:
    """A Cell that its compiled form does not keep alive."""

    def __init__(self, cell: Any) -> None:
        self._cell = weakref.ref(cell)
        self.__name__ = type(cell).__name__
        self.__doc__ = cell.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the Cell."""
        return self.cell(*args, **kwargs)

    @property
    def function(self) -> Any:
        """The Cell."""
        return self.cell

    @property
    def cell(self) -> Any:
        """The Cell."""
        cell = self._cell()
        if cell is None:
            raise ReferenceError("the Cell is gone")
        return cell


@register_kind(_WeakCell)
def _inline_cell(infer: Inference, callee: _WeakCell, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return infer.call(constant(callee.cell), arguments, named)
