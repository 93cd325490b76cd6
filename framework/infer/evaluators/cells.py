"""The evaluator of calls of Cells: `construct`, within the Cell's scope, in the type that it computes with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from framework.infer.evaluators.casts import as_float
from framework.infer.evaluators.inference import Inference
from framework.infer.state.emitter import Emitter
from framework.infer.values import constant
from framework.ir.anf import FuncGraph, Node

__all__ = ["Cells"]


class Cells:
    """Infers calls of Cells.

    Args:
        infer: the inference.
    """

    def __init__(self, infer: Inference) -> None:
        self._infer = infer
        self._noted_changes = False

    def call(
        self, cell: Any, construct: Callable[..., Any], arguments: Sequence[Node], named: Mapping[str, Node]
    ) -> Node:
        """The result of a call.

        Args:
            cell: a Cell.
            construct: its method `construct`.
            arguments: the arguments by position.
            named: the arguments by name.
        """
        infer = self._infer
        if not self._noted_changes:
            self._noted_changes = True
            infer.program.note(type(cell), "_changes", type(cell)._changes)
        compute_type = cell._compute_type
        if compute_type is not None:
            arguments = [as_float(infer, item, compute_type) for item in arguments]
            named = {name: as_float(infer, item, compute_type) for name, item in named.items()}
        before, infer.compute_type = infer.compute_type, compute_type
        try:
            made = self._constructed(cell, construct, arguments, named)
        finally:
            infer.compute_type = before
        is_cast = compute_type is not None and cell._output_type is not None
        return as_float(infer, made, cell._output_type) if is_cast else made

    def _constructed(
        self, cell: Any, construct: Callable[..., Any], arguments: Sequence[Node], named: Mapping[str, Node]
    ) -> Node:
        recomputed = cell.get_flags().get("recompute", False)
        with self._infer.program.within(_scope_of(cell), recomputed=recomputed):
            if getattr(type(cell), "bprop", None) is not None:
                return self._with_own_backward(cell, construct, [*arguments, *named.values()])
            return self._infer.call(constant(construct), [constant(cell), *arguments], named)

    def _with_own_backward(self, cell: Any, construct: Callable[..., Any], arguments: Sequence[Node]) -> Node:
        """A call of a Cell with its own `bprop`. It stays a function until differentiation is over."""
        build, program = self._infer.build, self._infer.program
        graph = FuncGraph(type(cell).__name__, program.location)
        graph.attrs["bprop"] = cell.bprop
        graph.attrs["full_name"] = program.full_name(type(cell).__name__)
        outer, build.emitter = build.emitter, Emitter(graph, build.emitter.depth)
        before = build.effects
        try:
            inner = [graph.add_parameter(f"x{i}", abstract=node.abstract) for i, node in enumerate(arguments)]
            result = build.materialized(self._infer.call(constant(construct), [constant(cell), *inner], {}))
            build.finish(build.emitter, result)
        finally:
            build.emitter = outer
        call = build.emit(graph, [build.materialized(argument) for argument in arguments], result.abstract)
        if build.effects > before:
            build.effect(call)
        return call


def _scope_of(cell: Any) -> str:
    """The name of a Cell in scopes: its name in the Cell around it, and its class. Empty for the outermost Cell."""
    return str(getattr(cell, "_scope", ""))
